import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { lockFile } from './file-lock.ts'
import { root } from './program.ts'

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-lock-'))
  return folder
}

const isTaken = (path: string): boolean => {
  try {
    lockFile(path, (holder) => `taken by ${holder}`)()
    return false
  } catch {
    return true
  }
}

/** A process id above those of Linux. */
const DEAD = '4194305'

const ROUNDS = 500

/** Takes each round's lock together with the other process, prints the rounds won, holds their locks. */
const CONTENDER = `
import { lockFile } from '#tools/machine/file-lock.ts'
const [folder] = process.argv.slice(1)
process.stdout.write('ready\\n')
process.stdin.once('data', (start) => {
  const got = []
  for (let round = 0; round < ${ROUNDS}; round += 1) {
    while (performance.timeOrigin + performance.now() < Number(start) + round);
    try {
      lockFile(folder + '/' + round, String)
      got.push(round)
    } catch {}
  }
  process.stdout.write(JSON.stringify(got) + '\\n')
})
`

async function aProcess(script: string, folder: string) {
  const args = ['--input-type=module', '--eval', script, folder]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe('ready')
  return { child, next: async (): Promise<string> => (await lines.next()).value }
}

test('if two processes find the lock of a dead one at the same moment, exactly one gets it', async () => {
  const folder = await aFolder()
  for (let round = 0; round < ROUNDS; round += 1) await writeFile(join(folder, String(round)), DEAD)
  const contenders = await Promise.all([1, 2].map(() => aProcess(CONTENDER, folder)))

  for (const { child } of contenders) child.stdin.write(String(Date.now() + 50))
  const got = await Promise.all(contenders.map(async ({ next }) => JSON.parse(await next()) as number[]))

  expect(got.flat().sort((one, other) => one - other)).toEqual(Array.from({ length: ROUNDS }, (_, n) => n))
})

const HOLDER = `
import { lockFile } from '#tools/machine/file-lock.ts'
lockFile(process.argv[1] + '/lock', String)
process.stdout.write('ready\\n')
process.stdin.resume()
`

test('a held lock is refused with the name of its holder, until that process is killed', async () => {
  const folder = await aFolder()
  const lock = join(folder, 'lock')
  const { child } = await aProcess(HOLDER, folder)

  expect(() => lockFile(lock, (holder) => `taken by ${holder}`)).toThrow(`taken by process ${child.pid}`)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isTaken(lock)).toBe(false)
})

test('a released lock can be taken again, also within one process', async () => {
  const lock = join(await aFolder(), 'new', 'lock')
  const release = lockFile(lock, String)

  expect(isTaken(lock)).toBe(true)
  release()
  expect(isTaken(lock)).toBe(false)
})

test('a lock file with the process id of another program holds no lock', async () => {
  const lock = join(await aFolder(), 'lock')
  await writeFile(lock, String(process.pid))

  expect(isTaken(lock)).toBe(false)
  expect((await stat(lock)).isFile()).toBe(true)
})
