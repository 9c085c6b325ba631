import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore, type Store } from '#lib/table/store.ts'
import { createTable, findEngineBinary, freePort } from './engine.ts'

// A power failure takes what was written and not synced. strace notes each write and each sync of the engine;
// the files are then put together from what was synced when the power failed, and a new engine opens them.

const hasStrace = (() => {
  try {
    return execFileSync('strace', ['-V']).length > 0
  } catch {
    return false
  }
})()

const CALLS = 'trace=open,openat,pwrite64,ftruncate,fsync,fdatasync'

interface RunningEngine {
  readonly store: Store
  readonly process: ChildProcess
}

async function anEngine(database: string, before: readonly string[] = []): Promise<RunningEngine> {
  const port = await freePort()
  const words = [...before, findEngineBinary(), 'serve', '--port', String(port), '--db-path', database]
  const [program = '', ...args] = words
  const child = spawn(program, args, { detached: true, stdio: 'ignore' })
  onTestFinished(() => kill(child))
  const location = { tableName: 'tollgate', endpoint: `http://127.0.0.1:${port}` }
  const client = createClient(location)
  await vi.waitUntil(
    () =>
      createTable(client, location.tableName).then(
        () => true,
        () => false,
      ),
    30_000,
  )
  return {
    store: createStore({ client, tableName: location.tableName, meter: createMeter() }),
    process: child,
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  process.kill(-Number(child.pid), 'SIGKILL')
  await ended
}

/** A file as the engine sees it, and what of it is on the disk. */
interface TracedFile {
  seen: Buffer
  synced: Buffer
}

/** One system call: its name, arguments and result. A call of one thread may be written in two lines. */
function* callsIn(trace: string): Generator<[name: string, args: string, result: number]> {
  const begun = new Map<string, string>()
  for (const line of trace.split('\n')) {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    if (text.endsWith('<unfinished ...>')) {
      begun.set(thread, text.replace(/ ?<unfinished \.\.\.>$/, ''))
      continue
    }
    const whole = text.replace(/^<\.\.\. \w+ resumed>/, () => begun.get(thread) ?? '')
    const [, name, args, result] = /^(\w+)\((.*)\) += (-?\d+)/.exec(whole) ?? []
    if (name !== undefined && args !== undefined) yield [name, args, Number(result)]
  }
}

const bytesIn = (text: string): Buffer =>
  Buffer.from([...text.matchAll(/\\x(..)/g)].map(([, hex = '']) => Number.parseInt(hex, 16)))

/** The effect of a call on its file. Every other call is a sync. */
const EFFECTS: Readonly<Record<string, (file: TracedFile, args: string) => void>> = {
  pwrite64: (file, args) => {
    const [, text = '', offset = '0'] = /"([^"]*)", \d+, (\d+)$/.exec(args) ?? []
    write(file, bytesIn(text), Number(offset))
  },
  ftruncate: (file, args) => {
    file.seen = file.seen.subarray(0, Number(/(\d+)$/.exec(args)?.[1]))
  },
}

const sync = (file: TracedFile): void => {
  file.synced = Buffer.from(file.seen)
}

/** The files after all calls of a trace, by name. */
function filesOf(trace: string): Map<string, TracedFile> {
  const [files, open] = [new Map<string, TracedFile>(), new Map<number, TracedFile>()]
  const opened = (path: string): TracedFile => {
    const file = files.get(path) ?? { seen: Buffer.alloc(0), synced: Buffer.alloc(0) }
    files.set(path, file)
    return file
  }
  for (const [name, args, result] of callsIn(trace)) {
    if (name.startsWith('open')) open.set(result, opened(pathIn(args)))
    else apply(name, args, open.get(Number.parseInt(args, 10)))
  }
  return files
}

const pathIn = (args: string): string => bytesIn(/"([^"]*)"/.exec(args)?.[1] ?? '').toString()

const apply = (name: string, args: string, file?: TracedFile): void =>
  file && (EFFECTS[name] ?? sync)(file, args)

function write(file: TracedFile, bytes: Buffer, offset: number): void {
  const longer = Buffer.alloc(Math.max(file.seen.length, offset + bytes.length))
  file.seen.copy(longer)
  bytes.copy(longer, offset)
  file.seen = longer
}

const keyOf = (number: number) => ({ PK: 'A', SK: String(number) })

/** The numbers of the items that an engine finds in files that are put together from a trace. */
async function foundAfter(trace: string, bytesOf: (file: TracedFile) => Buffer, most: number) {
  const folder = await aFolder()
  for (const [path, file] of filesOf(trace))
    if (/x\.db(-wal)?$/.test(path)) await writeFile(join(folder, basename(path)), bytesOf(file))
  const { store, process: engine } = await anEngine(join(folder, 'x.db'))
  const items = await Promise.all(Array.from({ length: most }, (_, number) => store.get(keyOf(number))))
  await kill(engine)
  return items.filter((item) => item !== undefined).length
}

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-power-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(folder, { recursive: true })
  return folder
}

test.skipIf(!hasStrace).each([1, 7, 60])(
  'of %d acknowledged writes a power failure takes none',
  async (count) => {
    const folder = await aFolder()
    const [database, noted] = [join(folder, 'x.db'), join(folder, 'trace')]
    const strace = ['strace', '-f', '-e', CALLS, '-xx', '-s', '10000000', '-o', noted]
    const { store, process: engine } = await anEngine(database, strace)

    for (let number = 0; number < count; number += 1)
      await store.transact([{ put: { ...keyOf(number), text: 'x'.repeat(500) } }])
    await kill(engine)

    const trace = await readFile(noted, 'utf8')
    expect(await foundAfter(trace, ({ synced }) => synced, count)).toBe(count)
    // Without its last syncs the same trace loses writes, so the proof above is one.
    const calls = trace.split('\n')
    const syncs = calls.flatMap((line, index) => (/fsync|fdatasync/.test(line) ? [index] : []))
    const earlier = calls.slice(0, syncs.at(-1)).join('\n')
    expect(await foundAfter(earlier, ({ synced }) => synced, count)).toBeLessThan(count)
  },
)
