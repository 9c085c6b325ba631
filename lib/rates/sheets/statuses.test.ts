import { expect, test } from 'vitest'
import { pricesOfSheet, questionsOfSheet, readSheetText } from '#test/datasets/sheets.ts'

test('closed rows end their prefixes', async () => {
  const sheet = [
    'Code;Rate;Status;Effective Date',
    '33;0.1;Rate Increase;',
    '34;;CLOSED;',
    '353,3531;0.1;code removed;2026-12-31',
    '37;closed;;',
  ].join('\n')

  expect(await pricesOfSheet(sheet)).toEqual([
    '2: 33 0.1',
    '3: 34 ends',
    '4: 353 ends 2026-12-31 00:00:00',
    '4: 3531 ends 2026-12-31 00:00:00',
    '5: 37 ends',
  ])
  expect((await readSheetText(sheet)).hasStatus).toBe(true)
})

test('rows are blocked by their status, by a word instead of a rate, or by the rate -1', async () => {
  const sheet = [
    'Code;Rate;Status',
    '33;0.1;Blocked',
    '34;BLOCKED;',
    '35;-1;',
    '36;-1.0000;unchanged',
    '37;-2;',
    '38;0.1;blocked and closed',
  ].join('\n')

  expect(await pricesOfSheet(sheet)).toEqual([
    '2: 33 -1',
    '3: 34 -1',
    '4: 35 -1',
    '5: 36 -1',
    '6: Rate: "-2" is not a price with a decimal point such as 0.0125',
    '7: 38 ends',
  ])
})

test('asks for the meaning of an unknown status, and uses the answer', async () => {
  const sheet = 'Code;Rate;Status\n33;0.1;X\n34;0.1;new'

  expect(await questionsOfSheet(sheet)).toEqual(['statuses: kept or ended or blocked'])
  expect(await pricesOfSheet(sheet, { statuses: { x: 'ended' } })).toEqual(['2: 33 ends', '3: 34 0.1'])
})

test.each([['Comments'], ['Remarks'], ['Notes'], ['Flag'], ['State'], ['Code Change'], ['Note'], ['Info']])(
  'a status that stands alone under %s ends or blocks its rates',
  async (heading) => {
    const sheet = [
      `Code;Rate;Rate Change;${heading}`,
      '33;0.1;increase;',
      '34;0.1;same;Blocked',
      '35;0.1;;Discontinued',
      '36;0.1;;Code deleted.',
      '37;0.1;new;CLOSED',
      '38;0.1;;NY',
    ].join('\n')

    expect(await pricesOfSheet(sheet)).toEqual([
      '2: 33 0.1',
      '3: 34 -1',
      '4: 35 ends',
      '5: 36 ends',
      '6: 37 ends',
      '7: 38 0.1',
    ])
  },
)

test.each([
  ['Comments', 'will be closed on request'],
  ['Comments', 'not blocked'],
  ['Remarks', 'Suspended'],
  ['Whatever', 'Blocked'],
  ['', 'Deleted'],
  ['Availability', 'Not available'],
  ['Comment', 'Do not send traffic'],
  ['Info', 'currently out of service'],
  ['Note', 'not in service'],
  ['Comments', '+0.05 connection fee'],
  ['Remarks', 'Min. 60 sec'],
  ['Notes', 'Rate valid until 2026-12-31'],
])('asks about %s: %s', async (heading, remark) => {
  const sheet = `Code;Rate;${heading}\n33;0.1;${remark}\n34;0.2;`

  expect(await questionsOfSheet(sheet)).toEqual(['statuses: kept or ended or blocked'])
  expect(await pricesOfSheet(sheet, { statuses: { [remark.toUpperCase()]: 'blocked' } })).toEqual([
    '2: 33 -1',
    '3: 34 0.2',
  ])
})

test('yes under a heading that is a status is that status', async () => {
  expect(await pricesOfSheet('Code;Rate;Discontinued\n33;0.1;N\n34;0.1;Y')).toEqual([
    '2: 33 0.1',
    '3: 34 ends',
  ])
})

test('a closed row with an end ends then', async () => {
  expect(
    await pricesOfSheet('Code;Rate;Status;From;Valid To\n33;0.1;closed;2026-01-01;2026-03-31', {
      columns: { effective_from: 'From' },
      after_end: 'fallback',
    }),
  ).toEqual(['2: 33 ends 2026-04-01 00:00:00'])
})

test.each([
  ['Forbidden', 'Y', 'N'],
  ['reject_calls', 'true', 'false'],
  ['Enabled', 'No', 'Yes'],
  ['Active', '0', '1'],
])('asks what %s with %s means, and not %s', async (heading, open, clear) => {
  const sheet = (cell: string) => `Code,Rate,${heading}\n33,0.1,${clear}\n34,0.1,${cell}`

  expect(await questionsOfSheet(sheet(open))).toEqual(['statuses: kept or ended or blocked'])
  expect(await pricesOfSheet(sheet(open), { statuses: { [open]: 'blocked' } })).toEqual([
    '2: 33 0.1',
    '3: 34 -1',
  ])
  expect(await pricesOfSheet(sheet(clear))).toEqual(['2: 33 0.1', '3: 34 0.1'])
})
