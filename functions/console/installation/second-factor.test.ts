import { expect, test } from 'vitest'
import { findCallers } from '#lib/accounts/account.ts'
import { codeOfStep } from '#lib/accounts/second-factor.ts'
import { resetSecondFactor } from '#lib/acts/accounts/account-acts.ts'
import { carriedOut } from '#test/acts/carry-out.ts'
import { aConsoleClient, aSignedClient, type ConsoleClient } from '#test/console/console-client.ts'
import { estates, passwordOf } from '#test/examples/estates.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, pass, type World } from '#test/world.ts'

const PATH = '/session/second-factor'

const codeNow = ({ now }: World, secret: string, steps = 0) =>
  codeOfStep(secret, Math.floor(now.getTime() / 30_000) + steps)

/** Switches the second factor of alice on; she is an accountant. */
async function aSecondFactor(world: World) {
  const client = await aSignedClient(world, 'alice')
  const { offered } = (await client.get(PATH)).body as { offered: { secret: string; uri: string } }
  const { secret } = offered
  const values = { current: passwordOf('alice'), secret, code: codeNow(world, secret) }
  const { status, body } = await client.send('PUT', PATH, values)
  expect(status).toBe(200)
  return { client, secret, recovery: body['recovery'] as string[], uri: offered.uri, used: values.code }
}

const signIn = async (world: World, code?: string, client: ConsoleClient = aConsoleClient(world)) => {
  const values = { username: 'alice', password: passwordOf('alice'), ...(code && { code }) }
  const { status, body } = await client.send('POST', '/session', values)
  return [status, (body['error'] as { code: string } | undefined)?.code ?? 'signed in']
}

test('a sign-in asks for a code once the second factor is on, and takes each code once', async () => {
  const world = await aWorld(estates)
  const other = await aSignedClient(world, 'alice')
  const { client, secret, uri, used } = await aSecondFactor(world)

  expect(uri).toBe(
    `otpauth://totp/Tollgate:alice?secret=${secret}&issuer=Tollgate&algorithm=SHA1&digits=6&period=30`,
  )
  expect((await client.get('/session')).status).toBe(200)
  expect((await other.get('/session')).status).toBe(401)
  expect(await signIn(world)).toEqual([401, 'code_needed'])
  expect(await signIn(world, used)).toEqual([401, 'wrong_credentials'])
  const next = codeNow(world, secret, 1)
  expect(await signIn(world, next)).toEqual([200, 'signed in'])
  expect(await signIn(world, next)).toEqual([401, 'wrong_credentials'])
  expect(await signIn(world, '12345')).toEqual([401, 'wrong_credentials'])
  pass(world, 90)
  expect(await signIn(world, codeNow(world, secret, -1))).toEqual([200, 'signed in'])
  expect(await damageIn(world)).toEqual([])
})

test('a wrong password is refused as without a second factor, and a right code does not help it', async () => {
  const world = await aWorld(estates)
  const { secret } = await aSecondFactor(world)

  const { body } = await aConsoleClient(world).send('POST', '/session', {
    ...{ username: 'alice', password: 'wrong', code: codeNow(world, secret, 1) },
  })
  expect(body).toMatchObject({
    error: { code: 'wrong_credentials', message: expect.stringContaining('the password is wrong') },
  })
})

test('five wrong codes of an hour stop further ones, whatever their address; recovery codes go on', async () => {
  const world = await aWorld(estates)
  const { secret, recovery } = await aSecondFactor(world)
  pass(world, 60)
  const wrong = ['000000', '000001', '000002', '000003', '000004', '000005', '000006', '000007']
    .filter((code) => ![-1, 0, 1].some((steps) => codeNow(world, secret, steps) === code))
    .slice(0, 5)

  for (const code of wrong) expect(await signIn(world, code)).toEqual([401, 'wrong_credentials'])
  expect(await signIn(world, codeNow(world, secret))).toEqual([429, 'too_many_attempts'])
  expect(await signIn(world, recovery[0])).toEqual([200, 'signed in'])
  expect(await signIn(world, recovery[0])).toEqual([401, 'wrong_credentials'])
  pass(world, 3600)
  expect(await signIn(world, codeNow(world, secret))).toEqual([200, 'signed in'])
})

