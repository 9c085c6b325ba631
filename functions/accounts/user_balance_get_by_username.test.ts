import { expect, test } from 'vitest'
import { currencies, devices, people } from '#test/examples/examples.ts'
import { loginCounters } from '#test/logins.ts'
import { aWorld, bodyOf, type World } from '#test/world.ts'
import { method } from './user_balance_get_by_username.ts'

const users = people.map((person) => ({
  ...person,
  uniquehash: `hash-of-${person.username}`,
  balance: '66',
  currency: 'EUR',
}))

const aWorldOfBalances = (settings = {}) =>
  aWorld(
    { users, devices, currencies },
    { Devices_Check_Balance: '1', Balance_From: '2026-03-01', Allow_GET_API: '1', ...settings },
  )

const ask = (world: World, sent: Readonly<Record<string, string>>) =>
  world.send(method, { method: 'GET', query: Object.entries(sent) })

test.each([
  ['as plain text', {}, '66.0000'],
  ['in a currency', { currency: 'GBP' }, '52.8000'],
  ["in the account's own currency", { currency: 'USER' }, '59.4000'],
  ['in an unknown currency', { currency: 'XYZ' }, '66.0000'],
  ['whatever the hash is', { hash: 'wrong' }, '66.0000'],
])('the balance is answered %s', async (_case, sent, text) => {
  const answer = await ask(await aWorldOfBalances(), { id: 'bobs-phone', ...sent })

  expect(bodyOf(answer)).toBe(text)
  expect(answer.headers).toMatchObject({ 'Content-Type': 'text/plain; charset=utf-8' })
})

test('the name may be the last part of the path, which goes before a parameter', async () => {
  const world = await aWorldOfBalances()
  const answer = await world.send(method, {
    method: 'GET',
    path: '/api/user_balance_get_by_username/bobs-phone',
    pathParameters: { id: encodeURIComponent('bobs-phone') },
    query: [['id', '1001']],
  })

  expect(bodyOf(answer)).toBe('66.0000')
})

test('a path that cannot be read is a bad request', async () => {
  const world = await aWorldOfBalances()
  const answer = await world.send(method, { method: 'GET', pathParameters: { id: '%E0%A4' } })

  expect(answer.statusCode).toBe(400)
})

test.each(people.map(({ username }) => username))('an account in u changes nothing: %s', async (u) => {
  expect(bodyOf(await ask(await aWorldOfBalances(), { u, id: 'bobs-phone' }))).toBe('66.0000')
})

test.each([
  ['the setting is off', { id: 'bobs-phone' }, { Devices_Check_Balance: '0' }, 'Feature disabled'],
  ['no balances are kept', { id: 'bobs-phone' }, { Balance_From: '' }, 'Feature disabled'],
  ['an unknown name', { id: '1001' }, {}, 'User was not found'],
  ['no name', {}, {}, 'User was not found'],
])('refuses in bare words: %s', async (_case, sent, settings, words) => {
  expect(bodyOf(await ask(await aWorldOfBalances(settings), sent))).toBe(words)
})

test('a refusal of a gate is XML', async () => {
  const world = await aWorldOfBalances({ Allow_GET_API: '0' })

  expect(bodyOf(await ask(world, { id: 'bobs-phone' }))).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><status><error>GET Requests are disabled</error></status>',
  )
})

test('after thirty misses an address has to wait, and a hit is not counted', async () => {
  const world = await aWorldOfBalances()
  await ask(world, { id: 'bobs-phone' })
  expect(loginCounters(await world.dump())).toMatchObject([{ failures: 0, in_flight: 0 }])
  for (let guess = 0; guess < 30; guess += 1) await ask(world, { id: `guess-${guess}` })
  const before = await world.dump()

  expect(bodyOf(await ask(world, { id: 'bobs-phone' }))).toBe('Please wait 10 seconds before trying again')
  expect(await world.dump()).toEqual(before)
})
