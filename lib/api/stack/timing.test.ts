import { afterEach, expect, test, vi } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { aWorld, signedForm } from '#test/world.ts'
import { method as devicesGet } from '../../../functions/devices/devices_get.ts'

afterEach(() => vi.unstubAllEnvs())

const world = await aWorld({
  users: people,
  devices: [{ id: '1', user_id: '10', device_type: 'SIP', name: 'desk', extension: '2001' }],
})

const answerTo = (u: string) => world.send(devicesGet, { body: signedForm(devicesGet, { u, user_id: '10' }) })

test('an answer and its line of the log tell where the time was spent, if that is switched on', async () => {
  vi.stubEnv('SERVER_TIMING', 'on')
  const answered = await answerTo('admin')
  const [line] = world.log.slice(-1)

  expect(answered.headers?.['Server-Timing']).toMatch(
    /^gates;dur=\d+\.\d, run;dur=\d+\.\d, render;dur=\d+\.\d$/,
  )
  expect(line).toMatchObject({ outcome: 'answered', timing: answered.headers?.['Server-Timing'] })
})

test('a refusal before the run tells the gates alone', async () => {
  vi.stubEnv('SERVER_TIMING', 'on')

  expect((await answerTo('nobody')).headers?.['Server-Timing']).toMatch(/^gates;dur=\d+\.\d$/)
})

test('it is off by default', async () => {
  const { headers } = await answerTo('admin')

  expect(headers).not.toHaveProperty('Server-Timing')
  expect(world.log.at(-1)?.['timing']).toBeUndefined()
})
