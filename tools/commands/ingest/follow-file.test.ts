import {
  appendFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FormatName } from '#lib/cdrs/formats/formats.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { exampleDevices } from '#test/examples/examples.ts'
import { destinations, rate, threeTariffs } from '#test/examples/tariffs.ts'
import { aFailingClient } from '#test/faults/faulty-endpoint.ts'
import { aWorld, withClient } from '#test/world.ts'
import { followFile, mediateNewLines } from './follow-file.ts'

const operator = { ...threeTariffs, devices: exampleDevices, destinations, rates: [rate({ prefix: '44' })] }

const HEADER = 'uniqueid,start,dst,billsec,device\n'
const line = (id: string) => `${id},2026-03-10 10:00:00,442079460000,60,bobs-phone\n`

async function aFile(text: string, format: FormatName = 'csv') {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-follow-'))
  const world = await aWorld(operator)
  const path = join(folder, 'cdr.csv')
  await writeFile(path, text)
  const state = join(folder, 'state')
  const empty = { format, source: 'gw1', zone: 'UTC', text: '' }
  const mediateNew = async (store = world.store) => {
    const all = []
    const open = () => openMediation(store, world.now)
    for await (const counts of mediateNewLines({ path, state, empty, open })) all.push(counts)
    return all.reduce((sum, { stored, suspended }) => [sum[0] + stored, sum[1] + suspended] as const, [
      0, 0,
    ] as readonly [number, number])
  }
  return { world, folder, path, state, mediateNew }
}

test('existing lines and added lines are stored once', async () => {
  const { path, mediateNew } = await aFile(HEADER + line('a'))

  expect(await mediateNew()).toEqual([1, 0])
  expect(await mediateNew()).toEqual([0, 0])
  await appendFile(path, line('b') + line('c'))
  expect(await mediateNew()).toEqual([2, 0])
})

test('the header of added lines may stand below a line that names the delimiter', async () => {
  const rows = (text: string) => text.replaceAll(',', ';')
  const { path, mediateNew } = await aFile(`sep=;\n${rows(HEADER + line('a'))}`)

  expect(await mediateNew()).toEqual([1, 0])
  await appendFile(path, rows(line('b')))
  expect(await mediateNew()).toEqual([1, 0])
})

test('UTF-16 is not followed', async () => {
  const { path, world } = await aFile(HEADER)
  await writeFile(path, Buffer.from(HEADER + line('a'), 'utf16le'))
  const lines = followFile(world.store, { format: 'csv', source: 'gw1' }, path, new AbortController().signal)

  await expect(lines.next()).rejects.toThrow('is UTF-16: ingest it without --follow')
})

test('a file of another format is not followed: none of its lines is suspended', async () => {
  const { mediateNew } = await aFile('no CDR\n'.repeat(30), 'freeswitch-json')

  await expect(mediateNew()).rejects.toThrow('none of its first 20 CDRs can be read as freeswitch-json')
})

test('half a last line waits for its other half, and so does a row that ends within quotes', async () => {
  const whole = `x,2026-03-10 10:00:00,442079460000,60,"bobs-phone"\n`
  const { path, mediateNew } = await aFile(`${HEADER}${line('a')}${line('b').slice(0, 20)}`)

  expect(await mediateNew()).toEqual([1, 0])
  await appendFile(path, `${line('b').slice(20)}${whole.slice(0, -3)}\n`)
  expect(await mediateNew()).toEqual([1, 0])
  expect(await mediateNew()).toEqual([0, 0])
})

test('a renamed file is read to its end, and the new one from its beginning', async () => {
  const { path, folder, mediateNew } = await aFile(HEADER + line('a'))
  await mediateNew()

  await appendFile(path, line('b'))
  await rename(path, join(folder, 'cdr.csv.1'))
  await writeFile(path, HEADER + line('c'))

  expect(await mediateNew()).toEqual([2, 0])
  expect(await mediateNew()).toEqual([0, 0])
})

