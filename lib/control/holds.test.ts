import { expect, test } from 'vitest'
import { OPENING_DAY } from '#lib/settings/settings.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { heldMoney, notedTimes } from '#test/control/money.ts'
import { aControlledWorld, aSwitch, prepaidBob, UK } from '#test/control/switch.ts'
import { rate, ricksTariff } from '#test/examples/tariffs.ts'
import { pass, type World } from '#test/world.ts'
import { findHolds, holdName, holdsKey } from './holds.ts'

const bobsSwitch = async (balance: string, account = {}, settings = {}) => {
  const world = await aControlledWorld(prepaidBob(balance, account), settings)
  return { world, ...(await aSwitch(world)) }
}

test('the worked example: several calls share the money of a prepaid account', async () => {
  const { world, authorize, ended } = await bobsSwitch('8')

  expect(await authorize({ call: 'one' })).toEqual({
    allow: true,
    call: 'one',
    seconds: 1800,
    reserved: '6.000000',
    rate: '0.2',
    destination: 'UK',
  })
  expect(await authorize({ call: 'two' })).toMatchObject({ seconds: 600, reserved: '2.000000' })
  expect(await authorize({ call: 'three' })).toMatchObject({ reason: 'no_money', hangupcause: 212 })
  expect(await heldMoney(world)).toEqual({ held: '8', open: 2, balance: '8' })
  pass(world, 720)
  await ended('one', 720)
  expect(await heldMoney(world)).toEqual({ held: '2', open: 1, balance: '5.6' })
  expect(await authorize({ call: 'four' })).toMatchObject({ seconds: 1080, reserved: '3.600000' })
  await ended('two', 540)
  expect(await heldMoney(world)).toEqual({ held: '3.6', open: 1, balance: '3.8' })
})

test('a copy of a request has the same answer, a later one the rest, the one after that 409', async () => {
  const { world, authorize } = await bobsSwitch('2')

  const answers = await Promise.all([1, 2, 3].map(() => authorize({ call: 'one' })))
  expect(answers).toEqual(Array(3).fill({ ...answers[0], seconds: 600, reserved: '2.000000' }))
  pass(world, 10)
  expect(await authorize({ call: 'one' })).toMatchObject({ seconds: 600 })
  pass(world, 1)
  expect(await authorize({ call: 'one' })).toMatchObject({ seconds: 589, reserved: '2.000000' })
  expect(await authorize({ call: 'one', seconds: 60 })).toMatchObject({ seconds: 60 })
  pass(world, 589)
  expect(await authorize({ call: 'one' })).toBe(409)
  expect(await heldMoney(world)).toEqual({ held: '2', open: 1, balance: '2' })
})

test('a call to another number replaces its hold, unless the request is late or money lacks', async () => {
  const given = prepaidBob('6')
  const rates = [...(given.rates ?? []), rate({ prefix: '49', tariff_rate: '0.4' })]
  const world = await aControlledWorld({ ...given, rates })
  const { authorize } = await aSwitch(world)
  const now = world.now.getTime() / 1000

  expect(await authorize({ call: 'one' })).toMatchObject({ seconds: 1800, reserved: '6.000000' })
  expect(await authorize({ call: 'one', dst: '4930123456', at: now - 1 })).toBe(409)
  expect(await authorize({ call: 'one', dst: '4930123456', seconds: 60 })).toMatchObject({
    seconds: 60,
    reserved: '0.400000',
  })
  expect(await heldMoney(world)).toMatchObject({ held: '0.4', open: 1 })
  expect(await authorize({ call: 'two' })).toMatchObject({ seconds: 1680, reserved: '5.600000' })
  expect(await authorize({ call: 'one', seconds: 600 })).toMatchObject({ seconds: 120 })
  expect(await heldMoney(world)).toMatchObject({ held: '6', open: 2 })
})

test('a call that has its hold passes calls_limit, and another one does not', async () => {
  const { world, authorize, release } = await bobsSwitch('8', { calls_limit: '1', reserve_seconds: '60' })

  expect(await authorize({ call: 'one' })).toMatchObject({ allow: true })
  expect(await authorize({ call: 'one' })).toMatchObject({ allow: true })
  expect(await authorize({ call: 'two' })).toMatchObject({ reason: 'calls_limit' })
  expect(await release({ call: 'one' })).toEqual({ released: '0.200000' })
  expect(await release({ call: 'one' })).toEqual({ released: '0' })
  expect(await authorize({ call: 'two' })).toMatchObject({ allow: true })
  expect(await heldMoney(world)).toMatchObject({ held: '0.2', open: 1 })
})

test('a release takes no hold that was asked for after it', async () => {
  const { world, authorize, release } = await bobsSwitch('8')
  const now = world.now.getTime() / 1000

  await authorize({ call: 'one' })
  expect(await release({ call: 'one', at: now - 1 })).toEqual({ released: '0' })
  expect(await release({ call: 'one', at: now })).toEqual({ released: '6.000000' })
})

