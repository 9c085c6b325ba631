import { expect, onTestFinished, test, vi } from 'vitest'

/** A module of its own: other files of this process have written lines already. */
const { writeLogLine } = (await import(`${'./log-line.ts'}?alone`)) as typeof import('./log-line.ts')

test('a line has its origin in names of log platforms, and the first one how the function started', () => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1')
  onTestFinished(() => void vi.restoreAllMocks())
  onTestFinished(() => void vi.unstubAllEnvs())

  writeLogLine({ method: 'devices_get', outcome: 'answered', milliseconds: 9 })
  writeLogLine({ method: 'devices_get', outcome: 'failed', milliseconds: 9 })
  const [first, second] = written.mock.calls.map(([line]) => JSON.parse(String(line)))
  written.mockRestore()

  expect(first).toEqual({
    level: 'INFO',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    service: 'tollgate',
    xray_trace_id: '1-5759e988-bd862e3fe1be46a994272793',
    cold_start: true,
    init_milliseconds: expect.any(Number),
    memory_mb: expect.any(Number),
    method: 'devices_get',
    outcome: 'answered',
    milliseconds: 9,
  })
  expect(first.init_milliseconds).toBeGreaterThan(0)
  expect(second).toMatchObject({ level: 'ERROR', cold_start: false })
  expect(second).not.toHaveProperty('init_milliseconds')
})
