import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '#lib/local/root.ts'

const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  scripts: Readonly<Record<string, string>>
}

/** The scripts of ours that an operator or a developer calls; benchmarks take no options. */
const commands = Object.values(scripts).flatMap((line) => line.match(/scripts\/(?!bench)[\w-]+\.ts/) ?? [])

interface Ended {
  readonly status: unknown
  readonly stdout: string
  readonly stderr: string
}

const run = (path: string, ...words: string[]): Promise<Ended> =>
  new Promise((ended) => {
    const env = { ...process.env, DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' }
    execFile(
      process.execPath,
      ['--import', 'tsx', path, ...words],
      { cwd: root, env },
      (error, stdout, stderr) => ended({ status: error ? error.code : 0, stdout, stderr }),
    )
  })

test.concurrent.each(commands)('%s --help says what it does, and does nothing else', async (path) => {
  const { status, stdout, stderr } = await run(path, '--help')

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain('  npm ')
})

test('an output that is longer than a pipe takes at once is printed as a whole', async () => {
  const script = `import { runCommand } from '#lib/local/commands/command.ts'
    await runCommand({ help: '', run: async () => process.stdout.write('x'.repeat(1_000_000)) && 0 })`

  const { status, stdout } = await run('--input-type=module', '--eval', script)

  expect([status, stdout.length]).toEqual([0, 1_000_000])
})

test('an option that a script does not know is named in one sentence', async () => {
  const { status, stderr } = await run('scripts/settings.ts', 'list', '--colour')

  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringMatching(/^Unknown option '--colour'.*\n$/),
  })
})
