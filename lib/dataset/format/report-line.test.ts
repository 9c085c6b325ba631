import { expect, test } from 'vitest'
import { reportLine } from './report-line.ts'

test('a line of a report is CSV, and holds no formula', () => {
  expect(reportLine(['2', 'is "odd"', '=1,2', '-5', '@x', 'NULL'])).toBe(
    `2,"is ""odd""","'=1,2",-5,'@x,"NULL"\r\n`,
  )
})
