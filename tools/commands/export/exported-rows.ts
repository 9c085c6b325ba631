import { readCredentials } from '#lib/accounts/account.ts'
import { asOf } from '#lib/accounts/account-history.ts'
import {
  accounts,
  readWholeColumns,
  type WholeCaller,
  wholeAccountColumns,
} from '#lib/accounts/whole-account.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { adjustments } from '#lib/billing/adjustment.ts'
import { charges } from '#lib/billing/charges/charge.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import { invoices, withPayments } from '#lib/billing/invoice.ts'
import { productsOf } from '#lib/billing/invoice-product.ts'
import { payments } from '#lib/billing/payment.ts'
import { services } from '#lib/billing/service.ts'
import { subscriptions } from '#lib/billing/subscription.ts'
import { isCall } from '#lib/calls/call.ts'
import { dayListKeys } from '#lib/calls/day-list.ts'
import { activeCallKeys, isListedCall, readActiveCall } from '#lib/calls/live/active-call-stored.ts'
import { localCallKeys } from '#lib/calls/local-call.ts'
import { queueLogKeys } from '#lib/calls/queue-log.ts'
import type { FileName } from '#lib/dataset/import/files.ts'
import { deviceRules } from '#lib/devices/device-rule-stored.ts'
import { devices, locationOf } from '#lib/devices/device-stored.ts'
import { dids } from '#lib/devices/did.ts'
import { lcrs, locationGroups, locationRules, locations } from '#lib/devices/location-rule-stored.ts'
import { currencies } from '#lib/rates/currency.ts'
import { destinationIn, directoryKey, directoryList, toDirectory } from '#lib/rates/destination.ts'
import { npaInLine, npaList, npasKey } from '#lib/rates/origins/jurisdiction.ts'
import { originsInLines } from '#lib/rates/origins/origins.ts'
import { activeVersion, linesBeside, pagesOf, readVersions } from '#lib/rates/prefix-versions.ts'
import { providers } from '#lib/rates/provider.ts'
import { pagesOfRates, ratesOf, readTariff, tariffs } from '#lib/rates/tariff.ts'
import { SETTINGS } from '#lib/settings/declared-settings.ts'
import { isSettingName, settingNames } from '#lib/settings/settings.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { type Columns, text } from '#lib/table/columns.ts'
import type { Entity } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { callerKey, isSameKey, isUnder, keyIn, keyReader, tariffKey } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { ROW } from '#lib/table/table.ts'
import { checkCall, checkListedCall, checkQueueLogEntry } from '../../integrity/checked-rows.ts'

/** The items from which an export takes the rows of a file. */
export interface ExportedRows {
  readonly entity?: Entity
  /** Returns whether an item holds rows of the file, or leads to them. */
  readonly holds: (item: Item) => boolean
  /** Reads an item that is a row. Throws if it cannot be read. */
  readonly read?: (item: Item) => object
  /** Reads the rows that an item leads to, batch by batch. */
  readonly rows?: (item: Item, store: Store) => AsyncIterable<readonly object[]> | Iterable<readonly object[]>
  /** The exported columns, if they differ from those of the file. */
  readonly columns?: Columns
  /** The cells of columns that are not listed. */
  readonly further?: (item: Item) => readonly (readonly [name: string, value: string])[]
  /** Returns whether an export without secrets leaves out the whole row. */
  readonly isSecret?: (row: Item) => boolean
}

export async function* rowsOfItem({ read, rows }: ExportedRows, item: Item, store: Store) {
  if (read) yield [read(item)]
  if (rows) yield* rows(item, store)
}

const rowsOf = (entity: Entity): ExportedRows => ({
  entity,
  holds: isUnder(entity.key),
  read: entity.check,
})

const readWholeCaller = (item: Item): WholeCaller => ({
  ...readWholeColumns(asOf(item, secondsOf(new Date()))),
  ...readCredentials(item),
})

const isActiveCall = isUnder(activeCallKeys.item)

