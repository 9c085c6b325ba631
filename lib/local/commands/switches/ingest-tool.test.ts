import { expect, test } from 'vitest'
import { openMediation } from '#lib/mediation/mediation.ts'
import { devices, people } from '#lib/testing/examples.ts'
import { aWorld } from '#lib/testing/world.ts'
import { ingestFiles } from './ingest-tool.ts'
import {
  describeSuspense,
  dropAll,
  dropSuspended,
  retryAfterImport,
  retrySuspense,
  showSuspended,
} from './suspense-tool.ts'

async function linesOf(lines: AsyncIterable<string>): Promise<string[]> {
  const all = []
  for await (const line of lines) all.push(line)
  return all
}

async function anIntake() {
  const world = await aWorld({ users: people, devices })
  return openMediation(world.store, world.now)
}

const master = { format: 'asterisk-csv', source: 'pbx1' }

test('files are reported one by one; what cannot be stored is listed, shown, retried and dropped', async () => {
  const intake = await anIntake()

  expect(
    await linesOf(ingestFiles(intake, master, ['data/switches/freeswitch.csv', 'data/switches/Master.csv'])),
  ).toEqual([
    'data/switches/freeswitch.csv: 0 stored, 0 duplicates, 4 suspended (npm run suspense -- list)',
    'data/switches/Master.csv: 0 stored, 0 duplicates, 12 suspended (npm run suspense -- list)',
  ])
  const filter = { reason: 'not of its format', from: '2026-03-10', till: '2026-03-10', source: 'pbx1' }
  const listed = await linesOf(describeSuspense(intake, filter))
  expect(listed.at(-1)).toBe('4 suspended')
  const [id = ''] = listed[1]?.split('  ') ?? []
  expect(listed[0]).toMatch(/^id +age +switch +reason +call start +calling number +called number +detail$/)
  expect(listed[1]?.split(/ {2,}/)).toEqual([
    id,
    '0 hours',
    'pbx1',
    'unreadable',
    'it has 15 columns, expected 16',
  ])
  expect((await showSuspended(intake, id)).slice(0, 2)).toEqual([
    'unreadable: it has 15 columns, expected 16',
    'from pbx1 as asterisk-csv, 0 hours old, tried 1 times',
  ])
  expect(await retrySuspense(intake, {})).toBe('0 CDRs left suspense, 16 still suspended')
  expect(await dropSuspended(intake, id)).toContain(`Dropped ${id}`)
  expect((await linesOf(describeSuspense(intake, {}))).at(-1)).toBe('15 suspended')
  expect((await linesOf(describeSuspense(intake, { from: '2026-03-11' }))).at(-1)).toBe('0 suspended')
  const backwards = describeSuspense(intake, { from: '2026-03-11', till: '2026-03-10' })
  await expect(linesOf(backwards)).rejects.toThrow('--from comes after --till')
})

test('CDRs that came with the wrong columns are cured by the right ones', async () => {
  const intake = await anIntake()
  await linesOf(ingestFiles(intake, { ...master, master: 'loguniqueid' }, ['data/switches/Master.csv']))
  const listed = async () => (await linesOf(describeSuspense(intake, {}))).join('\n')
  expect(await listed()).toContain('it has 16 columns, expected 17')

  expect(await retrySuspense(intake, { source: 'pbx2' }, { master: '' })).toBe(
    '0 CDRs left suspense, 0 still suspended',
  )
  await expect(retrySuspense(intake, {}, { master: 'nothing' })).rejects.toThrow('--master takes')
  await retrySuspense(intake, {}, { master: '' })

  expect(await listed()).not.toContain('columns')
  expect(await listed()).toContain('unknown_account')
})

test('all CDRs of a switch or of an account are listed, and dropped once that is agreed to', async () => {
  const intake = await anIntake()
  await linesOf(ingestFiles(intake, master, ['data/switches/Master.csv']))
  const all = await linesOf(describeSuspense(intake, {}))
  const ofBakery = await linesOf(describeSuspense(intake, { account: '2020' }))
  const asked: number[] = []
  const answering = (answer: boolean) => async (count: number) => {
    asked.push(count)
    return answer
  }

  expect(all).toEqual(expect.arrayContaining(ofBakery.slice(0, -1)))
  expect(ofBakery.length).toBeGreaterThan(1)
  expect(ofBakery.length).toBeLessThan(all.length)
  expect(await linesOf(describeSuspense(intake, { account: 'bob' }))).toEqual(['0 suspended'])
  await expect(dropAll(intake, { account: '2020' }, answering(false))).rejects.toThrow('--yes')
  expect(await dropAll(intake, { account: '2020' }, answering(true))).toBe(
    `Dropped ${ofBakery.length - 2} CDRs`,
  )
  expect(await dropAll(intake, { source: 'pbx2' }, answering(true))).toBe('No suspended CDR matches')
  expect(asked).toEqual([ofBakery.length - 2, ofBakery.length - 2])
  expect(await linesOf(describeSuspense(intake, {}))).toHaveLength(all.length - ofBakery.length + 2)
})

test('an import that cures a CDR says so, and says nothing when there was none', async () => {
  const intake = await anIntake()
  const now = new Date('2026-03-10T12:00:00Z')
  expect(await retryAfterImport(intake.store, ['users'], now)).toBeUndefined()

  await linesOf(ingestFiles(intake, master, ['data/switches/Master.csv']))
  expect(await retryAfterImport(intake.store, ['lcrs', 'calls'], now)).toBeUndefined()
  expect(await retryAfterImport(intake.store, ['users'], now)).toBe(
    'suspense: 0 CDRs left suspense, 12 still suspended',
  )
})

test.each([
  [{ ...master, format: 'cdr' }, 'Unknown format cdr: use one of freeswitch-json,'],
  [{ ...master, source: undefined }, '--source NAME is missing or malformed'],
  [{ ...master, source: 'a b' }, '--source NAME is missing or malformed'],
  [{ ...master, zone: 'Mars/Olympus' }, '--zone takes the IANA name of a time zone'],
  [{ ...master, master: 'uniqueid' }, '--master takes some of loguniqueid'],
  [{ ...master, format: 'csv', map: ['colour=7'] }, '--map takes FIELD=COLUMN'],
])('%j is refused in words', async (wish, words) => {
  const intake = await anIntake()

  await expect(linesOf(ingestFiles(intake, wish, ['data/switches/Master.csv']))).rejects.toThrow(words)
})

test.each([
  [
    'no file',
    () => anIntake().then((intake) => linesOf(ingestFiles(intake, master, ['none.csv']))),
    'There is no file none.csv',
  ],
  [
    'no record',
    () => anIntake().then((intake) => showSuspended(intake, '0'.repeat(24))),
    'There is no suspended CDR 000',
  ],
  [
    'no day',
    () => anIntake().then((intake) => linesOf(describeSuspense(intake, { from: 'today' }))),
    'today is not a day',
  ],
])('there is %s', async (_case, work, words) => {
  await expect(work()).rejects.toThrow(words)
})
