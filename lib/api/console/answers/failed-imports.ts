import * as v from 'valibot'
import { blankOr, countValue, textOrBlank, textValue } from './shapes.ts'

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
