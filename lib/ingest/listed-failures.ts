import { FileRefused } from '#lib/base/row-refused.ts'
import {
  type Failure,
  forgetFailedImport,
  forgetFailedPart,
  noteFailedImport,
} from '#lib/settings/failed-import.ts'
import { datasetFileOf } from './bucket-prefixes.ts'
import type { FileTask } from './file-message.ts'
import { FileChanged } from './file-store.ts'
import type { FileImport, FileOutcome } from './import-file.ts'
import { isSwitchFile } from './switch-file.ts'

type Services = Pick<FileImport, 'store' | 'clock' | 'importSheet'>

/**
 * Runs the import of a file and keeps the list of failed imports: a file that fails or has refused rows is
 * put into it, and a later import without either takes it off.
 */
export async function listingFailures(
  services: Services,
  task: FileTask,
  run: () => Promise<FileOutcome>,
): Promise<FileOutcome> {
  const { store } = services
  const outcome = await run().catch(async (error: unknown) => {
    const failure = failureOf(services, task, { reason: reasonOf(error) })
    // The log has the error even if the table does not take the entry.
    if (!(error instanceof FileChanged)) await noteFailedImport(store, failure).catch(() => undefined)
    throw error
  })
  const reason = outcome.outcome === 'imported' ? outcome.reason : undefined
  if (reason !== undefined) await noteFailedImport(store, failureOf(services, task, { ...outcome, reason }))
  else if (task.part) await forgetFailedPart(store, task.key, task.part.from)
  else await forgetFailedImport(store, task.key)
  return outcome
}

type FailedOutcome = Pick<Failure, 'reason' | 'rejected'> & Partial<Pick<Failure['part'], 'rows' | 'refused'>>

function failureOf({ clock, importSheet }: Services, task: FileTask, outcome: FailedOutcome): Failure {
  const { reason, rejected, rows = 0, refused = 0 } = outcome
  return {
    file: task.key,
    kind: kindOf(task) ?? (importSheet ? 'rate sheet' : 'unknown'),
    at: clock().toISOString(),
    reason,
    ...(rejected && { rejected }),
    part: { from: task.part?.from ?? 0, rows, refused },
  }
}

const kindOf = (task: FileTask): string | undefined => (isSwitchFile(task) ? 'CDRs' : datasetFileOf(task.key))

/** Errors about a file are sentences for its sender. Any other text may say what only the log should. */
const reasonOf = (error: unknown): string =>
  error instanceof FileRefused
    ? error.message
    : `internal error (${error instanceof Error ? error.name : 'unknown'}): the log of the function has the details`
