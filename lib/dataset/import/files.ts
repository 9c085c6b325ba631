import { namesIn } from '#lib/base/collections.ts'
import { activeCallsFile } from '#lib/dataset/files/active-calls.ts'
import { callsFile, checkCalls } from '#lib/dataset/files/calls.ts'
import { checkDevices, deviceRulesFile, devicesFile, didsFile } from '#lib/dataset/files/devices.ts'
import { adjustmentsFile, chargesFile, creditNotesFile, paymentsFile } from '#lib/dataset/files/documents.ts'
import { checkProducts, productRows } from '#lib/dataset/files/invoice-products.ts'
import { checkInvoices, invoicesFile } from '#lib/dataset/files/invoices.ts'
import { localCallsFile, queueLogFile } from '#lib/dataset/files/local-calls.ts'
import {
  lcrsFile,
  locationGroupsFile,
  locationRulesFile,
  locationsFile,
} from '#lib/dataset/files/location-rules.ts'
import { npasFile, originsFile } from '#lib/dataset/files/origins.ts'
import { providersFile } from '#lib/dataset/files/providers.ts'
import { destinationsFile, ratesFile } from '#lib/dataset/files/rates.ts'
import { servicesFile, subscriptionsFile } from '#lib/dataset/files/services.ts'
import { checkSettings, settingsFile } from '#lib/dataset/files/settings.ts'
import { currenciesFile, tariffsFile } from '#lib/dataset/files/tariffs.ts'
import { usersFile } from '#lib/dataset/files/users.ts'
import { checkUsers } from '#lib/dataset/files/users-check.ts'
import type { DatasetFile } from '#lib/dataset/format/dataset-file.ts'
import { listFile } from '#lib/dataset/format/list-file.ts'
import { rowFile } from '#lib/dataset/format/row-file.ts'

/** A dataset's files by name, in import order: each comes after those that it refers to. */
export const datasetFiles = {
  settings: rowFile(settingsFile, checkSettings),
  currencies: rowFile(currenciesFile),
  users: rowFile(usersFile, checkUsers),
  tariffs: rowFile(tariffsFile),
  origins: listFile(originsFile),
  rates: listFile(ratesFile),
  destinations: listFile(destinationsFile),
  npas: listFile(npasFile),
  providers: rowFile(providersFile),
  devices: rowFile(devicesFile, checkDevices),
  device_rules: rowFile(deviceRulesFile),
  dids: rowFile(didsFile),
  lcrs: rowFile(lcrsFile),
  location_groups: rowFile(locationGroupsFile),
  locations: rowFile(locationsFile),
  location_rules: rowFile(locationRulesFile),
  active_calls: rowFile(activeCallsFile),
  local_calls: rowFile(localCallsFile),
  queue_log: rowFile(queueLogFile),
  calls: { ...rowFile(callsFile, checkCalls), mayHaveParts: true },
  services: rowFile(servicesFile),
  subscriptions: rowFile(subscriptionsFile),
  payments: rowFile(paymentsFile),
  adjustments: rowFile(adjustmentsFile),
  charges: rowFile(chargesFile),
  credit_notes: rowFile(creditNotesFile),
  invoices: rowFile(invoicesFile, checkInvoices),
  invoice_products: rowFile(productRows(new Map()), checkProducts),
} satisfies Record<string, DatasetFile>

export type FileName = keyof typeof datasetFiles

export const fileNames = namesIn(datasetFiles)

export const isFileName = (name: string): name is FileName => Object.hasOwn(datasetFiles, name)
