import { ApiError } from '#lib/api/errors.ts'
import { isRefusal, Refusal, type RefusalCode } from '#lib/base/refusal.ts'
import { refusalForPeople } from '#lib/base/refusals/refusal-sentences.ts'
import type { RefusalRemedy, TerminalTask } from '#lib/base/refusals/refusal-text.ts'
import { valueSentence } from '#lib/base/refusals/value-sentences.ts'
import { printableMessage } from '#lib/base/text.ts'
import { OutOfTime } from '#lib/table/requests/meter.ts'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import { UnreadableTable } from '#lib/table/table-format.ts'

declare module '#lib/base/refusal.ts' {
  // Refusals of requests that only the page sends.
  interface Refusals {
    readonly not_found: { readonly what: string; readonly id: string | number }
    readonly invalid: { readonly says: string }
    readonly forbidden: { readonly says: string }
    readonly not_signed_in: Record<never, never>
    readonly page_off: Record<never, never>
    readonly wrong_credentials: { readonly signedIn: true | undefined }
    readonly too_many_attempts: Record<never, never>
    /** The password is right: the account has a second factor. */
    readonly code_needed: Record<never, never>
    readonly wrong_code: Record<never, never>
    readonly too_many_codes: Record<never, never>
  }
  // Refusals for lack of time, or of room in an answer.
  interface Refusals {
    readonly too_many_calls: { readonly calls: number; readonly most: number; readonly by: string }
    readonly too_many_documents: {
      readonly most: number
      readonly report: 'ageing' | 'statement'
      readonly customer: string
    }
    /** `most` with its noun. */
    readonly too_many_rows: { readonly most: string; readonly task: TerminalTask; readonly of: string }
    readonly too_many_rates: {
      readonly what: string
      readonly most: number
      readonly task: TerminalTask
      readonly of: string
    }
    readonly too_many_compared: { readonly rates: number; readonly most: number; readonly tariff: string }
    readonly journal_too_large: { readonly month: string }
    readonly document_too_large: { readonly number: string }
    readonly archived_calls: { readonly number: string }
    readonly archived_month: { readonly month: string }
  }
}

/** The codes of the refusals of the console's API, with their HTTP status. */
export const REFUSAL_CODES = {
  bad_request: 400,
  refused_values: 400,
  not_signed_in: 401,
  wrong_credentials: 401,
  code_needed: 401,
  forbidden: 403,
  page_off: 403,
  not_found: 404,
  conflict: 409,
  already_done: 409,
  invalid: 422,
  too_many_attempts: 429,
  too_many_requests: 429,
  internal: 500,
  try_again: 503,
} as const

export type ConsoleRefusalCode = keyof typeof REFUSAL_CODES

/** A refusal of the console's API. The page shows its message, and the code in small print. */
interface RefusalAnswer {
  readonly code: ConsoleRefusalCode
  readonly message: string
  readonly fields?: readonly RefusedField[] | undefined
  readonly remedy?: RefusalRemedy | undefined
  /** The code of an act's refusal, which is finer. */
  readonly reason?: RefusalCode | undefined
}

/** The name is blank for problems of the whole form. */
interface RefusedField {
  readonly name: string
  readonly message: string
}

export const unknownThing = (what: string, id: string | number): Refusal =>
  new Refusal('not_found', { what, id })

/** Refuses a value. The message names the parameter and what it takes. */
export const invalidValue = (says: string): Refusal => new Refusal('invalid', { says })

export const forbidden = (says: string): Refusal => new Refusal('forbidden', { says })

/** Reads an error as a refusal, with its HTTP status. Unexpected errors are not exposed. */
export function refusalOf(error: unknown): RefusalAnswer & { readonly status: number } {
  const { message, fields, ...answer } = answerTo(error)
  return {
    ...answer,
    message: printableMessage(message),
    fields: fields?.map((one) => ({ ...one, message: printableMessage(one.message) })),
    status: REFUSAL_CODES[answer.code],
  }
}

function answerTo(error: unknown): RefusalAnswer {
  if (error instanceof Refusal) return answerToRefusal(error)
  if (error instanceof ApiError) return { code: codeOf(error), message: error.message }
  if (error instanceof OutOfTime) return { code: 'try_again', message: OUT_OF_TIME[error.outcome] }
  if (error instanceof UnreadableTable) return { code: 'try_again', message: OTHER_FORMAT }
  if (error instanceof ConditionFailed)
    return {
      code: 'conflict',
      message: 'Another request changed this at the same time: check it again.',
    }
  return { code: 'internal', message: 'Something went wrong here. The log has the details.' }
}

function answerToRefusal(refusal: Refusal): RefusalAnswer {
  const { kind, message: sentence, remedy } = refusalForPeople(refusal)
  const message = /[.?!]$/.test(sentence) ? sentence : `${sentence}.`
  const fields = fieldsOf(refusal) ?? (refusal.field && [{ name: refusal.field, message }])
  const reason = refusal.code === kind ? undefined : refusal.code
  return { code: kind, message, fields: fields || undefined, remedy, reason }
}

const fieldsOf = (refusal: Refusal): RefusedField[] | undefined =>
  isRefusal(refusal, 'refused_values')
    ? refusal.values.problems.map((one) => ({ name: one.name, message: valueSentence(one) }))
    : undefined

const OTHER_FORMAT = 'The table has another format than this release reads. The log has the remedy.'

const OUT_OF_TIME: Readonly<Record<OutOfTime['outcome'], string>> = {
  unknown: 'The answer took too long. The change may have been made: look before you repeat it.',
  'nothing done': 'The answer took too long. Nothing was changed: try again.',
}

/** The steps of the signed API that are shared refuse an unreadable request, and a value of a wrong type. */
const codeOf = ({ layer, status }: ApiError): ConsoleRefusalCode => {
  if (layer === 'method') return 'invalid'
  if (status === 429) return 'too_many_requests'
  return status >= 500 ? 'internal' : 'bad_request'
}
