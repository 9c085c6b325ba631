import { Command } from 'commander'
import { expect, test } from 'vitest'
import { Refusal } from '#lib/base/refusal.ts'
import { services } from '#lib/billing/service.ts'
import { recordActs } from '#lib/dataset/records/record-acts.ts'
import { setRate } from '#lib/dataset/records/set-rate.ts'
import { findRate, findTariff } from '#lib/rates/tariff.ts'
import { listNewestLogEntries } from '#lib/settings/audit-log.ts'
import { estates } from '#test/examples/estates.ts'
import { rowsOfList } from '#test/listed.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld } from '#test/world.ts'
import { carryOutAs, outcomeLine } from './act-commands.ts'
import { declareNoun, listRecordsOf, showRecord } from './record-commands.ts'
import { refusedCommand } from './remedies.ts'

const aTerminal = async () => {
  const world = await aWorld(estates)
  return { world, act: { as: 'admin', now: world.now }, store: world.store }
}

const sentenceOf = (act: Promise<unknown>): Promise<unknown> =>
  act.then(
    () => 'done',
    (error: unknown) => (error instanceof Refusal ? refusedCommand(error).message : Promise.reject(error)),
  )

test('records are added and changed by names of what they name, and the log says by whom', async () => {
  const { world, act, store } = await aTerminal()
  const devices = recordActs('devices')
  const carol = { user_id: 'carol', service_id: 'Service of-2', from: '2026-04-01' }

  const provider = { name: 'Rhine', tariff_id: 'Tariff of-0' }
  const added = await carryOutAs(store, recordActs('providers').add, act, provider)
  const phone = await carryOutAs(store, devices.add, act, { user_id: 'bob' })
  const { id, generated } = phone.answer
  expect(await sentenceOf(carryOutAs(store, devices.change, act, { id: '1001', comment: 'x' }))).toBe(
    `1001 is the name of device ${id}, and the id of another one: use ${id} or phone-of-1`,
  )
  await carryOutAs(store, devices.change, act, { id, extension: '77', name: 'hall' })
  await carryOutAs(store, recordActs('subscriptions').add, act, carol)

  expect(outcomeLine(added)).toBe('Added provider 2 "Rhine"')
  expect(added.answer).toEqual({ id: '2', generated: {} })
  expect(generated).toMatchObject({ extension: '1001', name: '1001' })
  expect((await showRecord(store, 'devices', 'hall')).lines).toEqual(
    expect.arrayContaining(['customer: of-10 (10)', 'secret: ********', 'extension: 77']),
  )
  const { rows } = await listRecordsOf(store, 'device', 'bob')
  expect((await Array.fromAsync(rows)).map((row) => Object(row).name)).toEqual(['phone-of-10', '1001'])
  expect(await sentenceOf(carryOutAs(store, devices.remove, act, { id: 'hall' }))).toBe(
    `This removes device ${id} (hall): pass --yes`,
  )
  const removed = await carryOutAs(store, devices.remove, act, { id: 'hall', yes: 'yes' })
  expect(outcomeLine(removed)).toBe(`Removed device ${id} "hall"`)
  const log = await listNewestLogEntries(store, 9)
  expect(log.map((entry) => [entry.who, 'action' in entry && entry.action])).toContainEqual([
    'admin',
    'added provider 2 "Rhine"',
  ])
  expect(await damageIn(world)).toEqual([])
})

test('a second equal subscription within a day needs --again', async () => {
  const { act, store } = await aTerminal()
  const add = (given = {}) =>
    sentenceOf(
      carryOutAs(store, recordActs('subscriptions').add, act, {
        ...{ user_id: 'carol', service_id: 'Service of-2', from: '2026-04-01' },
        ...given,
      }),
    )

  expect(await add()).toBe('done')
  expect(await add()).toContain('of the same service was recorded within a day: pass --again')
  expect(await add({ again: 'yes' })).toBe('done')
  expect(await add({ user_id: 'bob', service_id: 'Service of-0' })).toBe('done')
})

