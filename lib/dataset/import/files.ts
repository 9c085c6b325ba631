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
import type { DatasetFile } from '#lib/dataset/format/file.ts'
import type { WholeFile } from '#lib/dataset/format/whole-file.ts'

/** The files of a dataset by name, in the order in which they are imported: what others refer to comes first. */
export const datasetFiles = {
  settings,
  users,
  currencies,
  tariffs,
  rates,
  destinations,
  devices,
  device_rules: deviceRules,
  dids,
  lcrs,
  location_groups: locationGroups,
  locations,
  location_rules: locationRules,
  active_calls: activeCalls,
  local_calls: localCalls,
  queue_log: queueLog,
  providers,
  calls,
  services,
  subscriptions,
  payments,
  credit_notes: creditNotes,
  invoices,
  invoice_products: invoiceProducts,
} satisfies Record<string, DatasetFile | WholeFile>

export type FileName = keyof typeof datasetFiles

export const fileNames = Object.keys(datasetFiles) as FileName[]

export const isFileName = (name: string): name is FileName => Object.hasOwn(datasetFiles, name)