test('a release may repeat the moment of its request, after any time', async () => {
  const { world, authorize, release } = await bobsSwitch('8')
  const at = world.now.getTime() / 1000 - 30

  await authorize({ call: 'one', at })
  pass(world, 400)
  expect(await release({ call: 'one', at: at - 1 })).toEqual({ released: '0' })
  expect(await release({ call: 'one', at })).toEqual({ released: '6.000000' })
  expect(await release({ call: 'one', at: at + 1000 })).toBe(400)
})

test('a hold without a CDR ends at its time, and is counted', async () => {
  const { world, authorize } = await bobsSwitch('2')

  await authorize({ call: 'one' })
  pass(world, 300 + 600 + 900)
  expect(await authorize({ call: 'two' })).toMatchObject({ reason: 'no_money' })
  pass(world, 1)
  expect(await authorize({ call: 'two' })).toMatchObject({ seconds: 600 })
  expect(notedTimes(world, 'hold_expired')).toBe(1)
  expect(await heldMoney(world)).toEqual({ held: '2', open: 1, balance: '2' })
})

test('a call that is asked for after the time of its own hold gets a new one', async () => {
  const { world, authorize } = await bobsSwitch('2')

  await authorize({ call: 'one' })
  pass(world, 1801)
  expect(await authorize({ call: 'one' })).toMatchObject({ seconds: 600 })
  expect(await heldMoney(world)).toMatchObject({ held: '2', open: 1 })
})

test('a CDR after the time of the hold is charged in full, and counted', async () => {
  const { world, authorize, ended } = await bobsSwitch('2')

  await authorize({ call: 'one' })
  pass(world, 1801)
  await ended('one', 600)
  expect(await heldMoney(world)).toEqual({ held: '0', open: 0, balance: '0' })
  expect([notedTimes(world, 'late_after_hold'), notedTimes(world, 'overrun')]).toEqual([1, 0])
})

test('a call longer than its hold is charged in full, and counted as not ended by the switch', async () => {
  const { world, authorize, ended } = await bobsSwitch('2', {}, { Hangup_Margin_Seconds: '2' })

  expect(await authorize({ call: 'one' })).toMatchObject({ seconds: 598 })
  pass(world, 603)
  await ended('one', 602)
  expect(notedTimes(world, 'overrun')).toBe(0)
  await authorize({ call: 'two', seconds: 60 })
  pass(world, 700)
  await world.given({
    payments: [{ id: '1', user_id: '10', date: '2026-03-10 12:00:00', amount: '5', completed: '1' }],
  })
  expect(await authorize({ call: 'three', seconds: 60 })).toMatchObject({ seconds: 58 })
  pass(world, 63)
  await ended('three', 63)
  expect(notedTimes(world, 'overrun')).toBe(1)
})

test('a repeated, corrected or unanswered CDR releases no hold of a later call', async () => {
  const { world, authorize, ended } = await bobsSwitch('8')

  await authorize({ call: 'one', seconds: 60 })
  pass(world, 60)
  const end = { start: Math.floor(world.now.getTime() / 1000) - 60 }
  await ended('one', 60, end)
  expect(await heldMoney(world)).toEqual({ held: '0', open: 0, balance: '7.8' })
  pass(world, 60)
  await authorize({ call: 'one', seconds: 60 })
  await ended('one', 60, end)
  await ended('one', 59, end)
  await ended('two', 0, { disposition: 'NO ANSWER' })
  expect(await heldMoney(world)).toMatchObject({ held: '0.2', open: 1 })
})

test('a CDR whose call was stored, but not settled, settles when it comes again', async () => {
  const { world, authorize, ended } = await bobsSwitch('8')

  await world.set({ Call_Control: '0' })
  const start = Math.floor(world.now.getTime() / 1000)
  await world.set({ Call_Control: '1' })
  await authorize({ call: 'one', seconds: 60 })
  await world.set({ Call_Control: '0' })
  pass(world, 60)
  await ended('one', 60, { start })
  expect(await heldMoney(world)).toMatchObject({ held: '0.2', balance: '7.8' })
  await world.set({ Call_Control: '1' })
  await ended('one', 60, { start })
  expect(await heldMoney(world)).toEqual({ held: '0', open: 0, balance: '7.8' })
})

