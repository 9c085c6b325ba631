import { DatasetError } from '#lib/dataset/format/dataset-file.ts'
import { EngineError } from '#lib/local/server/engine-binary.ts'
import { CommandError, escapeLines } from '#lib/local/terminal.ts'
import { ReportRefused } from '#lib/report/report.ts'
import { SheetError } from '#lib/sheets/sheet-row.ts'
import type { TableLocation } from '#lib/store/table.ts'

const REFUSED = 1
const FAILED = 2

/** Prints an error on standard error and returns the exit code: 1 for a refusal, 2 for a failure. */
export function reportError(error: unknown, location: TableLocation = { tableName: '' }): number {
  const message = errorMessage(error, location) ?? (error instanceof Error ? error.stack : error)
  process.stderr.write(`${escapeLines(String(message))}\n`)
  return REFUSALS.some((kind) => error instanceof kind) ? REFUSED : FAILED
}

/** The command was understood and is not carried out. */
const REFUSALS = [CommandError, EngineError, ReportRefused]

/** Errors whose messages are written for the operator. */
const FOR_OPERATORS = [DatasetError, SheetError, ...REFUSALS]

/** One sentence about an error that the operator can mend. Returns `undefined` for a bug: its stack says more. */
export function errorMessage(error: unknown, location: TableLocation): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (FOR_OPERATORS.some((kind) => error instanceof kind)) return error.message
  return MESSAGES[errorCode(error)]?.(location)
}

const MESSAGES: Readonly<Record<string, (location: TableLocation) => string>> = {
  ResourceNotFoundException: ({ tableName, endpoint }) =>
    `There is no table ${tableName} at ${endpoint ?? 'AWS'}: name another one with --table or --endpoint.`,
  ECONNREFUSED: ({ endpoint }) =>
    `Nothing answers at ${endpoint ?? 'AWS'}: is npm start running? Name another DynamoDB with --endpoint.`,
  ENOTFOUND: ({ endpoint }) =>
    endpoint
      ? `${endpoint} is not found: check the name of the endpoint.`
      : 'DynamoDB is not found in this region: check the name of the region, and the connection to AWS.',
  TimeoutError: ({ endpoint }) =>
    `${endpoint ?? 'AWS'} did not answer in time: run the same command again later, it does the rest.`,
  CredentialsProviderError: () => NO_TABLE,
  MissingRegion: () => NO_TABLE,
  AbortError: () => 'Interrupted: run the same command again, it resumes here.',
}

const NO_TABLE =
  'No table is named: run `npm start` first, pass --endpoint and --table, or set the region and the credentials of AWS.'

function errorCode(error: Error): string {
  if (error.message.includes('Region is missing')) return 'MissingRegion'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.name
}
