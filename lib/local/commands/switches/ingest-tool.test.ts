import { expect, test } from 'vitest'
import { openIntakeWorld } from '#lib/ingest/switches/intake-world.ts'
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
  return openIntakeWorld(world.store, world.now)
}

const master = { format: 'asterisk-csv', source: 'pbx1' }

test('files are told about one by one; what nobody made is listed, shown, tried again and dropped', async () => {
  const intake = await anIntake()

  expect(
    await linesOf(ingestFiles(intake, master, ['data/switches/freeswitch.csv', 'data/switches/Master.csv'])),
  ).toEqual([
    'data/switches/freeswitch.csv: 0 stored, 0 known already, 4 in suspense (npm run suspense -- list)',
    'data/switches/Master.csv: 0 stored, 0 known already, 12 in suspense (npm run suspense -- list)',
  ])
  const filter = { reason: 'not of its format', from: '2026-03-10', till: '2026-03-10', source: 'pbx1' }
  const listed = await linesOf(describeSuspense(intake, filter))
  expect(listed.at(-1)).toBe('4 in suspense')
  const [id = ''] = listed[0]?.split('  ') ?? []
  expect(listed[0]).toBe(`${id}  0 hours  pbx1  not of its format: it has 15 columns, not 16`)
  expect((await showSuspended(intake, id)).slice(0, 2)).toEqual([
    'not of its format: it has 15 columns, not 16',
    'from pbx1 as asterisk-csv, 0 hours old, tried 1 times',
  ])
  expect(await retrySuspense(intake, {})).toBe('0 left suspense, 16 stay')
  expect(await dropSuspended(intake, id)).toContain(`Dropped ${id}`)
  expect((await linesOf(describeSuspense(intake, {}))).at(-1)).toBe('15 in suspense')
  expect((await linesOf(describeSuspense(intake, { from: '2026-03-11' }))).at(-1)).toBe('0 in suspense')
  const backwards = describeSuspense(intake, { from: '2026-03-11', till: '2026-03-10' })
  await expect(linesOf(backwards)).rejects.toThrow('--from comes after --till')
})

test('records that came with the wrong columns are cured when the right ones are said', async () => {
  const intake = await anIntake()
  await linesOf(ingestFiles(intake, { ...master, master: 'loguniqueid' }, ['data/switches/Master.csv']))
  const listed = async () => (await linesOf(describeSuspense(intake, {}))).join('\n')
  expect(await listed()).toContain('it has 16 columns, not 17')

  expect(await retrySuspense(intake, { source: 'pbx2' }, { master: '' })).toBe('0 left suspense, 0 stay')
  await expect(retrySuspense(intake, {}, { master: 'nothing' })).rejects.toThrow('--master takes')
  await retrySuspense(intake, {}, { master: '' })

  expect(await listed()).not.toContain('columns')
  expect(await listed()).toContain('nobody’s call')
})

test('all records of a switch or of an account are listed, and dropped by whoever agrees', async () => {
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
  expect(await linesOf(describeSuspense(intake, { account: 'bob' }))).toEqual(['0 in suspense'])
  await expect(dropAll(intake, { account: '2020' }, answering(false))).rejects.toThrow('--yes')
  expect(await dropAll(intake, { account: '2020' }, answering(true))).toBe(`Dropped ${ofBakery.length - 1}`)
  expect(await dropAll(intake, { source: 'pbx2' }, answering(true))).toBe('Nothing in suspense is meant')
  expect(asked).toEqual([ofBakery.length - 1, ofBakery.length - 1])
  expect(await linesOf(describeSuspense(intake, {}))).toHaveLength(all.length - ofBakery.length + 1)
})

test('an import that cures a record says so, and says nothing when there was none', async () => {
  const intake = await anIntake()
  const now = new Date('2026-03-10T12:00:00Z')
  expect(await retryAfterImport(intake.store, ['users'], now)).toBeUndefined()

  await linesOf(ingestFiles(intake, master, ['data/switches/Master.csv']))
  expect(await retryAfterImport(intake.store, ['lcrs', 'calls'], now)).toBeUndefined()
  expect(await retryAfterImport(intake.store, ['users'], now)).toBe('suspense: 0 left suspense, 12 stay')
})

test.each([
  [{ ...master, format: 'cdr' }, 'There is no format cdr: there are freeswitch-json,'],
  [{ ...master, source: undefined }, 'Say which switch it is: --source NAME'],
  [{ ...master, source: 'a b' }, 'Say which switch it is: --source NAME'],
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
    'There is no record 000',
  ],
  [
    'no day',
    () => anIntake().then((intake) => linesOf(describeSuspense(intake, { from: 'today' }))),
    'today is not a day',
  ],
])('there is %s', async (_case, work, words) => {
  await expect(work()).rejects.toThrow(words)
})