/** Carol is Rick's customer. She pays 0.4 a minute, and he pays 0.2. */
async function aReseller(rick: object, carol: object) {
  const given = prepaidBob('8')
  const limits: Record<string, object> = {
    rick: { tariff_id: '1', ...rick },
    carol: { tariff_id: ricksTariff, ...carol },
  }
  const users = given.users?.map((user) => ({ ...user, ...limits[String(user['username'])] })) ?? []
  const currencies = [
    { name: 'USD', exchange_rate: '1', auto_update: '0' },
    { name: 'EUR', exchange_rate: '0.5', auto_update: '0' },
  ]
  const rates = [...(given.rates ?? []), rate({ tariff_id: ricksTariff, prefix: '44', tariff_rate: '0.2' })]
  const world = await aControlledWorld({ ...given, users, currencies, rates })
  const one = await aSwitch(world)
  return {
    world,
    ...one,
    authorize: (params: Record<string, string | number>) => one.authorize({ sip_user: '2001', ...params }),
  }
}

const prepaid = (balance: string) => ({ balance, postpaid: '0', credit: '0' })
const [RICK, CAROL] = [2, 20]

test('a call of a reseller’s customer holds the money of both, for as long as both can pay', async () => {
  const { world, authorize, ended, release } = await aReseller(prepaid('1'), prepaid('8'))

  expect(await authorize({ call: 'one' })).toMatchObject({ seconds: 300, reserved: '2.000000' })
  expect([await heldMoney(world, RICK), await heldMoney(world, CAROL)]).toEqual([
    { held: '1', open: 1, balance: '1' },
    { held: '2', open: 1, balance: '8' },
  ])
  expect(await authorize({ call: 'one' })).toMatchObject({ seconds: 300 })
  expect(await authorize({ call: 'two' })).toMatchObject({ reason: 'no_money', hangupcause: 216 })
  pass(world, 60)
  await ended('one', 60, { sip_user: '2001' })
  expect([await heldMoney(world, RICK), await heldMoney(world, CAROL)]).toEqual([
    { held: '0', open: 0, balance: '0.8' },
    { held: '0', open: 0, balance: '7.6' },
  ])
  await authorize({ call: 'three', seconds: 60 })
  expect(await release({ call: 'three', sip_user: '2001' })).toEqual({ released: '0.400000' })
  expect(await heldMoney(world, RICK)).toMatchObject({ held: '0', open: 0 })
})

test('a call that ends while Balance_From is changed releases its hold', async () => {
  const { world, authorize, ended } = await bobsSwitch('8')

  await authorize({ call: 'one' })
  // The state of settings from the beginning of a change on (tools/commands/balance/balance-opening.ts).
  const set = { Balance_From: '', [OPENING_DAY]: '2026-03-01' }
  await world.store.update(settingsKey, { set }, {})
  pass(world, 720)
  await ended('one', 720)
  expect(await heldMoney(world)).toMatchObject({ held: '0', open: 0 })
})

test('holds without a CDR end for a customer and its reseller at once', async () => {
  const { world, authorize } = await aReseller(prepaid('1'), prepaid('2'))

  await authorize({ call: 'one' })
  pass(world, 300 + 300 + 900 + 1)
  expect(await authorize({ call: 'two' })).toMatchObject({ seconds: 300, reserved: '2.000000' })
  expect(notedTimes(world, 'hold_expired')).toBe(2)
})

test('a refused customer leaves no hold of its reseller', async () => {
  const { world, authorize } = await aReseller(prepaid('1'), prepaid('0'))

  expect(await authorize({ call: 'one' })).toMatchObject({ reason: 'no_money', hangupcause: 211 })
  expect(await heldMoney(world, RICK)).toMatchObject({ held: '0', open: 0 })
})

test('only the reseller is limited: only its money is held', async () => {
  const { world, authorize } = await aReseller(prepaid('1'), {})

  expect(await authorize({ call: 'one' })).toMatchObject({ seconds: 300, reserved: '0.000000' })
  expect([await heldMoney(world, RICK), await heldMoney(world, CAROL)]).toMatchObject([
    { held: '1' },
    { held: '0' },
  ])
})

test('a reseller spends its day on its own calls and on those of its customers', async () => {
  const { world, authorize } = await aReseller({ daily_balance_limit: '10', tariff_id: '1' }, {})
  const spent = {
    uniqueid: 'ricks',
    calldate: '2026-03-10 11:00:00',
    src: '1',
    dst: UK,
    user_price: '6',
    duration: '60',
    billsec: '60',
  }
  const resold = { ...spent, uniqueid: 'carols', user_id: '20', reseller_price: '3.8' }
  await world.given({ calls: [{ ...spent, user_id: '2' }, resold] })

  // 10 - 6 - 3.8 is a minute for either.
  for (const payer of [{ sip_user: '', account_code: 'rick' }, {}]) {
    expect(await authorize({ call: 'one', ...payer })).toMatchObject({ seconds: 60 })
    expect(await authorize({ call: 'two', ...payer })).toMatchObject({ reason: 'daily_limit' })
    pass(world, 2000)
  }
})

