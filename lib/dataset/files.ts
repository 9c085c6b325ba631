import { activeCalls } from './active-calls.ts'
import { calls } from './calls.ts'
import { creditNotes } from './credit-notes.ts'
import { currencies } from './currencies.ts'
import { destinations } from './destinations.ts'
import { deviceRules } from './device-rules.ts'
import { devices } from './devices.ts'
import { dids } from './dids.ts'
import type { DatasetFile } from './file.ts'
import { invoiceProducts } from './invoice-products.ts'
import { invoices } from './invoices.ts'
import { lcrs } from './lcrs.ts'
import { localCalls } from './local-calls.ts'
import { locationGroups } from './location-groups.ts'
import { locationRules } from './location-rules.ts'
import { locations } from './locations.ts'
import { payments } from './payments.ts'
import { providers } from './providers.ts'
import { queueLog } from './queue-log.ts'
import { rates } from './rates.ts'
import { services } from './services.ts'
import { settings } from './settings.ts'
import { subscriptions } from './subscriptions.ts'
import { tariffs } from './tariffs.ts'
import { users } from './users.ts'
import type { WholeFile } from './whole-file.ts'

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
