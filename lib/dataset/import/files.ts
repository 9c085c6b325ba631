import { activeCallsFile } from '#lib/dataset/files/active-calls.ts'
import { callsFile } from '#lib/dataset/files/calls.ts'
import { deviceRulesFile, devicesFile, didsFile } from '#lib/dataset/files/devices.ts'
import { creditNotesFile, paymentsFile } from '#lib/dataset/files/documents.ts'
import { invoiceProductsFile } from '#lib/dataset/files/invoice-products.ts'
import { invoicesFile } from '#lib/dataset/files/invoices.ts'
import { localCallsFile } from '#lib/dataset/files/local-calls.ts'
import {
  lcrsFile,
  locationGroupsFile,
  locationRulesFile,
  locationsFile,
} from '#lib/dataset/files/location-rules.ts'
import { providersFile } from '#lib/dataset/files/providers.ts'
import { queueLogFile } from '#lib/dataset/files/queue-log.ts'
import { destinationsFile, ratesFile } from '#lib/dataset/files/rates.ts'
import { servicesFile, subscriptionsFile } from '#lib/dataset/files/services.ts'
import { settingsFile } from '#lib/dataset/files/settings.ts'
import { currenciesFile, tariffsFile } from '#lib/dataset/files/tariffs.ts'
import { usersFile } from '#lib/dataset/files/users.ts'
import type { DatasetFile } from '#lib/dataset/format/dataset-file.ts'
import { listFile } from '#lib/dataset/format/list-file.ts'
import { rowFile } from '#lib/dataset/format/row-file.ts'

/** The files of a dataset by name, in the order of their import: a file comes after those that it refers to. */
export const datasetFiles = {
  settings: rowFile(settingsFile),
  currencies: rowFile(currenciesFile),
  users: rowFile(usersFile),
  tariffs: rowFile(tariffsFile),
  rates: listFile(ratesFile),
  destinations: listFile(destinationsFile),
  providers: rowFile(providersFile),
  devices: rowFile(devicesFile),
  device_rules: rowFile(deviceRulesFile),
  dids: rowFile(didsFile),
  lcrs: rowFile(lcrsFile),
  location_groups: rowFile(locationGroupsFile),
  locations: rowFile(locationsFile),
  location_rules: rowFile(locationRulesFile),
  active_calls: rowFile(activeCallsFile),
  local_calls: rowFile(localCallsFile),
  queue_log: rowFile(queueLogFile),
  calls: rowFile(callsFile),
  services: rowFile(servicesFile),
  subscriptions: rowFile(subscriptionsFile),
  payments: rowFile(paymentsFile),
  credit_notes: rowFile(creditNotesFile),
  invoices: rowFile(invoicesFile),
  invoice_products: rowFile(invoiceProductsFile),
} satisfies Record<string, DatasetFile>

export type FileName = keyof typeof datasetFiles

export const fileNames = Object.keys(datasetFiles) as FileName[]

export const isFileName = (name: string): name is FileName => Object.hasOwn(datasetFiles, name)