test('a refused record is one line that names the options; it takes no id and leaves nothing', async () => {
  const { world, act, store } = await aTerminal()
  const before = await world.dump()
  const { add } = recordActs('accounts')

  expect(await sentenceOf(carryOutAs(store, add, act, { username: 'bob' }))).toBe(
    '--username Username belongs to account 10',
  )
  const wrong = { username: 'x', credit: '1,5', vat_percent: 'y' }
  expect(await sentenceOf(carryOutAs(store, add, act, wrong))).toBe(
    '--vat-percent y: write an amount such as 12.50; --credit 1,5: write 1.5',
  )
  const unknown = { name: 'x', tariff_id: 'Tarif of-0' }
  expect(await sentenceOf(carryOutAs(store, recordActs('providers').add, act, unknown))).toBe(
    'There is no tariff Tarif of-0, or you may not see it: did you mean Tariff of-0 or Tariff of-1 or Tariff of-2?',
  )
  expect(await world.dump()).toEqual(before)
})

test('one price is a new version; others are kept, and the earlier price holds until then', async () => {
  const { world, act, store } = await aTerminal()
  await world.given({
    rates: [
      { tariff_id: '3010', prefix: '370', tariff_rate: '0.1', increment: '60', destination: 'Lithuania' },
      { tariff_id: '3010', prefix: '44', tariff_rate: '0.2' },
    ],
  })
  const set = { id: 'Tariff of-10', prefix: '370', tariff_rate: '0.15', effective_from: '2026-04-01' }

  const outcome = await carryOutAs(store, setRate, act, set)

  const tariff = await findTariff(store, 3010)
  const at = async (day: string) =>
    tariff &&
    (await findRate(store, tariff, {
      digits: '37060012345',
      at: Date.parse(`${day}T12:00:00Z`) / 1000,
      zone: 'UTC',
    }))
  expect(outcomeLine(outcome)).toMatch(
    /^Set the rate of 370 to 0.15 from 2026-04-01 in tariff 3010 "Tariff of-10"/,
  )
  expect(tariff?.active?.rows).toBe(3)
  expect(await at('2026-03-31')).toMatchObject({ tariff_rate: '0.1' })
  expect(await at('2026-04-02')).toMatchObject({
    tariff_rate: '0.15',
    increment: 60,
    destination: 'Lithuania',
  })
  expect(await carryOutAs(store, setRate, act, set)).toMatchObject({ answer: { isChanged: false } })
  expect(
    await sentenceOf(carryOutAs(store, setRate, act, { id: '3010', prefix: 'x', tariff_rate: '' })),
  ).toBe('--tariff-rate Fill this in; --prefix x: write at most 30 digits')
  expect(await listNewestLogEntries(store, 9)).toContainEqual(
    expect.objectContaining({ action: expect.stringMatching(/^set the rate of 370 to 0.15/) }),
  )
})

test('the fields of a noun are options with their meaning, secrets come from standard input', () => {
  const command = new Command('device')
  declareNoun(command, 'device')
  const add = command.commands.find((one) => one.name() === 'add')
  const help = add?.helpInformation() ?? ''

  expect(help).toMatch(/--ipaddr <TEXT> +IP address/)
  expect(help).toMatch(/--secret-stdin +Secret: blank: a new one; read from standard\s+input/)
  expect(command.commands.map((one) => one.name())).toEqual(['add', 'edit', 'remove', 'show', 'list'])
})

test.each([2, 3, 4, 5])('two changes that move a device rule at once leave one rule (%s)', async (turn) => {
  const { world, act, store } = await aTerminal()
  const phone = async () =>
    (await carryOutAs(store, recordActs('devices').add, act, { user_id: 'bob' })).answer.id
  const [first, second] = [await phone(), await phone()]
  const { add, change } = recordActs('device-rules')
  const rule = { device_id: first, name: 'Out', cut: '9' }
  const added = await carryOutAs(store, add, act, rule)
  const { id } = added.answer
  let reads = 0
  const getMany: typeof store.getMany = async (keys, consistency) => {
    const found = await store.getMany(keys, consistency)
    const isOfPointer = keys.some(({ PK }) => PK === `DEVRULE#${id}`)
    if (isOfPointer && ++reads === turn) await carryOutAs(store, change, act, { id, device_id: second })
    return found
  }
  const late = carryOutAs({ ...store, getMany }, change, act, { ...rule, id, cut: '8' })
  expect(await sentenceOf(late)).toMatch(/^done$|^There is no device rule/)
  expect(await damageIn(world)).toEqual([])
})

