import { expect, test } from 'vitest'
import type { Item } from '#lib/table/items.ts'
import { aConsoleClient, type ConsoleClient } from '#test/console/console-client.ts'
import { aSwitch, prepaidBob, UK } from '#test/control/switch.ts'
import { searchedCalls, suspenseOf } from '#test/dump.ts'
import { people, withCheapHash } from '#test/examples/examples.ts'
import { anIntake, post } from '#test/mediation/intake.ts'
import { damageIn } from '#test/soundness.ts'
import { isSweep } from '#test/sweep.ts'
import { aWorld, type World } from '#test/world.ts'
import { sharedNamesAmong } from '#tools/commands/check-data/shared-names.ts'
import { method as detailsUpdate } from '../functions/accounts/user_details_update.ts'
import { method as register } from '../functions/accounts/user_register.ts'
import { method as deviceCreate } from '../functions/devices/device_create.ts'
import { method as deviceUpdate } from '../functions/devices/device_update.ts'

// Two resellers fight each other and the operator with the texts that they may choose: usernames, names and
// extensions of devices, addresses and Call-IDs. What the operator gave to Bob, and each to its own
// customers, stays theirs.

const SEEDS = isSweep ? 20 : 3
const STEPS = 25

const device = (id: string, user_id: string, name: string, more = {}) => ({
  ...{ id, user_id, name, extension: '', device_type: 'SIP' },
  ...more,
})

const rows = {
  ...prepaidBob('100'),
  users: people.map((person) => ({
    ...withCheapHash(person),
    tariff_id: '1',
    balance: '100',
    postpaid: '0',
  })),
  devices: [
    device('1', '10', 'lobby', { extension: '2030' }),
    device('2', '10', 'trunk', { host: '198.51.100.7', authentication: 'ip' }),
    device('3', '20', 'of-carol', { extension: '2040' }),
    device('4', '30', 'of-dave', { extension: '2050', host: '198.51.100.8', authentication: 'ip' }),
  ],
}

const SETTINGS = {
  ...{ Call_Control: '1', Balance_From: '2026-03-01', Hangup_Margin_Seconds: '0' },
  ...{ API_allow_Registration: '1', Default_User_Tariff: '1' },
  ...{ Device_Range_MIN: '2030', Device_Range_MAX: '2999' },
}

/** What belongs to somebody, its likenesses, and what is free. */
const WORDS =
  'lobby 2030 trunk bob Bob b\u043eb 10 20 30 carol dave rick 2040 2050 of-carol of-dave free-1 free-2 2099'.split(
    ' ',
  )
const ADDRESSES = '198.51.100.7 198.51.100.8 198.51.100.9'.split(' ')

const TENANTS = [
  { name: 'rick', customer: 20, devices: [3] },
  { name: 'rita', customer: 30, devices: [4] },
] as const

/** Hints of a CDR, and the account that the operator, or its reseller, gave them to. */
const GIVEN: readonly (readonly [hint: string, text: string, owner: number])[] = [
  ['account_code', 'bob', 10],
  ['account_code', '10', 10],
  ['device', 'lobby', 10],
  ['ip', '198.51.100.7', 10],
  ['account_code', '20', 20],
  ['account_code', '30', 30],
]

const DONE = /User updated|device_created|successfully updated|Registration successful|"status":200/

/** Numbers below a bound, the same for the same seed. */
function drawing(seed: number) {
  let state = seed
  return (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

async function aFight(world: World, below: (bound: number) => number) {
  const clients = new Map<string, ConsoleClient>()
  for (const { name } of TENANTS) {
    const client = aConsoleClient(world)
    expect((await client.signIn(name, `password of ${name}`)).status).toBe(200)
    clients.set(name, client)
  }
  const one = <T>(of: readonly T[]): T => of[below(of.length)] as T
  const acts = [
    (tenant: Tenant) => world.call(detailsUpdate, tenant.name, { user_id: tenant.customer, u9: one(WORDS) }),
    (tenant: Tenant) =>
      world.call(deviceCreate, tenant.name, { user_id: tenant.customer, extension: one(WORDS) }),
    (tenant: Tenant) =>
      world.call(deviceUpdate, tenant.name, {
        device: one([...tenant.devices, 1, 2]),
        device_name: one(WORDS),
        extension: one(WORDS),
      }),
    (tenant: Tenant) =>
      world.call(deviceUpdate, tenant.name, {
        device: one(tenant.devices),
        authentication: '1',
        host: one(ADDRESSES),
      }),
    () =>
      world.call(register, undefined, {
        ...{ email: `${below(1e6)}@example.com`, device_type: 'SIP', username: one(WORDS), country_id: '80' },
        ...{ first_name: 'J', last_name: 'D', password: 'Secret-1', password2: 'Secret-1' },
      }),
    (tenant: Tenant) =>
      clients.get(tenant.name)?.send('POST', '/records/devices', {
        ...{ user_id: String(tenant.customer), name: one(WORDS), extension: one(WORDS) },
        ...{ host: one(ADDRESSES), authentication: one(['ip', 'password']) },
      }),
    (tenant: Tenant) =>
      clients.get(tenant.name)?.send('PUT', `/records/accounts/${one([tenant.customer, 10])}`, {
        username: one(WORDS),
      }),
  ]
  return () => one(acts)(one(TENANTS))
}

type Tenant = (typeof TENANTS)[number]

/** The customers that a switch's CDRs with the given hints are charged to. */
async function payersOf(world: World, authorization: string, step: number) {
  const start = world.now.getTime() / 1000 - 60
  const body = GIVEN.map(([hint, text], index) => {
    const cells = ['account_code', 'device', 'ip'].map((name) => (name === hint ? text : ''))
    return `${step}-${index},${start},1,${UK},60,60,${cells.join(',')}\n`
  })
  const header = 'uniqueid,start,src,dst,duration,billsec,account_code,device,ip\n'
  await post(world, 'csv', { body: header + body.join(''), headers: { authorization } })
  const payers = new Map((await searchedCalls(world)).map(({ uniqueid, user_id }) => [uniqueid, user_id]))
  return GIVEN.map(([hint, text], index) => [hint, text, payers.get(`${step}-${index}`)])
}

test.each(Array.from({ length: SEEDS }, (_, index) => index + 1))(
  'two hostile tenants take nothing of each other or of the operator (seed %i)',
  async (seed) => {
    const world = await aWorld(rows, SETTINGS)
    const below = drawing(seed)
    const act = await aFight(world, below)
    const told: string[] = []
    for (let step = 0; step < STEPS; step += 1) told.push(JSON.stringify(await act()))
    const done = told.filter((one) => DONE.test(one)).length
    expect([done > 0, told.length - done > STEPS / 3]).toEqual([true, true])

    const authorization = await anIntake(world, 'fs1')
    expect(await payersOf(world, authorization, seed)).toEqual(GIVEN)
    expect(await suspenseOf(world)).toEqual([])
    const { authorize } = await aSwitch(world, 'fs2')
    for (const hint of [{ account_code: 'bob' }, { sip_user: 'lobby' }, { ip: '198.51.100.7' }])
      expect(await authorize({ sip_user: '', call: `c${seed}`, ...hint })).toMatchObject({ allow: true })
    expect(await sharedNamesAmong(world.store, (await world.dump()) as Item[])).toEqual([])
    expect(await damageIn(world)).toEqual([])
  },
  60_000,
)
