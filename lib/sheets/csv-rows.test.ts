import { expect, test } from 'vitest'
import { csvRows } from './csv-rows.ts'

test('a cell that a list of refused rows has marked as text is read without its mark', () => {
  expect(csvRows("prefix,name\n'-370,\"'=A1\"\n+370,'quoted'\n", ',')).toEqual([
    { line: 1, cells: ['prefix', 'name'] },
    { line: 2, cells: ["'-370", '=A1'] },
    { line: 3, cells: ['+370', "'quoted'"] },
  ])
})
