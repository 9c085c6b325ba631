import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FileName, fileNames } from '#lib/dataset/import/files.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import { fitsXml } from '#lib/domain/text.ts'
import { loadFunctionFiles } from '#lib/local/contracts/function-files.ts'
import { settingKeys } from '#lib/store/keys.ts'
import { everyItem } from '#lib/store/requests/scan.ts'
import type { DumpedItem } from '#lib/testing/dump.ts'
import { everything } from '#lib/testing/everything.ts'
import { hostileText } from '#lib/testing/hostile-text.ts'
import { damageIn } from '#lib/testing/soundness.ts'
import { aWorld, type World } from '#lib/testing/world.ts'
import { type ExportWish, exportDataset } from './export.ts'

const aFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'export-'))

async function exportOf(world: World, wish: Partial<ExportWish> = {}) {
  const folder = wish.folder ?? (await aFolder())
  const said: string[] = []
  const pages = everyItem({ ...world.table, meter: world.meter })
  const files = await exportDataset(
    { store: world.store, pages },
    { files: fileNames, withSecrets: true, warn: (sentence) => said.push(sentence), ...wish, folder },
  )
  return { folder, files, said }
}

async function importOf(folder: string): Promise<World> {
  const world = await aWorld()
  const reports = await importPath({ store: world.store, clock: () => world.now }, folder)
  expect(reports.flatMap(({ file, refused }) => [...refused].map((reason) => [file, ...reason]))).toEqual([])
  return world
}

const methods = (await loadFunctionFiles()).map(({ method }) => method)

type Parameters = Readonly<Record<string, string | number>>

/** Beyond a call without parameters. */
const REQUESTS: Readonly<Record<string, readonly Parameters[]>> = {
  devices_get: [{ user_id: 10, show_hidden_devices: 1 }, { user_id: 20 }, { user_id: 2 }, { user_id: 40 }],
  device_details_get: [{ device_id: 100 }, { device_id: 200 }, { device_id: 402 }],
  device_rules_get: [{ device_id: 100 }, { device_id: 200 }],
  credit_notes_get: [{ user_id: 10 }],
  financial_statements_get: [{ date_from: 0 }, { user_id: 20, date_from: 0 }],
  payments_get: [{ s_from: 0 }, { s_user_id: 10, s_from: 0 }],
  invoices_get: [{ from: 0 }],
  subscriptions_get: [{ s_user_id: 10 }],
  local_calls_get: [{ from: 0 }],
  queue_log_get: [{ from: 0 }],
  user_calls_get: [{ period_start: 0 }, { s_user: 20, period_start: 0 }, { s_user: 10, period_start: 0 }],
  location_rule_get: [{ location_rule_id: 100 }, { location_rule_id: 401 }],
  location_rules_get: [{ location_id: 1 }, { location_id: 2 }],
  rate_get: [{ prefix: '37061', username: 'bob' }],
  tariff_rates_get: [{ tariff_id: 1 }, { tariff_id: 2 }],
  device_create: [{ user_id: 10, description: 'desk' }],
  device_update: [{ device: 100, comment: 'other' }],
  device_rule_create: [{ device_id: 100, name: 'New', cut: '1' }],
  device_rule_delete: [{ device_rule_id: 5 }],
  location_rule_create: [{ location_id: 1, name: 'New', cut: '77', lcr_id: 1 }],
  location_rule_copy: [{ location_rule_id: 100, location_id: 2 }],
  location_rule_update: [{ location_rule_id: 101, name: 'Other' }],
  location_rule_delete: [{ location_rule_id: 100 }],
  exchange_rate_update: [{ currency: 'EUR', rate: '0.7' }],
  device_delete: [{ device: 402 }],
}

const CALLERS = ['admin', 'alice', 'rick', 'rita', 'pat', 'bob', 'carol', undefined]

/** What every method answers to everybody; those that write come last, one after the other. */
async function answersOf(world: World): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  const inOrder = [...methods].sort((one, other) => one.access.localeCompare(other.access))
  for (const method of inOrder.filter(({ name }) => name !== 'user_login'))
    for (const caller of CALLERS)
      for (const params of [{}, ...(REQUESTS[method.name] ?? [])])
        answers[`${method.name} ${caller} ${JSON.stringify(params)}`] = withoutChance(
          await world.call(method, caller, params),
        )
  return answers
}

