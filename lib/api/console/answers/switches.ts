import * as v from 'valibot'
import { blankOr, countValue, flagValue, textOrBlank, textValue } from './shapes.ts'

const intake = v.object({
  name: textValue,
  /** The time zone of its CDRs; null for that of the installation. */
  zone: textOrBlank,
  /** How far its clock is ahead or behind, such as `12 s ahead`; null if no difference was seen of late. */
  clock: textOrBlank,
  /** Its clock is off so far that holds and hours suffer. */
  isClockOff: v.boolean(),
  added: textValue,
  /** The start of its last call, among those that were read; null if it has none there. */
  lastCall: textOrBlank,
  /** Its suspended CDRs, among those that were read: the oldest. */
  suspended: countValue,
})

const failedImport = v.object({
  id: textValue,
  /** The key in the bucket. */
  file: textValue,
  kind: textValue,
  at: textValue,
  /** The rows of the file or its parts with refusals, and the refused; blank if nothing was imported. */
  rows: blankOr(countValue),
  refused: blankOr(countValue),
  reason: textValue,
  /** The key of the refused rows, or of the report. */
  rejected: textOrBlank,
})

/** The answers about switches and imports. */
export const SWITCH_ANSWERS = {
  /** The switches that send CDRs over HTTP, by name. */
  'GET /intakes': v.object({
    intakes: v.array(intake),
    /** How many of the newest calls, of how many days, and of the suspended CDRs were read. */
    read: v.object({ calls: countValue, days: countValue, suspended: countValue }),
  }),
  /** The switches whose clocks are off so far that holds and hours suffer. */
  'GET /intakes/clocks': v.object({ off: v.array(v.object({ name: textValue, clock: textValue })) }),
  /** The secret is shown this once; null for one that was given. */
  'POST /intakes': v.object({ name: textValue, secret: textOrBlank }),
  'DELETE /intakes/{name}': v.object({ name: textValue }),
  'GET /failed-imports': v.object({ imports: v.array(failedImport) }),
  'DELETE /failed-imports/{id}': v.object({ id: textValue }),
  'POST /imports/{file}': v.object({
    rows: countValue,
    new: countValue,
    changed: countValue,
    unchanged: countValue,
    refused: countValue,
    /** The first 50, by line. */
    refusedRows: v.array(v.object({ line: countValue, reason: textValue })),
    remarks: v.array(textValue),
    /** False for a preview. */
    isImported: flagValue,
  }),
}

export type IntakesAnswer = v.InferOutput<(typeof SWITCH_ANSWERS)['GET /intakes']>

export type AddedIntakeAnswer = v.InferOutput<(typeof SWITCH_ANSWERS)['POST /intakes']>

export type FailedImportsAnswer = v.InferOutput<(typeof SWITCH_ANSWERS)['GET /failed-imports']>

export type ImportedFileAnswer = v.InferOutput<(typeof SWITCH_ANSWERS)['POST /imports/{file}']>
