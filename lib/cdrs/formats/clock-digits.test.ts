import { expect, test } from 'vitest'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { searchedCalls, suspenseOf } from '#test/dump.ts'
import { anOperator, NOON } from '#test/mediation/csv-switch.ts'
import { anIntake, post } from '#test/mediation/intake.ts'
import { cdrsIn, foundIn, parserFor } from '#test/mediation/switch-documents.ts'
import { describedBy } from '#tools/commands/ingest/switch-options.ts'
import { retrySuspense } from '#tools/commands/suspense/suspense.ts'

const read = parserFor({ format: 'csv', source: 'pbx', zone: 'UTC' })

const documentOf = (lengths: readonly string[], heading = 'duration') =>
  `${heading},start,dst\n${lengths.map((length) => `${length},2026-11-20 10:00:00,442079460000\n`).join('')}`

const mapping = { billsec: 'duration', duration: '' }

test.each([
  ['ESI IVX, HHMMSS', ['000123', '000059', '010000', '001500'], 'hhmmss', [83, 59, 3600, 900]],
  ['an unanswered call', ['000000', '000123'], 'hhmmss', [0, 83]],
  ['hours and minutes', ['0130', '0000', '1015'], 'hhmm', [5400, 0, 36_900]],
  ['minutes and seconds', ['0115', '1015'], 'mmss', [75, 615]],
  ['seconds filled with zeros', ['000123', '000059'], 's', [123, 59]],
] as const)('%s: the length is asked, and read as declared', (_name, values, lengths, seconds) => {
  const document = documentOf(values)
  const asked = foundIn(read(document, { mapping }))

  expect(asked).toHaveLength(values.length)
  expect(asked).toMatchObject(
    values.map(() => ({
      reason: 'unreadable',
      detail: expect.stringMatching(
        /^the lengths in the column "duration" may be digits of a clock .*--length-format/,
      ),
    })),
  )
  expect(cdrsIn(read(document, { mapping, lengths })).map(({ billsec }) => billsec)).toEqual(seconds)
  const declared = { billsec: `duration:${lengths}`, duration: '' }
  expect(cdrsIn(read(document, { mapping: declared })).map(({ billsec }) => billsec)).toEqual(seconds)
})

test.each([
  [['000061', '000059'], [61, 59], 'a second pair above 59'],
  [['0123', '61'], [123, 61], 'several numbers of digits'],
  [['1015', '1200'], [1015, 1200], 'no value begins with 0'],
  [['000059', '000000'], [59, 0], 'both readings are the same'],
  [['01234'], [1234], 'five digits'],
  [['00:01:23', '0:59'], [83, 59], 'colons'],
] as const)('%j are %j: %s', (values, seconds, _why) => {
  expect(cdrsIn(read(documentOf(values), { mapping })).map(({ billsec }) => billsec)).toEqual(seconds)
})

/** Vertical Wave (installation guide, page 860): Excel strips leading zeros, 102 is a minute and two seconds. */
const WAVE = ['102', '20102', ...Array.from({ length: 20 }, (_, index) => String(130 + index))]

test.each([
  ['a bill of minutes with decimals', ['1.5', '0.75', '12', '3.2'], 'min', [90, 45, 720, 192]],
  ['a German spreadsheet: points of thousands', ['61', '1.234', '0'], 's', [61, 2, 0]],
  ['digits of a clock without leading zeros', WAVE, 'hhmmss', [62, 7262]],
] as const)('%s: the length is asked', (_name, values, lengths, seconds) => {
  const document = documentOf(values)
  const asked = foundIn(read(document, { mapping }))
  const detail = expect.stringMatching(/^the lengths in the column "duration" may be .*--length-format/)
  expect(asked).toMatchObject(values.map(() => ({ reason: 'unreadable', detail })))

  const cdrs = cdrsIn(read(document, { mapping, lengths }))
  expect(cdrs.slice(0, seconds.length).map(({ billsec }) => billsec)).toEqual(seconds)
})

test.each([
  [['136.298', '61.5', '0.45', '7.25'], [137, 62, 1, 8], 'a length of a hundred, or with three decimals'],
  [['61.00', '12.00', '5.00', '7'], [61, 12, 5, 7], 'no fraction'],
  [['1.5', '0.75'], [2, 1], 'too few to tell'],
  [['61.234', '1.234', '0'], [62, 2, 0], 'all with three decimals'],
  [['102', '160', ...WAVE], [102, 160, 102], 'a second pair above 59'],
] as const)('%j are %j: %s', (values, seconds, _why) => {
  const cdrs = cdrsIn(read(documentOf(values), { mapping }))
  expect(cdrs.slice(0, seconds.length).map(({ billsec }) => billsec)).toEqual(seconds)
})

test('a heading that says its unit is not asked about', () => {
  const document = documentOf(['000123'], 'Duration (sec)')
  expect(cdrsIn(read(document, { mapping: { billsec: 'Duration (sec)' } }))).toMatchObject([{ billsec: 123 }])
})

test('what a switch posts is suspended, and stays so when retried, until its lengths are declared', async () => {
  const world = await anOperator()
  const authorization = await anIntake(world, 'pbx', { map: 'billsec=duration\nduration=' })
  const row = (id: string, length: string) => `${id},2026-03-10 11:00:00,12025550171,${length},bob\n`
  const header = 'uniqueid,start,dst,duration,account_code\n'
  const body = `${header}${row('a', '0123')}${row('b', '1130')}`

  await post(world, 'csv', { body, headers: { authorization } })
  expect(await suspenseOf(world)).toHaveLength(2)
  const mediation = () => openMediation(world.store, NOON)
  expect(await retrySuspense(await mediation(), {})).toBe('0 CDRs stored, 2 still suspended')
  expect(await retrySuspense(await mediation(), {}, describedBy({ lengthFormat: 'MMSS' }))).toBe(
    '2 CDRs stored, 0 still suspended',
  )
  expect((await searchedCalls(world)).map(({ uniqueid, billsec }) => [uniqueid, billsec]).sort()).toEqual([
    ['a', 83],
    ['b', 690],
  ])

  const declared = await anIntake(world, 'pbx2', {
    map: ['billsec=duration', 'duration='].join('\n'),
    lengthFormat: 'hhmm',
  })
  await post(world, 'csv', { body: `${header}${row('c', '0001')}`, headers: { authorization: declared } })
  expect(await searchedCalls(world)).toContainEqual(expect.objectContaining({ uniqueid: 'c', billsec: 60 }))
})

test('JSON asks about texts of clock digits, too', () => {
  const text = '{"start":"2026-11-20 10:00:00","dst":"442079460000","duration":"000123"}'
  expect(foundIn(read(text, { format: 'json', mapping }))).toMatchObject([
    { reason: 'unreadable', detail: expect.stringContaining('may be digits of a clock (000123)') },
  ])
  expect(cdrsIn(read(text, { format: 'json', mapping, lengths: 'hhmmss' }))).toMatchObject([{ billsec: 83 }])
})
