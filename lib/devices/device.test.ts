import { expect, test } from 'vitest'
import {
  DEVICE_TYPES,
  deviceTitle,
  deviceTypeOf,
  formatCallerId,
  generatedColumns,
  isCallerIdName,
  isCallerIdNumber,
  isDeviceName,
  isDevicePassword,
  isDigits,
  parseCallerId,
  randomUniquehash,
  standardPort,
} from './device.ts'

test('SIP, IAX2 and H323 have a standard port', () => {
  expect(Object.fromEntries(DEVICE_TYPES.map((type) => [type, standardPort(type)]))).toEqual({
    SIP: 5060,
    IAX2: 4569,
    H323: 1720,
    FAX: 0,
    Virtual: 0,
    dahdi: 0,
    Skype: 0,
    ZAP: 0,
  })
})

test.each([
  ['sip', 'SIP'],
  [' DAHDI ', 'dahdi'],
  ['SIPS', undefined],
  ['', undefined],
])('the device type %j is %j', (word, type) => {
  expect(deviceTypeOf(word)).toBe(type)
})

test.each([
  ['a', true],
  ['Az.0-9@x$', true],
  ['', false],
  ['a b', false],
  ['a_b', false],
  ['x'.repeat(255), true],
  ['x'.repeat(256), false],
])('%j is the name of a device: %j', (name, expected) => {
  expect(isDeviceName(name)).toBe(expected)
})

test('a password is printable ASCII without space, quotes, backslash and semicolon', () => {
  const characters = Array.from({ length: 257 }, (_, code) => String.fromCharCode(code))

  expect(characters.filter(isDevicePassword).join('')).toBe(
    '!#$%&()*+,-./0123456789:<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~',
  )
  expect(['', 'x'.repeat(255), 'x'.repeat(256), 'a"b', 'a b'].map(isDevicePassword)).toEqual([
    false,
    true,
    false,
    false,
    false,
  ])
})

test('digits are one or more', () => {
  expect(['0', '0123', '', '1a', 'a1', '1 2'].map(isDigits)).toEqual([true, true, false, false, false, false])
})

test.each([
  ['', true],
  ['37060.1', true],
  ['+370', false],
  ['1a', false],
  ['1'.repeat(80), true],
  ['1'.repeat(81), false],
])('%j is the number of a caller ID: %j', (number, expected) => {
  expect(isCallerIdNumber(number)).toBe(expected)
})

test.each([
  ['', true],
  ["Zoë O'Hara; 2", true],
  ['a"', false],
  ['<a', false],
  ['a>', false],
  ['a\\b', false],
  ['a\nb', false],
  ['\u0085', false],
])('%j is the name of a caller ID: %j', (name, expected) => {
  expect(isCallerIdName(name)).toBe(expected)
})

test.each([
  [{ name: 'Ada', number: '370' }, '"Ada" <370>'],
  [{ name: 'Ada', number: '' }, '"Ada"'],
  [{ name: '', number: '370' }, '<370>'],
  [{ name: '', number: '' }, ''],
])('the caller ID %j is stored as %j and read back', (callerId, stored) => {
  expect(formatCallerId(callerId)).toBe(stored)
  expect(parseCallerId(stored)).toEqual(callerId)
})

test.each([
  ['Ada <370>', { name: 'Ada', number: '370' }],
  [' "Ada  B"  < 370> ', { name: 'Ada  B', number: ' 370' }],
  ['Ada\nB<370>', { name: 'Ada\nB', number: '370' }],
  ['"Ada\nB"<>', { name: 'Ada\nB', number: '' }],
  ['370.1', { name: '', number: '370.1' }],
  ['Ada', { name: 'Ada', number: '' }],
  [' "Ada\nB" ', { name: 'Ada\nB', number: '' }],
  ['"Ada', { name: '"Ada', number: '' }],
  ['Ada <370> x', { name: 'Ada <370> x', number: '' }],
  ['a "Ada"', { name: 'a "Ada"', number: '' }],
  ['"Ada" b', { name: '"Ada" b', number: '' }],
])('the caller ID %j of a dataset', (text, callerId) => {
  expect(parseCallerId(text)).toEqual(callerId)
})

test('a device is shown as its type and name', () => {
  expect(deviceTitle({ device_type: 'SIP', name: '2001' })).toBe('SIP/2001')
})

test('a secret is 12 letters and digits, a PIN 4 digits, a uniquehash 32, each drawn on its own', () => {
  let drawn = 0
  const random = { below: (bound: number) => (drawn++ * 7) % bound }

  expect(generatedColumns('SIP', random)).toEqual({
    device_type: 'SIP',
    port: 5060,
    secret: 'AHOVcjqx4BIP',
    pin: '4185',
  })
  drawn = 0
  expect(randomUniquehash(random)).toBe('07e5c3a18f6d4b2907e5c3a18f6d4b29')
  expect(generatedColumns('FAX', { below: (bound) => bound - 1 })).toMatchObject({
    port: 0,
    secret: '9'.repeat(12),
  })
})
