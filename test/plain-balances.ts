import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { exampleCurrencies, exampleDevices, people } from '#test/examples/examples.ts'
import { storedLoginCounters } from '#test/logins.ts'
import { aWorld, bodyOf, type World } from '#test/world.ts'

const users = people.map((person) => ({
  ...person,
  uniquehash: `hash-of-${person.username}`,
  balance: '66',
  currency: 'EUR',
}))

const operatorsPhone = {
  id: '9001',
  user_id: '0',
  name: 'operators-phone',
  username: 'operators-phone',
  extension: '9001',
}

const aWorldOfBalances = (settings = {}) =>
  aWorld(
    { users, devices: [...exampleDevices, operatorsPhone], currencies: exampleCurrencies },
    {
      Devices_Check_Balance: '1',
      Balances_Without_Signature: '1',
      Balance_From: '2026-03-01',
      Allow_GET_API: '1',
      ...settings,
    },
  )

/** A method that prints a balance as plain text, and what its parameter takes. */
interface PlainBalance {
  /** Leads to the account bob. */
  readonly own: string
  /** Leads to the account admin. */
  readonly operators: string
  readonly unknown: string
  readonly words: Readonly<Record<'disabled' | 'no_user' | 'wait', string>>
}

const asking = (method: Method) => (world: World, sent: Readonly<Record<string, string>>) =>
  world.send(method, { method: 'GET', query: Object.entries(sent) })

/** Declares the tests of such a method. Each method calls it with the words of its own refusals. */
export function testPlainBalance(method: Method, balance: PlainBalance): void {
  testAnswers(method, balance)
  testRefusals(method, balance)
}

function testAnswers(method: Method, { own, unknown }: PlainBalance): void {
  const ask = asking(method)

  test.each([
    ['as plain text', {}, '66.0000'],
    ['in a currency', { currency: 'GBP' }, '52.8000'],
    ["in the account's own currency", { currency: 'USER' }, '59.4000'],
    ['in an unknown currency', { currency: 'XYZ' }, '66.0000'],
    ['whatever the hash is', { hash: 'wrong' }, '66.0000'],
  ])('the balance is answered %s', async (_case, sent, text) => {
    const answer = await ask(await aWorldOfBalances(), { id: own, ...sent })

    expect(bodyOf(answer)).toBe(text)
    expect(answer.headers).toMatchObject({ 'Content-Type': 'text/plain; charset=utf-8' })
  })

  test('the name may be the last part of the path, which goes before a parameter', async () => {
    const world = await aWorldOfBalances()
    const answer = await world.send(method, {
      method: 'GET',
      path: `/api/${method.name}/${own}`,
      pathParameters: { id: encodeURIComponent(own) },
      query: [['id', unknown]],
    })

    expect(bodyOf(answer)).toBe('66.0000')
  })

  test('a path that cannot be read is a bad request', async () => {
    const world = await aWorldOfBalances()
    const answer = await world.send(method, { method: 'GET', pathParameters: { id: '%E0%A4' } })

    expect(answer.statusCode).toBe(400)
  })

  test.each(people.map(({ username }) => username))('an account in u changes nothing: %s', async (u) => {
    expect(bodyOf(await ask(await aWorldOfBalances(), { u, id: own }))).toBe('66.0000')
  })
}

function testRefusals(method: Method, { own, operators, unknown, words }: PlainBalance): void {
  const ask = asking(method)

  test.each([
    ['the setting is off', { id: own }, { Devices_Check_Balance: '0' }, words.disabled],
    ['its own setting is off', { id: own }, { Balances_Without_Signature: '' }, words.disabled],
    ["the operator's balance", { id: operators }, {}, words.no_user],
    ['no balances are kept', { id: own }, { Balance_From: '' }, words.disabled],
    ['an unknown name', { id: unknown }, {}, words.no_user],
    ['no name', {}, {}, words.no_user],
  ])('refuses in bare words: %s', async (_case, sent, settings, refusal) => {
    expect(bodyOf(await ask(await aWorldOfBalances(settings), sent))).toBe(refusal)
  })

  test('a refusal of a gate is XML', async () => {
    const world = await aWorldOfBalances({ Allow_GET_API: '0' })

    expect(bodyOf(await ask(world, { id: own }))).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><status><error>GET Requests are disabled</error></status>',
    )
  })

  test('after thirty requests an address has to wait, whether the names exist or not', async () => {
    const world = await aWorldOfBalances()
    for (let guess = 0; guess < 30; guess += 1)
      await ask(world, { id: guess % 2 === 0 ? own : `guess-${guess}` })
    const before = await world.dump()
    expect(storedLoginCounters(before)).toMatchObject([{ failures: 30, in_flight: 0 }])

    for (const id of [own, unknown]) expect(bodyOf(await ask(world, { id }))).toBe(words.wait)
    expect(await world.dump()).toEqual(before)
  })
}
