import { Command } from 'commander'
import { expect, test } from 'vitest'
import { services } from '#lib/billing/service.ts'
import { findRate, findTariff } from '#lib/rates/tariff.ts'
import { listNewestLogEntries } from '#lib/settings/audit-log.ts'
import { estates } from '#test/examples/estates.ts'
import { rowsOfList } from '#test/listed.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld } from '#test/world.ts'
import { declareNoun } from './record-commands.ts'
import { RECORD_NOUNS } from './record-nouns.ts'
import { addNoun, editNoun, listNoun, removeNoun, setOneRate, showNoun } from './record-tool.ts'

const { account, device, provider, subscription } = RECORD_NOUNS

const aTerminal = async () => {
  const world = await aWorld(estates)
  return { world, act: { as: 'admin', now: world.now }, store: world.store }
}

test('records are added and changed by names of what they name, and the log says by whom', async () => {
  const { world, act, store } = await aTerminal()

  const added = await addNoun(store, provider, { name: 'Rhine', tariff_id: 'Tariff of-0' }, act)
  const phone = await addNoun(store, device, { user_id: 'bob' }, act)
  const { id } = phone.json as { readonly id: number }
  await expect(editNoun(store, device, { word: '1001', values: { comment: 'x' } }, act)).rejects.toThrow(
    `1001 is the name of device ${id}, and the id of another one: use ${id} or phone-of-1`,
  )
  await editNoun(store, device, { word: `${id}`, values: { extension: '77', name: 'hall' } }, act)
  await addNoun(
    store,
    subscription,
    { user_id: 'carol', service_id: 'Service of-2', from: '2026-04-01' },
    act,
  )

  expect(added).toEqual({ lines: ['Added provider 2: Rhine'], json: { id: 2 } })
  expect(phone.lines.slice(0, 3)).toEqual([`Added device ${id}`, 'extension: 1001', 'name: 1001'])
  expect((await showNoun(store, device, 'hall')).lines).toEqual(
    expect.arrayContaining(['customer: of-10 (10)', 'secret: ********', 'extension: 77']),
  )
  const { rows } = await listNoun(store, device, 'bob')
  expect((await Array.fromAsync(rows)).map(({ name }) => name)).toEqual(['phone-of-10', '1001'])
  expect(await removeNoun(store, device, 'hall', { act, agree: async () => true })).toBe(
    `Removed device ${id} (hall)`,
  )
  const log = await listNewestLogEntries(store, 9)
  expect(log.map((entry) => [entry.who, 'action' in entry && entry.action])).toContainEqual([
    'admin',
    'added provider 2 "Rhine"',
  ])
  expect(await damageIn(world)).toEqual([])
})

test('a second equal subscription within a day needs --again', async () => {
  const { act, store } = await aTerminal()
  const add = (given = {}, again = false) =>
    addNoun(
      store,
      subscription,
      { user_id: 'carol', service_id: 'Service of-2', from: '2026-04-01', ...given },
      { ...act, again },
    )
  await add()

  await expect(add()).rejects.toThrow('of the same service was recorded within a day: pass --again')
  await add({}, true)
  await add({ user_id: 'bob', service_id: 'Service of-0' })
})

test('a refused record is one line that names the options; it takes no id and leaves nothing', async () => {
  const { world, act, store } = await aTerminal()
  const before = await world.dump()

  await expect(addNoun(store, account, { username: 'bob' }, act)).rejects.toThrow(
    '--username Username belongs to account 10',
  )
  await expect(
    addNoun(store, account, { username: 'x', credit: '1,5', vat_percent: 'y' }, act),
  ).rejects.toThrow('--vat-percent y: write an amount such as 12.50; --credit 1,5: write 1.5')
  await expect(addNoun(store, provider, { name: 'x', tariff_id: 'Tarif of-0' }, act)).rejects.toThrow(
    'There is no tariff Tarif of-0: did you mean Tariff of-0',
  )
  await expect(removeNoun(store, device, '1010', { act, agree: async () => false })).rejects.toThrow(
    'pass --yes',
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
  const values = { prefix: '370', tariff_rate: '0.15', effective_from: '2026-04-01' }

  const { lines } = await setOneRate(store, { tariff: 'Tariff of-10', values }, act)

  const tariff = await findTariff(store, 3010)
  const at = async (day: string) =>
    tariff &&
    (await findRate(store, tariff, {
      digits: '37060012345',
      at: Date.parse(`${day}T12:00:00Z`) / 1000,
      zone: 'UTC',
    }))
  expect(lines[0]).toBe('Tariff of-10: 370 is 0.15 from 2026-04-01')
  expect(tariff?.active?.rows).toBe(3)
  expect(await at('2026-03-31')).toMatchObject({ tariff_rate: '0.1' })
  expect(await at('2026-04-02')).toMatchObject({
    tariff_rate: '0.15',
    increment: 60,
    destination: 'Lithuania',
  })
  await expect(
    setOneRate(store, { tariff: '3010', values: { prefix: 'x', tariff_rate: '' } }, act),
  ).rejects.toThrow('--tariff-rate Fill this in; --prefix x: write at most 30 digits')
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
  expect(help).toMatch(/--secret-stdin +Secret: read it from standard input/)
  expect(command.commands.map((one) => one.name())).toEqual(['add', 'edit', 'remove', 'show', 'list'])
})

test('a service says how it is charged; one that is never charged is shown so, and is not added unasked', async () => {
  const world = await aWorld(estates)
  await world.given({
    services: [{ id: '90', name: 'Forgotten', owner_id: '0', price: '10', period: 'monthly' }],
  })
  const { store, now } = world
  const act = { as: undefined, now }
  const { service } = RECORD_NOUNS
  await expect(addNoun(store, service, { name: 'Line', price: '10' }, act)).rejects.toThrow(
    '--charged Fill this in',
  )
  await expect(addNoun(store, service, { name: 'Line', charged: 'weekly' }, act)).rejects.toThrow(
    '--charged weekly: choose one of once, monthly, daily, never_charged',
  )
  const { json } = await addNoun(store, service, { name: 'Line', price: '10', charged: 'monthly' }, act)
  const id = Object(json).id
  expect(await services.find(store, id)).toMatchObject({ type: 'periodic_fee', period: 'monthly' })
  await editNoun(store, service, { word: String(id), values: { price: '12' } }, act)
  expect(await services.find(store, id)).toMatchObject({ type: 'periodic_fee', period: 'monthly' })
  await editNoun(store, service, { word: String(id), values: { charged: 'once' } }, act)
  expect(await services.find(store, id)).toMatchObject({ type: 'one_time_fee', period: '' })

  const rows = await rowsOfList(await listNoun(store, service, undefined))
  expect(rows.filter(({ name }) => name === 'Line' || name === 'Forgotten')).toMatchObject([
    { name: 'Forgotten', charged: 'never_charged' },
    { name: 'Line', charged: 'once' },
  ])
})
