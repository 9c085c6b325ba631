import { expect, test } from 'vitest'
import { findFunctionFile } from '#tools/contracts/function-files.ts'
import { CommandError, NotReachable } from '#tools/machine/terminal.ts'
import { freePort } from '#tools/server/engine.ts'
import { answeringUrl, ignoredParameters, isRefusal, methodUrl } from './method-call.ts'

test.each([
  ['http://localhost:3000', 'http://localhost:3000/api/devices_get'],
  ['localhost:3000/', 'http://localhost:3000/api/devices_get'],
  ['127.0.0.1:3000/api', 'http://127.0.0.1:3000/api/devices_get'],
  ['[::1]:3000/api/', 'http://[::1]:3000/api/devices_get'],
  ['api.example.org/prod/api', 'https://api.example.org/prod/api/devices_get'],
  ['localhost.example.org', 'https://localhost.example.org/api/devices_get'],
  ['http://api.example.org', 'http://api.example.org/api/devices_get'],
])('%s is where %s is', (address, url) => {
  expect(methodUrl(address, 'devices_get')).toBe(url)
})

test.each(['', 'two words', 'http://', 'ftp://example.org'])('%j is not an address', (address) => {
  expect(() => methodUrl(address, 'devices_get')).toThrow(CommandError)
})

test('an address where nothing answers is named by its origin', async () => {
  const port = await freePort()

  await expect(answeringUrl(`localhost:${port}/api/`)).rejects.toThrow(
    new NotReachable(`Nothing answers at http://localhost:${port}: check the URL.`),
  )
})

test.each([
  ['<page><error>Dont_be_so_smart</error></page>', true],
  [
    '<?xml version="1.0" encoding="UTF-8"?><page><status><status><error>x</error></status></status></page>',
    true,
  ],
  ['<page><action><name>login</name><status>failed</status></action></page>', true],
  ['<page><devices><device><error>no</error></device></devices></page>', false],
])('%s is a refusal: %s', (document, refused) => {
  expect([isRefusal(200, document), isRefusal(500, document)]).toEqual([refused, true])
})

test('a parameter that the method does not know is named with the nearest one', async () => {
  const { method } = await findFunctionFile('devices_get')

  expect(ignoredParameters(method, { u: 'admin', user_id: '1', hash: '' })).toEqual([])
  expect(ignoredParameters(method, { userid: '1' })).toEqual([
    'devices_get ignores the parameter userid: did you mean user_id?',
  ])
})