test('a new record is asked for what it needs, a change for nothing', () => {
  const asked = (inputs: object) => Object.keys(inputs).filter((name) => Reflect.get(inputs, name).isAsked)
  for (const name of ['accounts', 'devices', 'services', 'tariffs'] as const) {
    const { add, change } = recordActs(name)
    expect(asked(change.input), name).toEqual([])
    expect(asked(add.input).length, name).toBeGreaterThan(0)
  }
})

test('a service says how it is charged; one that is never charged is shown so, and is not added unasked', async () => {
  const world = await aWorld(estates)
  await world.given({
    services: [{ id: '90', name: 'Forgotten', owner_id: '0', price: '10', period: 'monthly' }],
  })
  const { store, now } = world
  const act = { as: undefined, now }
  const { add, change } = recordActs('services')
  expect(await sentenceOf(carryOutAs(store, add, act, { name: 'Line', price: '10' }))).toBe(
    '--charged Fill this in',
  )
  expect(await sentenceOf(carryOutAs(store, add, act, { name: 'Line', charged: 'weekly' }))).toContain(
    '--charged weekly: choose one of once, monthly, daily, never_charged',
  )
  const asked = 'costs 10, and is never charged: pass --yes'
  const kept = { name: 'Kept', price: '10', charged: 'never_charged' }
  expect(await sentenceOf(carryOutAs(store, add, act, kept))).toBe(`Kept ${asked}`)
  await carryOutAs(store, add, act, { ...kept, yes: 'yes' })
  await carryOutAs(store, add, act, { ...kept, price: '0', name: 'Free' })
  const subscribed = { user_id: '10', service_id: '90', from: '2026-04-01' }
  const subscribe = recordActs('subscriptions').add
  expect(await sentenceOf(carryOutAs(store, subscribe, act, subscribed))).toBe(`Forgotten ${asked}`)
  await carryOutAs(store, subscribe, act, { ...subscribed, yes: 'yes' })
  const subscriptions = await rowsOfList(await listRecordsOf(store, 'subscription', undefined))
  expect(JSON.stringify(subscriptions)).toContain('Forgotten (never charged)')
  const line = { name: 'Line', price: '10', charged: 'monthly' }
  const { id } = (await carryOutAs(store, add, act, line)).answer
  expect(await services.find(store, Number(id))).toMatchObject({ type: 'periodic_fee', period: 'monthly' })
  await carryOutAs(store, change, act, { id, price: '12' })
  expect(await services.find(store, Number(id))).toMatchObject({ type: 'periodic_fee', period: 'monthly' })
  await carryOutAs(store, change, act, { id, charged: 'once' })
  expect(await services.find(store, Number(id))).toMatchObject({ type: 'one_time_fee', period: '' })
  for (const into of [{ charged: 'never_charged' }, { charged: 'never_charged', price: '10' }])
    expect(await sentenceOf(carryOutAs(store, change, act, { id, ...into }))).toBe(
      `Line costs ${into.price ?? 12}, and is never charged: pass --yes`,
    )
  await carryOutAs(store, change, act, { id, charged: 'never_charged', price: '0' })
  expect(await sentenceOf(carryOutAs(store, change, act, { id, price: '3' }))).toBe(
    'Line costs 3, and is never charged: pass --yes',
  )
  await carryOutAs(store, change, act, { id, price: '3', yes: 'yes' })
  // It is one already: other changes ask nothing.
  await carryOutAs(store, change, act, { id, name: 'Line 2' })
  await carryOutAs(store, change, act, { id, name: 'Line', charged: 'once' })
  const own = { user_id: '10', service_id: id, from: '2026-04-01' }
  const { id: subscription } = (await carryOutAs(store, subscribe, act, own)).answer
  const resubscribe = recordActs('subscriptions').change
  expect(await sentenceOf(carryOutAs(store, resubscribe, act, { id: subscription, service_id: '90' }))).toBe(
    `Forgotten ${asked}`,
  )
  await carryOutAs(store, resubscribe, act, { id: subscription, memo: 'Paid by cheque' })

  const rows = await rowsOfList(await listRecordsOf(store, 'service', undefined))
  expect(rows.filter(({ name }) => name === 'Line' || name === 'Forgotten')).toMatchObject([
    { name: 'Forgotten', charged: 'never_charged' },
    { name: 'Line', charged: 'once' },
  ])
})
