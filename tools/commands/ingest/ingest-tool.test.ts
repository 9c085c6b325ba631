import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { type MediationContext, openMediation } from '#lib/cdrs/mediation.ts'
import { dropSuspendedCdrs, retrySuspendedCdrs } from '#lib/cdrs/pipeline/suspense-acts.ts'
import { suspenseOf } from '#test/dump.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { linesOfList } from '#test/listed.ts'
import { anOperator, csv } from '#test/mediation/csv-switch.ts'
import { aWorld } from '#test/world.ts'
import { carryOutAs, outcomeLine } from '../../command-line/act-commands.ts'
import { listSuspendedRows, retryAfterImport, retrySuspense, showSuspended } from '../suspense/suspense.ts'
import { ingestFiles } from './ingest-tool.ts'
import { describedBy } from './switch-options.ts'

const listedSuspense = async (
  ...[mediation, filter]: Parameters<typeof listSuspendedRows>
): Promise<string[]> => linesOfList(await listSuspendedRows(mediation, filter))

const drop = async ({ store, now }: MediationContext, given: GivenTexts) =>
  outcomeLine(await carryOutAs(store, dropSuspendedCdrs, { as: undefined, now: new Date(now * 1000) }, given))

const always = (mediation: MediationContext) => async () => mediation

async function aMediation() {
  const world = await aWorld({ users: people, devices: exampleDevices })
  return openMediation(world.store, world.now)
}

const master = { format: 'asterisk-csv', source: 'pbx1' }

test('files are reported one by one; suspended CDRs are listed, shown, retried and dropped', async () => {
  const mediation = await aMediation()

  expect(
    await Array.fromAsync(
      ingestFiles(always(mediation), master, ['data/switches/freeswitch.csv', 'data/switches/Master.csv']),
    ),
  ).toEqual([
    'data/switches/freeswitch.csv: 0 stored, 0 duplicates, 4 suspended (npx tollgate suspense list)',
    '  4 unreadable: it has 17 columns, expected 16: add --master loguniqueid',
    'data/switches/Master.csv: 0 stored, 0 duplicates, 8 suspended (npx tollgate suspense list), 4 skipped',
    '  2 unknown_account: no account or device is "2023"',
    '  1 unknown_account: no account or device is "2020"',
    '  1 unknown_account: no account or device is "2021"',
    '  and 4 other reasons',
  ])
  const filter = { reason: 'unreadable', from: '2026-03-10', till: '2026-03-10', source: 'pbx1' }
  const listed = await listedSuspense(mediation, filter)
  expect(listed.at(-1)).toBe('4 CDRs suspended; times in UTC')
  const [id = ''] = listed[1]?.split('  ') ?? []
  expect(listed[0]).toMatch(/^id +age +switch +reason +call start +calling number +called number +detail$/)
  expect(listed[1]?.split(/ {2,}/)).toEqual([
    id,
    '0 hours',
    'pbx1',
    'unreadable',
    'it has 17 columns, expected 16: add --master loguniqueid',
  ])
  const { lines, json } = await showSuspended(mediation, id)
  expect(lines.slice(0, 2)).toEqual([
    'unreadable: it has 17 columns, expected 16: add --master loguniqueid',
    'from pbx1 as asterisk-csv, 0 hours old, tried 1 time',
  ])
  expect(json).toEqual({
    id,
    reason: 'unreadable',
    detail: 'it has 17 columns, expected 16: add --master loguniqueid',
    switch: 'pbx1',
    format: 'asterisk-csv',
    age: '0 hours',
    tries: 1,
    object: undefined,
    text: lines[2],
  })
  expect(await retrySuspense(mediation, {})).toBe('0 CDRs stored, 12 still suspended')
  await expect(drop(mediation, { id })).rejects.toThrow('drop {"count":1}')
  expect(await drop(mediation, { id, yes: 'yes' })).toBe(`Dropped the suspended CDR ${id} (unreadable)`)
  expect((await listedSuspense(mediation, {})).at(-1)).toBe('11 CDRs suspended; times in UTC')
  expect((await listedSuspense(mediation, { from: '2026-03-11' })).at(-1)).toBe('0 CDRs suspended')
  const backwards = listedSuspense(mediation, { from: '2026-03-11', till: '2026-03-10' })
  await expect(backwards).rejects.toThrow('days_reversed {"from":"2026-03-11"')
})

