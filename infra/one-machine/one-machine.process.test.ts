import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { loadCommand } from '#tools/command-list.ts'
import { root } from '#tools/machine/program.ts'

const folder = `${root}infra/one-machine/`
const textOf = (name: string): string => readFileSync(folder + name, 'utf8')

/** The arguments of a Tollgate command in a file, after its own name. */
const ORDERS: readonly (readonly [file: string, command: string, order: RegExp])[] = [
  ['tollgate.service', 'start', /^ExecStart=\/usr\/bin\/node tools\/bin\/tollgate\.js start (.*)$/m],
  ['tollgate-backup.service', 'backup', /^ExecStart=\/usr\/bin\/node tools\/bin\/tollgate\.js backup (.*)$/m],
]

test.each(ORDERS)('%s runs %s with options that it has', async (file, name, order) => {
  const words = order.exec(textOf(file))?.[1]?.split(' ') ?? []
  expect(await parsed(name, words)).not.toEqual({})
})

test('the image starts Tollgate with options that it has', async () => {
  const [, words = '[]'] = /^CMD (\[.*\])$/m.exec(textOf('Dockerfile')) ?? []
  const [, program, name, ...options] = JSON.parse(words) as string[]

  expect(existsSync(`${root}${program}`)).toBe(true)
  expect(name).toBe('start')
  expect(await parsed('start', options)).toMatchObject({ host: '0.0.0.0', json: true })
})

/** The options of a command line, as its command reads them. The command is not run. */
async function parsed(name: string, words: readonly string[]): Promise<object> {
  const command = new Command(name).exitOverride()
  const { declare } = await loadCommand(name)
  declare(command)
  command.action(() => undefined)
  await command.parseAsync(words, { from: 'user' })
  return command.opts()
}

const run = promisify(execFile)

test('systemd takes the units', async ({ skip }) => {
  const units = [
    'tollgate.service',
    'tollgate-backup.service',
    'tollgate-backup-failed.service',
    'tollgate-backup.timer',
  ]
  const verified = run('systemd-analyze', ['verify', ...units.map((name) => folder + name)])
  const { stderr } = await verified.catch((error) => error)
  if (stderr === undefined || /ENOENT/.test(stderr)) return skip('there is no systemd-analyze')

  const complaints = stderr.split('\n').filter((line: string) => /Unknown|Failed to parse|Invalid/.test(line))
  expect(complaints).toEqual([])
})
