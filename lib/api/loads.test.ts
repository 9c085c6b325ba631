import { expect, test } from 'vitest'
import { accountKey, callerKey, deviceKey } from '#lib/table/keys.ts'
import { accountByName, accountIn, pointerIn, readLoads, rowIn } from './loads.ts'

const rows = { key: accountKey, read: ({ name }: Readonly<Record<string, unknown>>) => name }

const HERE = { address: '192.0.2.1', username: '', token: '' }

test('the first parameter that was sent names the row', () => {
  const { key } = rowIn(rows, 'user_id', 'id')

  expect(key({ id: '7' }, HERE)).toEqual(accountKey(7))
  expect(key({ id: '7', user_id: ' ' }, HERE)).toEqual(accountKey(7))
  expect(key({ id: '7', user_id: '0' }, HERE)).toEqual(accountKey(0))
  expect(key({}, HERE)).toBeUndefined()
})

test('a row is read if it is there', () => {
  const { read } = rowIn(rows, 'id')

  expect(read({ pk: '', sk: '', name: 'a' })).toBe('a')
  expect(read(undefined)).toBeUndefined()
})

test('an entry is found by the pointer of its entity, and by its key without one', () => {
  const item = { pk: '', sk: '' }
  const pointed = pointerIn({ key: accountKey, pointer: deviceKey }, 'id')

  expect(pointed.key({ id: '7' }, HERE)).toEqual(deviceKey(7))
  expect(pointed.read(item)).toBe(item)
  expect(pointerIn({ key: accountKey, pointer: undefined }, 'id').key({ id: '7' }, HERE)).toEqual(
    accountKey(7),
  )
})

test('an account may be a second old, by its id and by its name', () => {
  expect(accountIn('id').key({ id: '7' }, HERE)).toEqual(accountKey(7))
  expect(accountIn('id').mayBeRecent).toBe(true)
  expect(accountByName('u').key({ u: 'bob' }, HERE)).toEqual(callerKey('bob'))
  expect(accountByName('u').key({ username: 'bob' }, HERE)).toBeUndefined()
  expect(accountByName('u').mayBeRecent).toBe(true)
})

test('each item that a contract loads is read in its own way, also if it is missing', () => {
  const loads = {
    user: rowIn(rows, 'id'),
    device: pointerIn({ key: deviceKey, pointer: undefined }, 'device'),
  }
  const item = { pk: '', sk: '', name: 'a' }

  expect(readLoads(loads, { user: item, device: item })).toEqual({ user: 'a', device: item })
  expect(readLoads(loads, { user: item })).toEqual({ user: 'a', device: undefined })
  expect(readLoads(undefined, {})).toEqual({})
})