/** A new device has a password that nobody could foresee. */
const withoutChance = (answer: string): string =>
  answer.replaceAll(/<(\w*(?:secret|password))>[^<]*/g, '<$1>')

/** What says how the data came, not what it is. */
const HISTORY = /^(DATASET#|ID#|EXTMARK|EXTFREE|STATS#|SETTINGS LOG|\S+ SWITCH#|\S+ VERSION#)/
const HISTORY_OF_AN_ITEM = new Set(['digest', 'version', 'versions', 'active', 'last_version', 'leftovers'])

function product(dump: readonly DumpedItem[]): unknown[] {
  const active = new Map(dump.map((item) => [item.PK, item['active']]))
  return dump
    .filter(({ PK, SK }) => !HISTORY.test(`${PK} ${SK}`))
    .flatMap((item) => {
      const [, list = '', version] = /^(RATES#\d+|DESTINATIONS)#(\d+)$/.exec(item.PK) ?? []
      const header = list.replace('RATES', 'TARIFF').replace('DESTINATIONS', 'DIRECTORY')
      if (list !== '' && active.get(header) !== Number(version)) return []
      return [withoutHistory(list === '' ? item : { ...item, PK: list })]
    })
    .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}

const withoutHistory = (item: DumpedItem): object =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => !HISTORY_OF_AN_ITEM.has(name) && !/digest/.test(name))
      .sort(),
  )

/** An installation in which things have happened: accounts have gone to other owners, clients have created and changed. */
async function aLivedInWorld(text: string): Promise<World> {
  const world = await aWorld()
  await world.set({
    Devices_Check_Rate: '1',
    Queue_Log_Enabled: '1',
    Device_Range_MIN: '1000',
    Device_Range_MAX: '1100',
  })
  const { active_calls, ...rows } = withText(text)
  await world.given(rows)
  await world.given({ users: [{ id: '20', owner_id: '3' }] })
  await world.given({ active_calls })
  await world.given({
    devices: [{ id: '402', user_id: '10', name: 'plain', host: '192.0.2.1', hidden: '1' }],
  })
  const call = (name: string, params: Parameters) => {
    const method = methods.find((one) => one.name === name)
    if (!method) throw new Error(`There is no method ${name}`)
    return world.call(method, 'admin', params)
  }
  await call('device_create', { user_id: 40, pin: '4711' })
  await call('device_update', { device: 200, comment: 'x', call_limit: 3 })
  await call('device_rule_create', { device_id: 100, name: 'n', add: '1' })
  await call('location_rule_copy', { location_rule_id: 101, location_id: 5 })
  await call('exchange_rate_update', { currency: 'GBP', rate: '0.71' })
  return world
}

const line = (text: string): string => text.replaceAll(/[\t\r\n]/g, ' ').slice(0, 200)

/** The text in every kind of column that takes any. */
const withText = (text: string) => ({
  ...everything,
  users: everything.users.map((user) => ({ ...user, last_name: text, tariff_id: '1' })),
  devices: everything.devices.map((device, place) => ({
    ...device,
    description: text,
    ...(place === 1 && { note: text }),
  })),
  rates: everything.rates.map((rate, place) => ({
    ...rate,
    destination: line(text),
    ...(place === 0 && {
      effective_from: '2026-10-25 00:30:00Z',
      start_time: '08:00:00',
      daytype: 'weekday',
    }),
  })),
  providers: [{ id: '1', name: `name ${text}`, tariff_id: '1' }],
  queue_log: everything.queue_log.map((entry) => ({ ...entry, data1: text })),
  payments: everything.payments.map((payment) => ({ ...payment, comments_for_user: text })),
  credit_notes: everything.credit_notes.map((note) => ({ ...note, comment: text })),
  invoice_products: everything.invoice_products.map((row) => ({ ...row, name: text })),
})

const storable = hostileText.filter((text) => fitsXml(text) && !['\\N', '0000-00-00'].includes(text))

test('what was exported makes the same product in an empty table', async () => {
  await fc.assert(
    fc.asyncProperty(storable, async (text) => {
      const world = await aLivedInWorld(text)
      const { folder, said } = await exportOf(world)
      const copy = await importOf(folder)

      expect(said).toEqual([])
      expect(product(await copy.dump())).toEqual(product(await world.dump()))
      expect(await damageIn(copy)).toEqual([])
      expect(await answersOf(copy)).toEqual(await answersOf(world))
    }),
    { numRuns: 4, examples: [['NULL'], [`"'=1,2\r\n;\u2028 `]] },
  )
})

