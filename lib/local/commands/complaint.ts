import { DatasetError } from '#lib/dataset/format/dataset-file.ts'
import { ENDPOINT_FILE } from '#lib/local/location.ts'
import { EngineError } from '#lib/local/server/engine-binary.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { SheetError } from '#lib/sheets/sheet-error.ts'
import type { TableLocation } from '#lib/store/table.ts'
import { SettingsRefused } from './settings-tool.ts'

const REFUSED = 1
const FAILED = 2

/** Says on standard error what went wrong; answers the exit code: 1 for what was refused, 2 for what could not be done. */
export function complain(error: unknown, location: TableLocation = { tableName: '' }): number {
  const complaint = complaintOf(error, location)
  process.stderr.write(`${complaint ?? (error instanceof Error ? error.stack : error)}\n`)
  return REFUSALS.some((kind) => error instanceof kind) ? REFUSED : FAILED
}

/** What was understood and will not be done. */
const REFUSALS = [SettingsRefused, CommandError, EngineError]

/** Errors whose words are meant to be read. */
const FOR_THE_USER = [DatasetError, SheetError, ...REFUSALS]

/** What an operator can do something about, in one sentence; `undefined` for a bug, whose stack is worth more. */
export function complaintOf(error: unknown, location: TableLocation): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (FOR_THE_USER.some((kind) => error instanceof kind)) return error.message
  return COMPLAINTS[kindOf(error)]?.(location)
}

const COMPLAINTS: Readonly<Record<string, (location: TableLocation) => string>> = {
  ResourceNotFoundException: ({ tableName, endpoint }) =>
    `There is no table ${tableName} at ${endpoint ?? 'AWS'}.`,
  ECONNREFUSED: ({ endpoint }) =>
    `Nothing answers at ${endpoint ?? 'AWS'}: is \`npm start\` running? It leaves its endpoint in ${ENDPOINT_FILE}.`,
  ENOTFOUND: ({ endpoint }) =>
    endpoint
      ? `${endpoint} is not found: check the name of the endpoint.`
      : 'DynamoDB is not found in this region: check its name, and the connection to AWS.',
  TimeoutError: ({ endpoint }) =>
    `${endpoint ?? 'AWS'} has not answered for long: it may have too much to do. The same command later does the rest.`,
  CredentialsProviderError: () => NO_AWS,
  MissingRegion: () => NO_AWS,
  AbortError: () => 'Interrupted: the same command again goes on from here.',
}

const NO_AWS =
  'No table is named: run `npm start` first, give --endpoint and --table, or set the region and credentials of AWS.'

function kindOf(error: Error): string {
  if (error.message.includes('Region is missing')) return 'MissingRegion'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.name
}