test('between the renaming and the next CDR there is no file; the renamed one is read on', async () => {
  const { path, folder, mediateNew } = await aFile(HEADER + line('a'))
  await mediateNew()

  await appendFile(path, line('b'))
  await rename(path, join(folder, 'cdr.csv.1'))
  expect(await mediateNew()).toEqual([1, 0])
  expect(await mediateNew()).toEqual([0, 0])

  await writeFile(path, HEADER + line('c'))
  expect(await mediateNew()).toEqual([1, 0])
})

test('every file that was renamed since the last run is read', async () => {
  const { path, folder, mediateNew } = await aFile(HEADER + line('a'))
  await writeFile(join(folder, 'cdr.csv.3'), HEADER + line('of long ago'))
  await utimes(join(folder, 'cdr.csv.3'), 1, 1)
  await mediateNew()

  await appendFile(path, line('b'))
  await rename(path, join(folder, 'cdr.csv.2'))
  await writeFile(join(folder, 'cdr.csv.1'), HEADER + line('c'))
  await writeFile(join(folder, 'cdr.csv.bak'), HEADER + line('a stranger'))
  await writeFile(path, HEADER + line('d'))

  expect(await mediateNew()).toEqual([3, 0])
  expect(await mediateNew()).toEqual([0, 0])
})

test('a quote that is never closed does not hold up later rows for long', async () => {
  const { path, mediateNew } = await aFile(`${HEADER}${line('a')}b,"2026-03-10\n`)
  const many = Array.from({ length: 100 }, (_, n) => line(`c${n}`))
  expect(await mediateNew()).toEqual([1, 0])

  await appendFile(path, many.join(''))

  expect(await mediateNew()).toEqual([100, 1])
})

test('a file that is truncated and grows beyond its earlier size is read from its beginning', async () => {
  const { path, mediateNew } = await aFile(HEADER + line('a'))
  await mediateNew()

  await truncate(path)
  await writeFile(path, HEADER + line('b') + line('c'))

  expect(await mediateNew()).toEqual([2, 0])
})

test('with an incomplete position the file is read again, and its CDRs are stored once', async () => {
  const { path, state, mediateNew } = await aFile(HEADER + line('a'))
  await mediateNew()

  await writeFile(state, (await readFile(state, 'utf8')).slice(0, 20))
  await appendFile(path, line('b'))

  expect(await mediateNew()).toEqual([1, 0])
})

test('a run that ends between storing and writing its position stores each CDR once', async () => {
  const { world, state, mediateNew } = await aFile(HEADER + line('a'))
  const client = await aFailingClient([...Array(29), 'answer lost'])
  await mediateNew(withClient(world, client).store).catch(() => undefined)

  await rm(state, { force: true })

  expect((await mediateNew())[1]).toBe(0)
  expect(world.meter.noted).toEqual({ calls_stored: 1 })
})

test('an unexpected error names file, byte and remedy; every earlier line is stored', async () => {
  const { world, path, mediateNew } = await aFile(HEADER + line('a'))
  await mediateNew()
  await appendFile(path, line('b'))
  const client = await aFailingClient(Array(100).fill('dropped before it arrived'))

  const failed = mediateNew(withClient(world, client).store)

  const offset = HEADER.length + line('a').length
  await expect(failed).rejects.toThrow(`${path}, from byte ${offset}: these lines cannot be mediated.`)
  await expect(failed).rejects.toThrow(`tail -c +${offset + 1} prints the rest`)
  expect(await mediateNew()).toEqual([1, 0])
})

test('a file moved to another folder ends with its broken line, and its successor is read', async () => {
  const { path, folder, mediateNew } = await aFile(HEADER + line('a'))
  await mediateNew()
  await appendFile(path, line('broken'))

  await mkdir(join(folder, 'away'))
  await rename(path, join(folder, 'away', 'cdr.csv'))
  await writeFile(path, HEADER + line('b'))

  expect(await mediateNew()).toEqual([1, 0])
})

test('lines of JSON need no header', async () => {
  const { path, mediateNew } = await aFile('{"broken"\n', 'freeswitch-json')

  expect(await mediateNew()).toEqual([0, 1])
  await appendFile(path, 'null\n')
  expect(await mediateNew()).toEqual([0, 1])
})
