import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { root } from '../machine/program.ts'

/** Prints the packages that importing a module loads. */
const LISTING = `
import { registerHooks } from 'node:module'
const packages = new Set()
registerHooks({ load: (url, context, next) => {
  packages.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1])
  return next(url, context)
}})
await import(process.argv[1])
process.stdout.write([...packages].join(' '))
`

const packagesOf = (path: string): string[] =>
  execFileSync(process.execPath, ['--input-type=module', '--eval', LISTING, `${root}${path}`], {
    encoding: 'utf8',
  }).split(' ')

test('a command starts without what reads the archive, which takes a quarter of the time', () => {
  const archive = packagesOf('lib/calls/archive/call-archive.ts').filter((name) =>
    /parquet|client-s3/.test(name),
  )

  expect(archive.sort()).toEqual(['@aws-sdk/client-s3', 'hyparquet', 'hyparquet-writer'])
  expect(packagesOf('tools/commands/account/account.ts')).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/parquet|client-s3/)]),
  )
})
