import { expect, test } from 'vitest'
import { heldMoney } from '#test/control/money.ts'
import { aControlledWorld, aSwitch, knownSwitch, pass, prepaidBob } from '#test/control/switch.ts'
import { rate, ricksTariff } from '#test/examples/tariffs.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { damageIn } from '#test/soundness.ts'
import { type World, withClient } from '#test/world.ts'

// The process dies before or after each of its table requests, and the switch or queue tries again.

const [RICK, CAROL] = [2, 20]

/** Carol is Rick's customer, both are prepaid, and she pays twice what he does. */
async function aReseller() {
  const given = prepaidBob('8')
  const limits: Readonly<Record<string, object>> = {
    rick: { tariff_id: '1', balance: '1000', postpaid: '0', credit: '0' },
    carol: { tariff_id: ricksTariff, balance: '1000', postpaid: '0', credit: '0' },
  }
  const users = given.users?.map((user) => ({ ...user, ...limits[String(user['username'])] })) ?? []
  const currencies = [{ name: 'EUR', exchange_rate: '1', auto_update: '0' }]
  const rates = [...(given.rates ?? []), rate({ tariff_id: ricksTariff, prefix: '44', tariff_rate: '0.4' })]
  const world = await aControlledWorld({ ...given, users, currencies, rates })
  const { authorization } = await aSwitch(world)
  const through = (one: World) => knownSwitch(one, authorization, { sip_user: '2001' })
  return { world, through }
}

/** The same world in a process that dies at a request, and whether it did. */
function dyingAt(world: World, at: number, isCarriedOut: boolean) {
  const state = { requests: 0, hasDied: false }
  const client = aroundRequests(world.table.client, async (_command, send) => {
    state.requests += 1
    if (state.requests <= at) return send()
    if (!state.hasDied && isCarriedOut) await send()
    state.hasDied = true
    throw Object.assign(new Error('The process is dead'), { code: 'ECONNRESET' })
  })
  return { state, dying: withClient(world, client) }
}

const moneyOf = async (world: World) => [await heldMoney(world, RICK), await heldMoney(world, CAROL)]

const held = (ofRick: string, ofCarol: string) => [{ held: ofRick }, { held: ofCarol }]

/** Repeats a scene, dying at each request until the process survives. Returns the requests made. */
async function dyingEverywhere(scene: (at: number, isCarriedOut: boolean) => Promise<boolean>) {
  for (let at = 0; ; at += 1) {
    const [before, after] = [await scene(at, false), await scene(at, true)]
    if (!before && !after) return at
  }
}

test('a server killed while it authorises leaves at most the hold that the next answer names', async () => {
  const { world, through } = await aReseller()
  const sw = through(world)

  const requests = await dyingEverywhere(async (at, isCarriedOut) => {
    const { state, dying } = dyingAt(world, at, isCarriedOut)
    const call = `${at}-${isCarriedOut}`
    await through(dying).authorize({ call, seconds: 60 })
    expect(await sw.authorize({ call, seconds: 60 })).toMatchObject({ seconds: 60, reserved: '0.400000' })
    expect(await moneyOf(world)).toMatchObject(held('0.2', '0.4'))
    expect(await sw.release({ call })).toEqual({ released: '0.400000' })
    expect(await moneyOf(world)).toMatchObject(held('0', '0'))
    return state.hasDied
  })
  expect(requests).toBeGreaterThan(5)
  expect(await damageIn(world)).toEqual([])
})

test('a consumer killed around charge or release has done both once when the CDR comes again', async () => {
  const { world, through } = await aReseller()
  const sw = through(world)
  let calls = 0

  const requests = await dyingEverywhere(async (at, isCarriedOut) => {
    const { state, dying } = dyingAt(world, at, isCarriedOut)
    const call = `${at}-${isCarriedOut}`
    await sw.authorize({ call, seconds: 60 })
    pass(world, 60)
    const end = { start: Math.floor(world.now.getTime() / 1000) - 60 }
    await through({ ...dying, now: world.now })
      .ended(call, 60, end)
      .catch(() => {})
    await sw.ended(call, 60, end)
    calls += 1
    expect(await moneyOf(world)).toEqual([
      { held: '0', open: 0, balance: String((10_000 - 2 * calls) / 10) },
      { held: '0', open: 0, balance: String((10_000 - 4 * calls) / 10) },
    ])
    return state.hasDied
  })
  expect(requests).toBeGreaterThan(5)
  expect(await damageIn(world)).toEqual([])
})
