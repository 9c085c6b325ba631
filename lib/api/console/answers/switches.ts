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

/** The switches that send CDRs over HTTP, by name. */
export const intakesAnswer = v.object({
  intakes: v.array(intake),
  /** How many of the newest calls, of how many days, and of the suspended CDRs were read. */
  read: v.object({ calls: countValue, days: countValue, suspended: countValue }),
})

export type IntakesAnswer = v.InferOutput<typeof intakesAnswer>

/** The switches whose clocks are off so far that holds and hours suffer. */
export const clocksAnswer = v.object({ off: v.array(v.object({ name: textValue, clock: textValue })) })

export type ClocksAnswer = v.InferOutput<typeof clocksAnswer>

/** The secret is shown this once; null for one that was given. */
export const addedIntakeAnswer = v.object({ name: textValue, secret: textOrBlank })

export type AddedIntakeAnswer = v.InferOutput<typeof addedIntakeAnswer>

export const revokedIntakeAnswer = v.object({ name: textValue })

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

export const failedImportsAnswer = v.object({ imports: v.array(failedImport) })

export type FailedImportsAnswer = v.InferOutput<typeof failedImportsAnswer>

export const dismissedAnswer = v.object({ id: textValue })

export const importedFileAnswer = v.object({
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
})

export type ImportedFileAnswer = v.InferOutput<typeof importedFileAnswer>
