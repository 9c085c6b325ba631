import { expect, test } from 'vitest'
import { CommandError } from '#lib/local/terminal.ts'
import { methodUrl } from './method-call.ts'

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

test.each(['', 'two words', 'http://'])('%j is not an address', (address) => {
  expect(() => methodUrl(address, 'devices_get')).toThrow(CommandError)
})
