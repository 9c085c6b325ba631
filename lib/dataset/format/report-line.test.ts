import { expect, test } from 'vitest'
import { reportLine } from './report-line.ts'

test('a line of a report is CSV, and holds no formula', () => {
  expect(reportLine(['2', 'is "odd"', '=1,2', '-5', '@x'])).toBe(`2,"is ""odd""","'=1,2",-5,'@x\r\n`)
})
