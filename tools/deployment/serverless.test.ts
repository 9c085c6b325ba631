import { expect, test, vi } from 'vitest'
import { checkParameters } from './serverless.ts'

test('a stage without a receiver of its alarms is named, but not the one to develop on', () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  checkParameters('dev')
  checkParameters('prod')
  const lines = written.mock.calls.map(([line]) => line)
  written.mockRestore()

  expect(lines).toEqual([expect.stringContaining('the alarms of prod have no recipient: set alarmEmail')])
})

test.each([
  ['silenceHours', 200, 'from 1 to 168'],
  ['silenceHours', 0, 'from 1 to 168'],
  ['silenceHours', '12 hours', 'from 1 to 168'],
  ['rollbackMinutes', 181, 'from 0 to 180'],
  ['wafRateLimit', 1.5, 'from 10 to 2000000000'],
])('refuses %s of %s, before AWS does', (name, value, range) => {
  const said = `${name} of dev is ${JSON.stringify(value)}: set a whole number ${range} in infra/stages.yml`
  expect(() => checkParameters('dev', { [name]: value })).toThrow(said)
})

test('a budget needs an address to write to', () => {
  expect(() => checkParameters('dev', { monthlyBudget: 500 })).toThrow('needs alarmEmail')
  checkParameters('dev', { monthlyBudget: 500, alarmEmail: 'operator@example.com' })
})

test('takes the largest values, and blank ones', () => {
  checkParameters('dev', { silenceHours: 168, rollbackMinutes: 180, wafRateLimit: '' })
})
