import { expect, test } from 'vitest'
import { searchedCalls, suspenseOf } from '#test/dump.ts'
import { anOperator } from '#test/mediation/csv-switch.ts'
import { anIntake, post } from '#test/mediation/intake.ts'
import { cdrsIn, foundIn, parserFor, textsIn, utc } from '#test/mediation/switch-documents.ts'

const read = parserFor({ format: 'csv', source: 'gw', zone: 'Europe/Madrid' })

test.each([
  ['duration_ms', '61000', 61],
  ['duration_ms', '9500', 10],
  ['Duration (min)', '1.5', 90],
  ['Duration (min)', '12', 720],
  ['Duration (min)', '0:12', 12],
  ['Billed Minutes', '1.0167', 61],
  ['Duration (secs)', '321', 321],
  ['Duration (seconds)', '70', 70],
  ['BillDuration', '30', 30],
  ['billing_seconds', '12', 12],
  ['aSeconds', '17', 17],
  ['Talk Time (h:mm:ss)', '0:01:30', 90],
  ['duration us', '61000000', 61],
])('a length of %s under which %s stands is %i s', (heading, text, billsec) => {
  const document = `when,${heading}\n2026-11-20 10:00:00,${text}\n`
  const mapping = { start: 'when', billsec: heading }
  expect(cdrsIn(read(document, { mapping }))).toMatchObject([{ billsec }])
})

test('an unknown unit is refused with its column, until the mapping declares it', () => {
  const document = 'start,Duration (ticks)\n2026-11-20 10:00:00,61000\n'
  const refused = read(document, { mapping: { billsec: 'Duration (ticks)' } })
  expect(foundIn(refused)).toEqual([
    {
      kind: 'problem',
      reason: 'unreadable',
      detail:
        'the unit "ticks" of the column "Duration (ticks)" is unknown: declare it after the column, such as --map \'billsec=Duration (ticks):s\' (s, ms or min)',
    },
  ])
  const mapping = { billsec: 'Duration (ticks):ms' }
  expect(textsIn(refused).flatMap((text) => cdrsIn(read(text, { mapping })))).toMatchObject([{ billsec: 61 }])
})

test.each(['Menge', 'Einheiten', 'Cantidad', 'Quantité'])('the unit of %s is asked for', (heading) => {
  const document = `start,${heading}\n2026-11-20 10:00:00,61\n`
  expect(foundIn(read(document, { mapping: { billsec: heading } }))).toMatchObject([{ kind: 'problem' }])
})

test('the mapping declares the unit of a column whose heading says none, or another one', () => {
  const document = 'start,len\n2026-11-20 10:00:00,2\n'
  expect(cdrsIn(read(document, { mapping: { billsec: 'len:min' } }))).toMatchObject([{ billsec: 120 }])
  const minutes = 'start,Minutes\n2026-11-20 10:00:00,75\n'
  expect(cdrsIn(read(minutes, { mapping: { billsec: 'Minutes:sec' } }))).toMatchObject([{ billsec: 75 }])
  const colon = 'start,len:min\n2026-11-20 10:00:00,2\n'
  expect(cdrsIn(read(colon, { mapping: { billsec: 'len:min' } }))).toMatchObject([{ billsec: 120 }])
})

const NOON_IN_UTC = utc('2026-11-20T12:00:00')

test.each([
  ['Date/Time Start (UTC)', '2026-11-20 12:00:00'],
  ['Time Start (UTC)', '2026-11-20 12:00:00'],
  ['Start Time (GMT)', '2026-11-20 12:00:00'],
  ['Start (local)', '2026-11-20 13:00:00'],
  ['Zeit [MEZ]', '2026-11-20 13:00:00'],
  ['start_utc', '2026-11-20 12:00:00'],
  ['StartTime', '2026-11-20 13:00:00'],
  ['Start (America/New_York)', '2026-11-20 07:00:00'],
  ['Start UTC+02:00', '2026-11-20 14:00:00'],
  ['Start (UTC)', '2026-11-20 14:00:00 +02:00'],
  ['Time:America/Chicago', '2026-11-20 06:00:00'],
])('under %s, %s is noon in UTC', (heading, text) => {
  const document = `${heading},billsec\n${text},60\n`
  expect(cdrsIn(read(document, { mapping: { start: heading } }))).toMatchObject([{ start: NOON_IN_UTC }])
})