test('a reserve that the margin takes up is not a spent day', async () => {
  const { authorize } = await bobsSwitch('8', { reserve_seconds: '2' }, { Hangup_Margin_Seconds: '2' })

  expect(await authorize({ call: 'one' })).toMatchObject({ reason: 'no_money', hangupcause: 211 })
})

test('a blocked reseller blocks its customers', async () => {
  const { authorize } = await aReseller({ blocked: '1' }, {})

  expect(await authorize({ call: 'one' })).toMatchObject({ reason: 'blocked' })
})

test.each([-120, -5, 30])(
  'a switch whose clock is %i s off releases the hold of a short call',
  async (off) => {
    const { world, authorize, ended } = await bobsSwitch('8')

    await authorize({ call: 'one', seconds: 60 })
    pass(world, 1)
    await ended('one', 1, { start: Math.floor(world.now.getTime() / 1000) + off - 1 })
    expect(await heldMoney(world)).toMatchObject({ held: '0', open: 0 })
  },
)

test('clocks that differ by more than Clock_Tolerance keep a hold until it expires', async () => {
  const { world, authorize, ended } = await bobsSwitch('8', {}, { Clock_Tolerance: '4' })
  const end = (off: number) => ({ start: Math.floor(world.now.getTime() / 1000) + off - 1 })

  await authorize({ call: 'one', seconds: 60 })
  await ended('one', 1, end(-5))
  expect(await heldMoney(world)).toMatchObject({ open: 1 })
  await authorize({ call: 'two', seconds: 60 })
  await ended('two', 1, end(-4))
  expect(await heldMoney(world)).toMatchObject({ open: 1 })
})

test.each(['the same', 'a corrected'])(
  '%s CDR releases no hold of the next call of its id',
  async (which) => {
    const { world, authorize, ended } = await bobsSwitch('8')
    const start = Math.floor(world.now.getTime() / 1000) + 100

    await authorize({ call: 'one', seconds: 60 })
    await ended('one', 60, { start })
    pass(world, 61)
    await authorize({ call: 'one', seconds: 120 })
    await ended('one', which === 'the same' ? 60 : 59, { start })
    expect(await heldMoney(world)).toMatchObject({ held: '0.4', open: 1 })
  },
)

test('twenty short calls over a switch 5 s behind do not use up the money', async () => {
  const { world, authorize, ended } = await bobsSwitch('10', { calls_limit: '1' })

  for (let call = 0; call < 20; call += 1) {
    expect(await authorize({ call: `${call}` })).toMatchObject({ allow: true })
    pass(world, 3)
    await ended(`${call}`, 3, { start: Math.floor(world.now.getTime() / 1000) - 8 })
  }
  expect(await heldMoney(world)).toEqual({ held: '0', open: 0, balance: '9.8' })
})

test('the name of a hold has 16 bytes of the digest', () => {
  expect(holdName({ source: 'fs1', uniqueid: 'one' })).toMatch(/^h[\w-]{22}$/)
})

/** Stores bob's hold under the name of 8 bytes that earlier releases gave it. */
async function renameHold({ store }: World, call: string): Promise<void> {
  const [holds] = await findHolds(store, [10])
  const name = holdName({ source: 'fs1', uniqueid: call })
  const short = `h${Buffer.from(name.slice(1), 'base64url').subarray(0, 8).toString('base64url')}`
  await store.update(holdsKey(10), { set: { [name]: undefined, [short]: holds?.texts.get(name) } })
}

test('a hold under its earlier name of 8 bytes is found, replaced and released', async () => {
  const { world, authorize, release, ended } = await bobsSwitch('8')
  const asked = async (call: string) => {
    const answer = await authorize({ call, seconds: 60 })
    await renameHold(world, call)
    return answer
  }
  const first = await asked('one')
  await asked('two')

  expect(await authorize({ call: 'one', seconds: 60 })).toEqual(first)
  expect(await heldMoney(world)).toMatchObject({ held: '0.4', open: 2 })
  expect(await release({ call: 'two' })).toEqual({ released: '0.200000' })
  pass(world, 60)
  await ended('one', 60)
  expect(await heldMoney(world)).toEqual({ held: '0', open: 0, balance: '7.8' })
})

test('a call to another number replaces a hold under its earlier name', async () => {
  const given = prepaidBob('6')
  const rates = [...(given.rates ?? []), rate({ prefix: '49', tariff_rate: '0.4' })]
  const world = await aControlledWorld({ ...given, rates })
  const { authorize } = await aSwitch(world)
  await authorize({ call: 'one', seconds: 60 })
  await renameHold(world, 'one')

  expect(await authorize({ call: 'one', dst: '4930123456', seconds: 60 })).toMatchObject({
    reserved: '0.400000',
  })
  expect(await heldMoney(world)).toMatchObject({ held: '0.4', open: 1 })
})