test('answered calls without a price are counted', async () => {
  const world = await anOperator()
  await world.set({ Feature_Codes: String.raw`\*97` })
  const dialled = ['s', '*98', '3500', '*97', '112', '12025550171']
  const text = csv(dialled.map((dst) => ({ dst, uniqueid: dst })))
  const path = join(mkdtempSync(join(tmpdir(), 'unpriced-')), 'calls.csv')
  writeFileSync(path, `${text}\n`)
  const open = () => openMediation(world.store, world.now)

  expect(await Array.fromAsync(ingestFiles(open, { format: 'csv', source: 'gw' }, [path]))).toEqual([
    `${path}: 6 stored, 0 duplicates`,
    '  3 answered calls without a price: 2 feature_code, 1 short_number (npx tollgate report free-calls)',
  ])
})

test('a file whose first 20 CDRs are unreadable is refused before any is suspended', async () => {
  const mediation = await aMediation()
  const options = { format: 'freeswitch-json', source: 'fs1' }
  const files = ['README.md']

  await expect(Array.fromAsync(ingestFiles(always(mediation), options, files))).rejects.toThrow(
    /^README\.md: none of its first 20 CDRs can be read as freeswitch-json \(.+\): .* pass --force to suspend them$/,
  )
  expect(await listedSuspense(mediation, {})).toEqual(['0 CDRs suspended'])

  await Array.fromAsync(ingestFiles(always(mediation), { ...options, force: true }, files))
  expect((await listedSuspense(mediation, {})).length).toBeGreaterThan(20)
})

test('the CDRs of a second file come after those of the first one', async () => {
  const world = await aWorld()
  const open = () => {
    world.now = new Date(world.now.getTime() + 1)
    return openMediation(world.store, world.now)
  }
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-ingest-'))
  const numbers = ['37060000001', '37060000002', '37060000003', '37060000004', '37060000005']
  const paths = numbers.map((src) => join(folder, src))
  for (const [index, src] of numbers.entries()) writeFileSync(paths[index] ?? '', `${csv([{ src }])}\n`)

  await Array.fromAsync(ingestFiles(open, { format: 'csv', source: 'gw' }, paths))

  expect((await suspenseOf(world)).map(({ src }) => src)).toEqual(numbers)
})

test('CDRs that were suspended with the wrong columns are retried with the right ones', async () => {
  const mediation = await aMediation()
  await Array.fromAsync(
    ingestFiles(always(mediation), { ...master, master: 'loguniqueid' }, ['data/switches/Master.csv']),
  )
  const listed = async () => (await listedSuspense(mediation, {})).join('\n')
  expect(await listed()).toContain('it has 16 columns, expected 17')

  expect(await retrySuspense(mediation, { source: 'pbx2' }, describedBy({ master: '' }))).toBe(
    '0 CDRs stored, 0 still suspended',
  )
  const act = { as: undefined, now: new Date(mediation.now * 1000) }
  await expect(carryOutAs(mediation.store, retrySuspendedCdrs, act, { master: 'nothing' })).rejects.toThrow(
    'wrong_value {"value":"nothing"',
  )
  await retrySuspense(mediation, {}, describedBy({ master: '' }))

  expect(await listed()).not.toContain('columns')
  expect(await listed()).toContain('unknown_account')
})

