import { expect, test } from 'vitest'
import { csvLine } from './writer.ts'

test('a line of a report is CSV without formulas', () => {
  expect(csvLine(['2', 'is "odd"', '=1,2', '-5', '@x', 'NULL', '\ufeffx'])).toBe(
    `2,"is ""odd""","'=1,2",-5,'@x,"NULL","\ufeffx"\r\n`,
  )
})
