import { expect, test } from 'vitest'
import { cdrsIn, foundIn, parserFor } from '#test/mediation/switch-documents.ts'

const read = parserFor({ format: 'csv', source: 'gateway', zone: 'UTC' })

test('an empty document has no CDRs', () => {
  expect(read('')).toEqual([])
})

test('a first row that is not CSV is not a header', () => {
  expect(foundIn(read('start,"dst\n1773119520,4420\n'))).toMatchObject([
    { detail: 'its quotes are not valid CSV' },
    { detail: 'its columns are unknown: declare the columns of the source' },
  ])
})

test.each([
  [4000, 'cdr'],
  [4001, 'problem'],
])('a first row of %i characters, behind a byte order mark, makes the row below it a %s', (length, kind) => {
  const header = `start,${'x'.repeat(length - 6)}`
  expect(foundIn(read(`\ufeff${header}\n1773119520,\n`)).at(-1)?.kind).toBe(kind)
})

test('a row of nine characters may be a CDR, and a shorter one is not', () => {
  const rows = '1773119520\n177311952\n17731195\n'
  expect(cdrsIn(read(rows, { columns: ['start'] }))).toHaveLength(2)
  expect(foundIn(read(rows, { columns: ['start'] })).at(-1)).toMatchObject({
    detail: 'it is too short to be a CDR',
  })
})
