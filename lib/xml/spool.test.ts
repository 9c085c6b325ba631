import { mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import type { CountedMarkup, CountedRows } from './spool.ts'

/** A temporary directory of its own: other tests spool, too. */
const temporary = await mkdtemp(join(tmpdir(), 'tollgate-spool-test-'))
vi.stubEnv('TMPDIR', temporary)
const anew = './spool.ts?anew'
const { countRows }: typeof import('./spool.ts') = await import(anew)

const folder = join(temporary, 'tollgate-spool')

afterEach(() => rm(folder, { recursive: true, force: true }))

async function* batches(count: number, size: number): AsyncGenerator<CountedMarkup> {
  for (let n = 0; n < count; n += 1) yield { markup: `<é>${n}${'x'.repeat(size)}</é>`, count: 2 }
}

const tooLong = () => new Error('too long')

const joined = async (rows: CountedRows['rows'] | AsyncGenerator<CountedMarkup>) => {
  let text = ''
  for await (const { markup } of ('batches' in rows ? rows.batches : rows) as AsyncIterable<CountedMarkup>)
    text += markup
  return text
}

const discard = ({ rows }: CountedRows) => 'discard' in rows && rows.discard?.()

/** `undefined` for rows in memory. */
const bytesOf = ({ rows }: CountedRows) => ('expectedBytes' in rows ? rows.expectedBytes : undefined)

/** Reads the rows as an answer does, and returns their markup. */
async function answered(counted: CountedRows): Promise<string> {
  const text = await joined(counted.rows)
  discard(counted)
  await expect.poll(spooledFiles).toEqual([])
  return text
}

const spooledFiles = (): Promise<string[]> => readdir(folder).catch(() => [])

test.each([
  ['in memory', 3, 10],
  ['on disk', 300, 20_000],
])('rows %s are counted and come back unchanged', async (place, count, size) => {
  const expected = await joined(batches(count, size))

  const counted = await countRows(batches(count, size), tooLong)

  expect(counted.count).toBe(2 * count)
  expect(bytesOf(counted)).toBe(place === 'on disk' ? Buffer.byteLength(expected) : undefined)
  expect(await answered(counted)).toBe(expected)
})

test('no file is left after rows are discarded, read or not, or after an error', async () => {
  async function* broken(): AsyncGenerator<CountedMarkup> {
    yield* batches(300, 20_000)
    throw new Error('the table is gone')
  }

  const [read, unread] = [
    await countRows(batches(300, 20_000), tooLong),
    await countRows(batches(300, 20_000), tooLong),
  ]
  await joined(read.rows)
  for (const one of [read, unread]) discard(one)
  await expect(countRows(broken(), tooLong)).rejects.toThrow('the table is gone')

  await expect.poll(spooledFiles).toEqual([])
})

const deleteSpooledFiles = async (): Promise<void> => {
  for (const name of await spooledFiles()) await rm(join(folder, name))
}

test('rows come back as a whole if another process deletes their file meanwhile', async () => {
  const counted = await countRows(batches(300, 20_000), tooLong)
  async function* deletedMeanwhile() {
    for await (const rows of 'batches' in counted.rows ? counted.rows.batches : []) {
      await deleteSpooledFiles()
      yield rows as CountedMarkup
    }
  }

  expect(await joined(deletedMeanwhile())).toBe(await joined(batches(300, 20_000)))
})

test('an error is told although another process has deleted the file', async () => {
  async function* broken(): AsyncGenerator<CountedMarkup> {
    yield* batches(300, 20_000)
    await deleteSpooledFiles()
    throw new Error('the table is gone')
  }

  await expect(countRows(broken(), tooLong)).rejects.toThrow('the table is gone')
})

test('a file that is gone after the folder was listed holds nothing up', async () => {
  await mkdir(folder, { recursive: true })
  await symlink(join(folder, 'gone'), join(folder, 'listed'))

  expect((await countRows(batches(300, 20_000), tooLong)).count).toBe(600)
})

test('an empty list has no rows', async () => {
  const { count, rows } = await countRows(batches(0, 0), tooLong)

  expect([count, await joined(rows)]).toEqual([0, ''])
})

test('a million bytes stay in memory, and one more goes to disk, for this user only', async () => {
  const rowsOf = (bytes: number) => batches(1, bytes - '<é>0</é>'.length - 2)
  const inMemory = await countRows(rowsOf(1_000_000), tooLong)
  expect([Buffer.byteLength(await joined(inMemory.rows)), await spooledFiles()]).toEqual([1_000_000, []])

  const onDisk = await countRows(rowsOf(1_000_001), tooLong)
  const [name = ''] = await spooledFiles()
  const { mode, size } = await stat(join(folder, name))
  expect([(mode & 0o777).toString(8), ((await stat(folder)).mode & 0o777).toString(8)]).toEqual([
    '600',
    '700',
  ])
  expect(size).toBeLessThan(100_000)
  await answered(onDisk)
})

test('batches without rows are neither counted nor kept', async () => {
  async function* withEmpty(): AsyncGenerator<CountedMarkup> {
    yield { markup: 'none', count: 0 }
    yield { markup: '<a/>', count: 1 }
  }

  const { count, rows } = await countRows(withEmpty(), tooLong)

  expect([count, await joined(rows)]).toEqual([1, '<a/>'])
})

test('files that no answer can still be reading are deleted', async () => {
  await mkdir(folder, { recursive: true })
  const [old, recent] = [join(folder, 'old'), join(folder, 'recent')]
  const secondsAgo = async (path: string, seconds: number) => {
    await writeFile(path, '')
    await utimes(path, Date.now() / 1000, Date.now() / 1000 - seconds)
  }
  await secondsAgo(old, 15 * 60 + 60)
  await secondsAgo(recent, 15 * 60 - 60)

  await countRows(batches(300, 20_000), tooLong)

  expect(await stat(old).catch(() => 'deleted')).toBe('deleted')
  expect(await stat(recent)).toBeDefined()
})
