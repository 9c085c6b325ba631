import { activeCalls } from '#lib/dataset/files/active-calls.ts'
import { calls } from '#lib/dataset/files/calls.ts'
import { creditNotes } from '#lib/dataset/files/credit-notes.ts'
import { currencies } from '#lib/dataset/files/currencies.ts'
import { destinations } from '#lib/dataset/files/destinations.ts'
import { deviceRules } from '#lib/dataset/files/device-rules.ts'
import { devices } from '#lib/dataset/files/devices.ts'
import { dids } from '#lib/dataset/files/dids.ts'
import { invoiceProducts } from '#lib/dataset/files/invoice-products.ts'
import { invoices } from '#lib/dataset/files/invoices.ts'
import { lcrs } from '#lib/dataset/files/lcrs.ts'
import { localCalls } from '#lib/dataset/files/local-calls.ts'
import { locationGroups } from '#lib/dataset/files/location-groups.ts'
import { locationRules } from '#lib/dataset/files/location-rules.ts'
import { locations } from '#lib/dataset/files/locations.ts'
import { payments } from '#lib/dataset/files/payments.ts'
import { providers } from '#lib/dataset/files/providers.ts'
import { queueLog } from '#lib/dataset/files/queue-log.ts'
import { rates } from '#lib/dataset/files/rates.ts'
import { services } from '#lib/dataset/files/services.ts'
import { settings } from '#lib/dataset/files/settings.ts'
import { subscriptions } from '#lib/dataset/files/subscriptions.ts'
import { tariffs } from '#lib/dataset/files/tariffs.ts'
import { users } from '#lib/dataset/files/users.ts'
import type { DatasetFile } from '#lib/dataset/format/dataset-file.ts'
import { gatheredFile } from '#lib/dataset/format/gathered-file.ts'
import { rowFile } from '#lib/dataset/format/row-file.ts'

/** The files of a dataset by name, in the order in which they are imported: what others refer to comes first. */
export const datasetFiles = {
  settings: rowFile(settings),
  currencies: rowFile(currencies),
  users: rowFile(users),
  tariffs: rowFile(tariffs),
  rates: gatheredFile(rates),
  destinations: gatheredFile(destinations),
  devices: rowFile(devices),
  device_rules: rowFile(deviceRules),
  dids: rowFile(dids),
  lcrs: rowFile(lcrs),
  location_groups: rowFile(locationGroups),
  locations: rowFile(locations),
  location_rules: rowFile(locationRules),
  active_calls: rowFile(activeCalls),
  local_calls: rowFile(localCalls),
  queue_log: rowFile(queueLog),
  providers: rowFile(providers),
  calls: rowFile(calls),
  services: rowFile(services),
  subscriptions: rowFile(subscriptions),
  payments: rowFile(payments),
  credit_notes: rowFile(creditNotes),
  invoices: rowFile(invoices),
  invoice_products: rowFile(invoiceProducts),
} satisfies Record<string, DatasetFile>

export type FileName = keyof typeof datasetFiles

export const fileNames = Object.keys(datasetFiles) as FileName[]

export const isFileName = (name: string): name is FileName => Object.hasOwn(datasetFiles, name)