test('an unknown zone is refused with its name, until the mapping declares it', () => {
  const document = 'Start (CST),billsec\n2026-11-20 06:00:00,60\n'
  expect(foundIn(read(document, { mapping: { start: 'Start (CST)' } }))).toMatchObject([
    { detail: expect.stringContaining('the time zone "CST" of the column "Start (CST)" is unknown') },
  ])
  const mapping = { start: 'Start (CST):America/Chicago' }
  expect(cdrsIn(read(document, { mapping }))).toMatchObject([{ start: NOON_IN_UTC }])
})

test('each column of times has its own zone, and a date column may say the one of its time', () => {
  const mapping = { start: 'Start (UTC)', answer: 'Answer', end: 'Day (UTC)+Until' }
  const document =
    'Start (UTC),Answer,Day (UTC),Until\n2026-11-20 12:00:00,2026-11-20 13:00:05,2026-11-20,12:01:06\n'
  expect(cdrsIn(read(document, { mapping }))).toMatchObject([
    { start: NOON_IN_UTC, billsec: 61, duration: 66 },
  ])
})

test('of two columns of one time, the one whose zone is known counts', () => {
  const document = 'start,start_utc,billsec\n2026-11-20 15:00:00,2026-11-20 12:00:00,60\n'
  expect(cdrsIn(read(document))).toMatchObject([{ start: NOON_IN_UTC }])
  expect(cdrsIn(read(document, { mapping: { start: 'start' } }))).not.toMatchObject([{ start: NOON_IN_UTC }])
})

const TWICE =
  'Id,start,Number,Duration,Rate,Duration,Number,Rate\ns,2026-11-20 12:00:00,2010,75,1,61,4420,2\n'

test('a heading that stands twice is refused with both positions, until one is named by its own', () => {
  const mapping = { dst: 'Number', billsec: 'Duration' }
  expect(foundIn(read(TWICE, { mapping }))).toMatchObject([
    {
      detail:
        'the column "Number" occurs 2 times, as #3 and #7: name one by its position, such as --map dst=#7',
    },
  ])
  const named = { mapping: { dst: '#7', billsec: '#6:s', start: '#2' } }
  expect(cdrsIn(read(TWICE, named))).toMatchObject([{ dst: '4420', billsec: 61 }])
  expect(foundIn(read(TWICE, { ...named, where: ['Rate=2'] }))).toMatchObject([
    {
      detail: expect.stringContaining(
        '"Rate" occurs 2 times: name one by its position in --where, as #5 or #8',
      ),
    },
  ])
  expect(cdrsIn(read(TWICE, { ...named, where: ['#8=2'] }))).toHaveLength(1)
  expect(foundIn(read('start,billsec,billsec\n2026-11-20 12:00:00,1,2\n'))).toMatchObject([
    { detail: expect.stringContaining('"billsec" occurs 2 times, as #2 and #3') },
  ])
})

test('units and zones of headings hold for what a switch posts, and an unknown one is suspended', async () => {
  const world = await anOperator()
  const map = ['start=start_utc', 'billsec=duration_ms', 'account_code=account']
  const body = 'uniqueid,start_utc,dst,duration_ms,account\nu,2026-03-10 11:00:00,12025550171,61000,bob\n'
  const authorization = await anIntake(world, 'gw1', { zone: 'Europe/Madrid', map: map.join('\n') })
  await post(world, 'csv', { body, headers: { authorization } })
  expect(await searchedCalls(world)).toMatchObject([{ billsec: 61, calldate: utc('2026-03-10T11:00:00') }])

  const ticks = await anIntake(world, 'gw2', {
    map: [...map.filter((one) => !/ms$/.test(one)), 'billsec=ticks'].join('\n'),
  })
  await post(world, 'csv', {
    body: body.replace('_ms', '').replace('duration', 'ticks'),
    headers: { authorization: ticks },
  })
  expect(await suspenseOf(world)).toMatchObject([
    { reason: 'unreadable', detail: expect.stringContaining('the unit "ticks"') },
  ])
})