export const exportedRows: Readonly<Record<FileName, ExportedRows>> = {
  settings: {
    holds: (item) => isSameKey(keyIn(item), settingsKey),
    rows: storedSettings,
    isSecret: ({ name }) => isSettingName(String(name)) && SETTINGS[name as 'API_Secret_Key'].masked === true,
  },
  currencies: rowsOf(currencies),
  /** The copy of the account under its username has the password hash. */
  users: {
    entity: accounts,
    holds: isUnder(callerKey),
    read: readWholeCaller,
    columns: { ...wholeAccountColumns, password_hash: text() },
  },
  tariffs: rowsOf(tariffs),
  origins: { holds: isUnder(tariffKey), rows: originsInForce },
  rates: { holds: isUnder(tariffKey), rows: ratesInForce },
  npas: { holds: (item) => isSameKey(keyIn(item), npasKey), rows: storedNpas },
  destinations: { holds: (item) => isSameKey(keyIn(item), directoryKey), rows: storedDestinations },
  providers: rowsOf(providers),
  devices: {
    ...rowsOf(devices),
    read: (item) => {
      const device = devices.check(item)
      return { ...device, location_id: locationOf(device) }
    },
    further: (item) => devices.check(item).extra.filter(([name]) => name !== 'location_id'),
  },
  device_rules: rowsOf(deviceRules),
  dids: rowsOf(dids),
  lcrs: rowsOf(lcrs),
  location_groups: rowsOf(locationGroups),
  locations: rowsOf(locations),
  location_rules: rowsOf(locationRules),
  /** A call that has ended, or whose start is unknown, is in no list. */
  active_calls: { holds: (item) => isActiveCall(item) && isListedCall(item), read: readActiveCall },
  local_calls: { holds: isInList(localCallKeys.of({ owner: ADMIN_ACCOUNT })), read: checkListedCall },
  queue_log: { holds: isInList(queueLogKeys.all), read: checkQueueLogEntry },
  calls: { holds: isCall, read: checkCall },
  services: rowsOf(services),
  subscriptions: rowsOf(subscriptions),
  payments: rowsOf(payments),
  adjustments: rowsOf(adjustments),
  charges: rowsOf(charges),
  credit_notes: rowsOf(creditNotes),
  invoices: { entity: invoices, holds: isUnder(invoices.key), rows: storedInvoice },
  invoice_products: { holds: isUnder(invoices.key), rows: storedProducts },
}

async function* ratesInForce(item: Item, store: Store) {
  const tariff = readTariff(item)
  for await (const page of pagesOfRates(store, tariff, tariff.active))
    yield page.map((rate) => ({ tariff_id: tariff.id, ...rate }))
}

async function* originsInForce(item: Item, store: Store) {
  const { id, active } = readTariff(item)
  const lines = await linesBeside(store, ratesOf(id), active)
  yield originsInLines(lines).map((origin) => ({ tariff_id: id, ...origin }))
}

async function* storedNpas(item: Item, store: Store) {
  for await (const page of pagesOf(store, npaList, activeVersion(readVersions(item))))
    yield page.map(npaInLine)
}

async function* storedDestinations(item: Item, store: Store) {
  for await (const page of pagesOf(store, directoryList, toDirectory(item))) yield page.map(destinationIn)
}

function storedSettings(item: Item) {
  const set = settingNames.map((name) => ({ name, value: item[name] }))
  return [set.filter(({ value }) => typeof value === 'string')]
}

/** The paid part of an invoice is an item of its own. */
async function* storedInvoice(item: Item, store: Store) {
  yield await withPayments(store, [invoices.check(item)])
}

async function* storedProducts(item: Item, store: Store) {
  const invoice = invoices.check(item)
  for await (const page of productsOf(store, invoice))
    yield page.map((product) => ({ invoice_id: invoice.id, ...product }))
}

/** Recognises the records of a list by its name. Its counters have no packed row. */
function isInList(list: string): (item: Item) => boolean {
  const read = keyReader(dayListKeys.record)
  return (item) => ROW in item && read(item)?.list === list
}
