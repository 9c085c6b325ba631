import { expect, test } from 'vitest'
import { readSettings } from '#lib/domain/settings.ts'
import { passThrough } from '#lib/testing/middleware.ts'
import { gates } from './gates.ts'

const open = { Allow_API: 'on', Allow_GET_API: 'on' }

const send = (
  method: string,
  settings: Readonly<Record<string, string>>,
  contract: { postOnly?: true } = {},
) => passThrough(gates(contract), { request: { method }, findings: { settings: readSettings(settings) } })

test.each(['GET', 'POST'])('%s passes while both switches are on', async (method) => {
  expect((await send(method, open)).ran).toBe(true)
})

test.each<[string, string, Readonly<Record<string, string>>, string]>([
  ['anything while the API is off', 'POST', { ...open, Allow_API: 'off' }, 'API Requests are disabled'],
  ['the API switch comes first', 'GET', {}, 'API Requests are disabled'],
  ['GET while it is off', 'GET', { ...open, Allow_GET_API: 'off' }, 'GET Requests are disabled'],
  ['another verb', 'DELETE', open, 'Method not allowed'],
])('refuses: %s', async (_what, method, settings, message) => {
  await expect(send(method, settings)).rejects.toThrow(message)
})

test('a method for POST alone refuses GET, whatever the switch says', async () => {
  await expect(send('GET', open, { postOnly: true })).rejects.toThrow('GET Requests are disabled')
})