test('the secret is in no answer after the confirmation, in no entry of the log, and recovery codes are digests', async () => {
  const world = await aWorld(estates)
  const { client, secret, recovery } = await aSecondFactor(world)

  const answers = await Promise.all([client.get('/session'), client.get(PATH), client.get('/customers/1')])
  const items = JSON.stringify(await world.dump())

  expect(answers[1].body).toEqual({ offered: null, recoveryCodes: 10 })
  expect(JSON.stringify(answers)).not.toContain(secret)
  expect(items.split(secret)).toHaveLength(2)
  for (const code of recovery) expect(items).not.toContain(code.replaceAll('-', ''))
})

test('an import, a change of details and another password keep it', async () => {
  const world = await aWorld(estates)
  await aSecondFactor(world)
  const admin = await aSignedClient(world, 'admin')

  const { status } = await admin.send('PUT', '/records/accounts/1', { first_name: 'Alicia' })
  expect(status).toBe(200)
  expect(await signIn(world)).toEqual([401, 'code_needed'])
})

test('it is switched off with the own password and a code', async () => {
  const world = await aWorld(estates)
  const { client, secret, recovery } = await aSecondFactor(world)
  const off = async (current: string, code = '') =>
    (await client.send('POST', `${PATH}/off`, { current, code })).status

  expect(await off('wrong', codeNow(world, secret, 1))).toBe(401)
  expect(await off(passwordOf('alice'))).toBe(401)
  expect(await off(passwordOf('alice'), recovery[1])).toBe(200)
  expect((await client.get(PATH)).body).toMatchObject({
    recoveryCodes: null,
    offered: { secret: expect.stringMatching(/^[A-Z2-7]{32}$/) },
  })
  expect(await signIn(world)).toEqual([200, 'signed in'])
  expect((await findCallers(world.store, ['alice']))[0]).not.toHaveProperty('second_factor')
  expect(await damageIn(world)).toEqual([])
})

test('an account that has become a plain user switches it off, and is offered no other one', async () => {
  const world = await aWorld(estates)
  const { secret } = await aSecondFactor(world)
  const admin = await aSignedClient(world, 'admin')
  expect((await admin.send('PUT', '/records/accounts/1', { usertype: 'user' })).status).toBe(200)
  const client = aConsoleClient(world)
  pass(world, 60)
  expect(await signIn(world, codeNow(world, secret), client)).toEqual([200, 'signed in'])
  expect((await client.get(PATH)).body).toEqual({ offered: null, recoveryCodes: 10 })
  const values = { current: passwordOf('alice'), code: codeNow(world, secret, 1) }
  expect((await client.send('POST', `${PATH}/off`, values)).status).toBe(200)

  expect((await client.get(PATH)).body).toEqual({ offered: null, recoveryCodes: null })
  expect(await signIn(world)).toEqual([200, 'signed in'])
})

test('another admin takes it from an account, and nobody else does', async () => {
  const world = await aWorld(estates)
  const { client } = await aSecondFactor(world)
  const reset = '/customers/1/second-factor/reset'

  expect((await client.send('POST', reset)).status).toBe(403)
  await carriedOut(world, resetSecondFactor, { account: 'alice' })
  expect((await client.get('/session')).status).toBe(401)
  expect(await signIn(world)).toEqual([200, 'signed in'])
  await expect(carriedOut(world, resetSecondFactor, { account: 'alice' })).rejects.toThrow('no_second_factor')
})

test('customers have none, and an account without one has no counter of codes', async () => {
  const world = await aWorld(estates)
  const bob = await aSignedClient(world, 'bob')

  expect((await bob.get(PATH)).body).toEqual({ offered: null, recoveryCodes: null })
  expect((await world.dump()).filter(({ PK }) => String(PK).startsWith('LOGINFAIL')).length).toBe(2)
})
