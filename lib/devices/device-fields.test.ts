import { expect, test } from 'vitest'
import { deviceFields, languageCode } from './device-fields.ts'

test.each([
  ['lt', 'lt'],
  [' EN ', 'en'],
  ['lithuanian', 'lt'],
  [' German ', 'de'],
  ['', ''],
  ['  ', ''],
  ['xx', undefined],
  ['Klingon', undefined],
])('the language %j has the code %j', (word, code) => {
  expect(languageCode(word)).toBe(code)
})

test('fields are refused in the documented order, each with its message', () => {
  expect(Object.entries(deviceFields.errors())).toEqual([
    ['language', 'Language is invalid'],
    ['pin', 'Pin must be numeric'],
    ['call_timeout', 'Device Call Timeout must be greater than or equal to 0'],
    ['call_limit', 'Call limit must be a number'],
    ['transport', 'transport is invalid'],
    ['encryption', 'encryption is invalid'],
    ['hidden', 'hidden is invalid'],
    ['devicegroup_id', 'devicegroup_id is invalid'],
    ['fromuser', 'fromuser is invalid'],
    ['comment', 'comment is invalid'],
    ['description', 'description is invalid'],
  ])
})

test('valid fields become columns', () => {
  const sent = {
    language: 'English',
    pin: '0123',
    call_timeout: '60',
    call_limit: '2',
    transport: 'udp,tcp',
    encryption: '1',
    hidden: '0',
    devicegroup_id: '7',
    fromuser: ' a ',
    comment: '',
    description: 'b',
  }

  expect(deviceFields.wrong(sent)).toBeUndefined()
  expect(deviceFields.columns(sent)).toEqual({
    language: 'en',
    pin: '0123',
    max_timeout: 60,
    call_limit: 2,
    transport: 'udp,tcp',
    encryption: true,
    hidden: false,
    devicegroup_id: 7,
    fromuser: ' a ',
    comment: '',
    description: 'b',
  })
  expect(deviceFields.columns({ pin: '', call_timeout: '', call_limit: '', devicegroup_id: '' })).toEqual({
    pin: '',
    max_timeout: 0,
    call_limit: 0,
    devicegroup_id: 0,
  })
})

test.each([
  ['language', 'xx'],
  ['pin', '12a'],
  ['call_timeout', '-1'],
  ['call_limit', 'x'],
  ['transport', 'sctp'],
  ['transport', ''],
  ['encryption', 'yes'],
  ['hidden', ''],
  ['devicegroup_id', 'x'],
])('%s is wrong as %j', (name, text) => {
  expect(deviceFields.wrong({ [name]: text })).toBe(name)
})
