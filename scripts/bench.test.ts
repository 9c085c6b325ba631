import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { replaceTable } from '#lib/local/contracts/generated-files.ts'
import { root } from '#lib/local/location.ts'
import { measuredTable } from '../bench/measured.ts'

test('the figures of the README are those of the last benchmarks', () => {
  const readme = readFileSync(`${root}README.md`, 'utf8')

  expect(replaceTable(readme, 'measured', measuredTable())).toBe(readme)
})

test('the table of the README is short', () => {
  expect(measuredTable().split('\n').length).toBeLessThanOrEqual(14)
})
