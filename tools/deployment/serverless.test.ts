import { expect, test, vi } from 'vitest'
import { warnWithoutRecipient } from './serverless.ts'

test('a stage without a receiver of its alarms is named, but not the one to develop on', () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  warnWithoutRecipient('dev')
  warnWithoutRecipient('prod')
  const lines = written.mock.calls.map(([line]) => line)
  written.mockRestore()

  expect(lines).toEqual([expect.stringContaining('nobody receives the alarms of prod: set alarmEmail')])
})