const SECRETS = ['secret-of-tests', 'bobs-secret-1', 'never-shown', '4711']

test('secrets are left out as columns and rows, and it says what a new table would lack', async () => {
  const world = await aWorld(everything)
  const { folder, files } = await exportOf(world, { withSecrets: false })
  const names = await readdir(folder)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))

  expect(texts.join('')).not.toMatch(new RegExp(SECRETS.join('|')))
  expect(texts[names.indexOf('users.csv')]).not.toMatch(/password|uniquehash/)
  expect(
    new Map(files.flatMap(({ file, leftOut }) => (leftOut.size > 0 ? [[file, [...leftOut]]] : []))),
  ).toEqual(
    new Map<FileName, unknown>([
      ['settings', [['API_Secret_Key', 1]]],
      [
        'users',
        [
          ['password_hash', 10],
          ['uniquehash', 10],
        ],
      ],
      [
        'devices',
        [
          ['secret', 4],
          ['portal_password', 1],
        ],
      ],
    ]),
  )
})

test('files are for their owner alone, and nothing is written over', async () => {
  const world = await aWorld(everything)
  const { folder, files } = await exportOf(world, { files: ['users', 'devices'] })

  expect(files.map(({ file, rows }) => [file, rows])).toEqual([
    ['users', 10],
    ['devices', 4],
  ])
  for (const { path } of files) expect((await stat(path)).mode & 0o777).toBe(0o600)
  await expect(exportOf(world, { folder, files: ['devices'] })).rejects.toThrow('is there already')
  await exportOf(world, { folder, files: ['dids'] })
  expect((await readdir(folder)).sort()).toEqual(['devices.ndjson', 'dids.csv', 'users.csv'])
})

test('devices are CSV where all have the same further columns', async () => {
  const world = await aWorld({ users: everything.users, devices: everything.devices.slice(1) })
  const { folder } = await exportOf(world, { files: ['devices'] })

  expect(await readdir(folder)).toEqual(['devices.csv'])
})

test('an export that fails leaves no file behind', async () => {
  const world = await aWorld(everything)
  const folder = await aFolder()
  const pages = (async function* () {
    yield await world.dump()
    throw new Error('the network is gone')
  })()
  const wish = { folder, files: fileNames, withSecrets: true, warn: () => {} }

  await expect(exportDataset({ store: world.store, pages }, wish)).rejects.toThrow('network')
  expect(await readdir(folder)).toEqual([])
})

test('an item that cannot be read, and a text that an import would not take, are told', async () => {
  const world = await aWorld(everything)
  await world.store.update({ PK: 'DID#1', SK: 'DID' }, { set: { did: 5 } })
  await world.store.update({ PK: 'LCR#1', SK: 'LCR' }, { set: { name: '\\N' } })
  const { said, files } = await exportOf(world, { files: ['dids', 'lcrs'] })

  expect(said).toEqual([
    expect.stringMatching(/^DID#1 DID cannot be read, and is left out: /),
    'LCR#1: an import will take the text \\N for no value',
  ])
  expect(files.map(({ rows }) => rows)).toEqual([everything.dids.length - 1, everything.lcrs.length])
})

test('a call and an internal call count for whom their rows say', async () => {
  const folder = await aFolder()
  const world = await aWorld({ users: everything.users })
  await writeFile(
    join(folder, 'calls.csv'),
    'uniqueid,calldate,user_id,user_price,owner_id\na,2026-03-10 09:00:00,20,1,3\nb,2026-03-10 09:00:00,20,1,\nc,2026-03-10 09:00:00,20,1,77\n',
  )
  const [report] = await importPath({ store: world.store, clock: () => world.now }, folder)

  expect(report?.refused).toEqual(new Map([[4, 'owner_id: there is no account 77']]))
  const calls = (await world.dump()).filter(({ PK }) => PK.startsWith('CALL#'))
  expect(calls.map(({ uniqueid, owner_id, direct }) => [uniqueid, owner_id, direct])).toEqual([
    ['a', 3, false],
    ['b', 2, false],
  ])
  expect(await world.store.get(settingKeys.item)).toBeDefined()
})