test('all CDRs of a switch or of an account are listed, and dropped if that is agreed to', async () => {
  const mediation = await aMediation()
  await Array.fromAsync(ingestFiles(always(mediation), master, ['data/switches/Master.csv']))
  const all = await listedSuspense(mediation, {})
  const ofBakery = await listedSuspense(mediation, { account: '2020' })

  expect(all).toEqual(expect.arrayContaining(ofBakery.slice(0, -1)))
  expect(ofBakery.length).toBeGreaterThan(1)
  expect(ofBakery.length).toBeLessThan(all.length)
  expect(await listedSuspense(mediation, { account: 'bob' })).toEqual(['0 CDRs suspended'])
  await expect(drop(mediation, {})).rejects.toThrow('nothing_selected')
  await expect(drop(mediation, { account: '2020' })).rejects.toThrow('drop {"count":1}')
  expect(await drop(mediation, { account: '2020', yes: 'yes' })).toBe('Dropped 1 suspended CDR')
  expect(await drop(mediation, { source: 'pbx2', yes: 'yes' })).toBe('Nothing has changed')
  expect(await listedSuspense(mediation, {})).toHaveLength(all.length - ofBakery.length + 2)
})

test('an import reports a retry, and nothing if there was no CDR to retry', async () => {
  const mediation = await aMediation()
  const now = new Date('2026-03-10T12:00:00Z')
  expect(await retryAfterImport(mediation.store, ['users'], now)).toBeUndefined()

  await Array.fromAsync(ingestFiles(always(mediation), master, ['data/switches/Master.csv']))
  expect(await retryAfterImport(mediation.store, ['lcrs', 'calls'], now)).toBeUndefined()
  expect(await retryAfterImport(mediation.store, ['users'], now)).toBe(
    'suspense: 0 CDRs stored, 8 still suspended',
  )
})

test.each([
  [{ ...master, format: 'cdr' }, 'The format cdr is unknown: use one of freeswitch-json,'],
  [{ ...master, source: undefined }, '--source "" is missing or malformed'],
  [{ ...master, source: 'a b' }, '--source "a b" is missing or malformed'],
  [{ ...master, zone: 'Mars/Olympus' }, 'wrong_value {"value":"Mars/Olympus"'],
])('%j is refused with a reason', async (options, words) => {
  const mediation = await aMediation()

  await expect(
    Array.fromAsync(ingestFiles(always(mediation), options, ['data/switches/Master.csv'])),
  ).rejects.toThrow(words)
})

test.each([
  [
    'no file',
    () =>
      aMediation().then((mediation) => Array.fromAsync(ingestFiles(always(mediation), master, ['none.csv']))),
    'There is no file none.csv',
  ],
  [
    'no suspended CDR',
    () => aMediation().then((mediation) => showSuspended(mediation, '0'.repeat(24))),
    'unknown_name {"noun":"suspended CDR","name":"000',
  ],
])('there is %s', async (_case, work, words) => {
  await expect(work()).rejects.toThrow(words)
})

function aFile(bytes: string | Buffer): string {
  const path = join(mkdtempSync(join(tmpdir(), 'tollgate-ingest-')), 'cdr.csv')
  writeFileSync(path, bytes)
  return path
}

const ROWS = `Id;start;dst;billsec;sip_status;Direction;account_code
1;2026-03-10 10:00:00;12025550171;0;200;outbound;bob
2;2026-03-10 10:00:00;12025550171;60;200;inbound;nobody
`

test('answered calls of no length, and a column of legs, are told below the counts', async () => {
  const mediation = await aMediation()
  const file = aFile(ROWS)
  const gateway = { format: 'csv', source: 'gw' }
  const lines = await Array.fromAsync(ingestFiles(always(mediation), gateway, [file]))

  expect(lines.slice(1)).toEqual([
    '  1 unknown_account: no account or device is "nobody"',
    '  1 answered call of 0 seconds',
    '  the column Direction has "outbound", "inbound": if a call has a row for each, choose the rows to bill, such as --where Direction=outbound',
  ])
  const chosen = { ...gateway, where: ['Direction=inbound'] }
  expect(await Array.fromAsync(ingestFiles(always(mediation), chosen, [file]))).toEqual([
    `${file}: 0 stored, 0 duplicates, 1 suspended (npx tollgate suspense list), 1 skipped`,
    '  1 unknown_account: no account or device is "nobody"',
  ])
})

