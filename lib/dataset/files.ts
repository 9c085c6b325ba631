import { activeCalls } from './active-calls.ts'
import { calls } from './calls.ts'
import { currencies } from './currencies.ts'
import { deviceRules } from './device-rules.ts'
import { devices } from './devices.ts'
import { dids } from './dids.ts'
import type { DatasetFile } from './file.ts'
import { providers } from './providers.ts'
import { settings } from './settings.ts'
import { users } from './users.ts'

/** The files of a dataset by name, in the order in which they are imported: what others refer to comes first. */
export const datasetFiles = {
  settings,
  users,
  currencies,
  devices,
  device_rules: deviceRules,
  dids,
  active_calls: activeCalls,
  providers,
  calls,
} satisfies Record<string, DatasetFile>

export type FileName = keyof typeof datasetFiles

export const fileNames = Object.keys(datasetFiles) as FileName[]

export const isFileName = (name: string): name is FileName => Object.hasOwn(datasetFiles, name)
