import { expect, test } from 'vitest'
import { countWork } from '#test/hostile/counted-work.ts'
import { cdrsIn, foundIn, parserFor } from '#test/mediation/switch-documents.ts'

const read = parserFor({ format: 'csv', source: 'gateway', zone: 'UTC' })

test('an empty document has no CDRs', () => {
  expect(read('')).toEqual([])
})

test('a first row that is not CSV is not a header', () => {
  expect(foundIn(read('start,"dst\n1773119520,4420\n'))).toMatchObject([
    { detail: 'its quotes are not valid CSV' },
    { detail: 'its columns are unknown: name its 2 columns, such as --columns start,duration' },
  ])
})

test.each([
  [4000, 'cdr'],
  [4001, 'problem'],
])('a first row of %i characters, after a byte order mark, makes the row below it a %s', (length, kind) => {
  const header = `start,billsec,${'x'.repeat(length - 14)}`
  expect(foundIn(read(`\ufeff${header}\n1773119520,0,\n`)).at(-1)?.kind).toBe(kind)
})

test('a row of nine characters may be a CDR, and a shorter one is not', () => {
  const rows = '1773119520\n177311952\n17731195\n'
  expect(foundIn(read(rows, { columns: ['start'] }))).toMatchObject([
    { reason: 'no_duration' },
    { reason: 'no_duration' },
    { detail: 'it is too short to be a CDR' },
  ])
})

test('a second header, as in joined files, holds for the rows below it', () => {
  const rows = `start,dst,billsec
1773119520,4420,5
dst,start,billsec
4421,1773119520,6
start,dst,billsec
1773119520,4422,7
`
  const parsed = read(rows)
  expect(cdrsIn(parsed).map(({ dst }) => dst)).toEqual(['4420', '4421', '4422'])
  expect(parsed.flatMap((part) => cdrsIn(read(part.text())))).toEqual(cdrsIn(parsed))
})

test('a mapping to a column that is missing is refused with the columns', () => {
  const mapping = { billsec: 'Second' }
  expect(foundIn(read('start,dst,Seconds\n1773119520,4420,60\n', { mapping }))).toEqual([
    {
      kind: 'problem',
      reason: 'unreadable',
      detail: 'no column is "Second", the columns are "start,dst,Seconds": correct --map billsec=',
    },
  ])
  const found = read('1773119520,4420,60\n', { mapping, columns: ['start', 'dst', 'Second'] })
  expect(cdrsIn(found)).toMatchObject([{ billsec: 60 }])
})

test.each([
  ['start,dst\n1773119520,4420', 'no_duration'],
  ['start,disposition,duration\n1773119520,ANSWERED,60', 'no_duration'],
  ['start,answer\n1773119520,1773119525', 'no_duration'],
])('%j tells no seconds of an answered call', (text, reason) => {
  expect(foundIn(read(text))).toMatchObject([{ reason }])
})

test.each([
  'start,disposition\n1773119520,NO ANSWER',
  'start,sip_status\n1773119520,486',
  'start,hangupcause\n1773119520,17',
])('%j is an unanswered call', (text) => {
  expect(cdrsIn(read(text))).toMatchObject([{ billsec: 0 }])
})

test.each(['csv', 'kamailio-csv', 'asterisk-csv'] as const)(
  '%s: a row of very many columns is not taken apart',
  (format) => {
    const parts = parserFor({ format, source: 'fs1', zone: 'UTC' })(`1773140000${','.repeat(480_000)}`)

    expect(foundIn(parts)).toMatchObject([{ reason: 'unreadable', detail: 'it has more than 1000 columns' }])
  },
)

// Finding the end of a row looks at each character, and taking its cells apart would look at each again.
test.each([',', ',""'])('of a row of 480,000 columns of %j, 1,000 are counted', async (column) => {
  const row = `1773140000${column.repeat(480_000)}`
  const work = await countWork(() => read(row).map(({ text }) => text()))

  expect(work).toBeGreaterThan(row.length)
  expect(work).toBeLessThan(2 * row.length)
})

const DAMAGE = '\0'.repeat(2048)

test.each([
  ['before a row', `start,dst,billsec\n1773119520,4420,5\n${DAMAGE}1773119521,4421,6\n1773119522,4422,7\n`],
  ['within a row', `start,dst,billsec\n1773119520,4420,5\n1773119521,44${DAMAGE}21,6\n1773119522,4422,7\n`],
  ['as a row', `start,dst,billsec\n1773119520,4420,5\n${DAMAGE}\n1773119522,4422,7\n`],
])('a block of NUL %s is damage, and the rows around it are read', (_where, text) => {
  const parsed = read(text)

  expect(cdrsIn(parsed).map(({ dst }) => dst)).toEqual(['4420', '4422'])
  expect(foundIn(parsed).filter(({ kind }) => kind === 'problem')).toMatchObject([
    { reason: 'unreadable', detail: expect.stringContaining('it has a block of NUL') },
  ])
  expect(parsed[1]?.text()).toContain(DAMAGE)
})