test.each([
  ['UTF-16', Buffer.from(`\ufeff${ROWS}`, 'utf16le')],
  ['Windows-1252', Buffer.from(ROWS.replace('nobody', 'Zürich'), 'latin1')],
])('a file in %s is read', async (_encoding, bytes) => {
  const mediation = await aMediation()
  const [counts] = await Array.fromAsync(
    ingestFiles(always(mediation), { format: 'csv', source: 'gw' }, [aFile(bytes)]),
  )
  expect(counts).toContain('1 stored, 0 duplicates, 1 suspended')
})

const HALF_ROWS = csv([{ uniqueid: 'h-1' }, { uniqueid: 'h-2' }])

test.each([
  ['csv', HALF_ROWS, 1],
  ['csv', HALF_ROWS.replaceAll('\n', '\r'), 1],
  ['kamailio-json', '{"callid":"a","method":"INV', 0],
] as const)(
  '%s: a last line that the switch may still be writing is held back: %j',
  async (format, text, stored) => {
    const world = await anOperator()
    const path = join(mkdtempSync(join(tmpdir(), 'growing-')), 'calls')
    writeFileSync(path, text)
    const open = () => openMediation(world.store, world.now)
    const ingested = (more = {}) =>
      Array.fromAsync(ingestFiles(open, { format, source: 'gw', ...more }, [path]))

    expect(await ingested()).toEqual([
      `${path}: ${stored} stored, 0 duplicates`,
      '  the last line has no line end yet and is held back: mediate the file again when it is written, or pass --complete',
    ])
    const minuteAgo = Date.now() / 1000 - 61
    utimesSync(path, minuteAgo, minuteAgo)
    expect((await ingested({ force: true })).at(-1)).toContain('the last line has no line end: if the switch')
  },
)

test('--complete mediates a last line without a line end at once', async () => {
  const world = await anOperator()
  const path = join(mkdtempSync(join(tmpdir(), 'complete-')), 'calls.csv')
  writeFileSync(path, HALF_ROWS)
  const open = () => openMediation(world.store, world.now)

  expect(
    await Array.fromAsync(ingestFiles(open, { format: 'csv', source: 'gw', complete: true }, [path])),
  ).toEqual([`${path}: 2 stored, 0 duplicates`])
})

test('a new source without unique ids beside a switch without them is asked about, others are not', async () => {
  const world = await anOperator()
  const folder = mkdtempSync(join(tmpdir(), 'sources-'))
  const ingest = (source: string, uniqueid: string, yes?: true) => {
    const path = join(folder, source)
    const [heading, id] = uniqueid === '' ? ['', ''] : ['uniqueid,', `${uniqueid},`]
    writeFileSync(path, `${heading}start,dst,billsec,account_code\n${id}${start},12025550171,61,bob\n`)
    start += 60
    const options = { format: 'csv', source, ...(yes && { yes }) }
    return Array.fromAsync(ingestFiles(async () => openMediation(world.store, world.now), options, [path]))
  }
  let start = world.now.getTime() / 1000 - 3600
  const stored = [expect.stringContaining('1 stored')]

  expect(await ingest('first', '')).toEqual(stored)
  expect(await ingest('with-ids', 'a')).toEqual(stored)
  await expect(ingest('second', '')).rejects.toThrow(
    /^first sends CDRs without a unique id: if second is the same switch, .*: pass --yes$/,
  )
  expect(await ingest('second', '', true)).toEqual(stored)
  expect(await ingest('second', '')).toEqual(stored)
})
