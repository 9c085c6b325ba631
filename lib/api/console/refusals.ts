import { ApiError } from '#lib/api/errors.ts'
import { isRefusal, Refusal, type RefusalCode } from '#lib/base/refusal.ts'
import { refusalForPeople } from '#lib/base/refusals/refusal-sentences.ts'
import type { RefusalRemedy, TerminalTask } from '#lib/base/refusals/refusal-text.ts'
import { valueSentence } from '#lib/base/refusals/value-sentences.ts'
import { FileRefused } from '#lib/base/row-refused.ts'
import { printableMessage } from '#lib/base/text.ts'
import { OutOfTime } from '#lib/table/requests/meter.ts'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import { UnreadableTable } from '#lib/table/table-format.ts'

declare module '#lib/base/refusal.ts' {
  // What a request has no time for, or its answer no room.
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
export class ConsoleRefusal extends ApiError {
  readonly code: ConsoleRefusalCode
  readonly fields: readonly RefusedField[] | undefined
  readonly remedy: RefusalRemedy | undefined
  /** The code of an act's refusal. */
  override readonly reason: RefusalCode | undefined

  constructor(
    code: ConsoleRefusalCode,
    message: string,
    fields?: readonly RefusedField[],
    { remedy, reason }: Partial<Pick<ConsoleRefusal, 'remedy' | 'reason'>> = {},
  ) {
    super(printableMessage(message), 'gate', REFUSAL_CODES[code])
    this.code = code
    this.fields = fields?.map((one) => ({ ...one, message: printableMessage(one.message) }))
    this.remedy = remedy
    this.reason = reason
  }
}

/** The name is blank for what concerns the whole form. */
interface RefusedField {
  readonly name: string
  readonly message: string
}

export const unknownThing = (what: string, id: string | number): ConsoleRefusal =>
  new ConsoleRefusal('not_found', `There is no ${what} ${id}, or this account may not see it.`)

/** Refuses a value. The message names the parameter and what it takes. */
export const invalidValue = (message: string): ConsoleRefusal => new ConsoleRefusal('invalid', message)

export const forbidden = (message: string): ConsoleRefusal => new ConsoleRefusal('forbidden', message)

/** Reads an error as a refusal. Unexpected errors are not exposed. */
export function refusalOf(error: unknown): ConsoleRefusal {
  if (error instanceof ConsoleRefusal) return error
  if (error instanceof Refusal) return refusalOfAct(error)
  if (error instanceof ApiError) return new ConsoleRefusal(codeOf(error), error.message)
  if (error instanceof FileRefused) return invalidValue(`${error.message}.`)
  if (error instanceof OutOfTime) return outOfTime(error)
  if (error instanceof UnreadableTable) return new ConsoleRefusal('try_again', OTHER_FORMAT)
  if (error instanceof ConditionFailed)
    return new ConsoleRefusal('conflict', 'Another request changed this at the same time: look at it again.')
  return new ConsoleRefusal('internal', 'Something went wrong here. The log has the details.')
}

function refusalOfAct(refusal: Refusal): ConsoleRefusal {
  const { kind, message, remedy } = refusalForPeople(refusal)
  const sentence = /[.?!]$/.test(message) ? message : `${message}.`
  const fields = fieldsOf(refusal) ?? (refusal.field && [{ name: refusal.field, message: sentence }])
  return new ConsoleRefusal(kind, sentence, fields || undefined, { remedy, reason: refusal.code })
}

const fieldsOf = (refusal: Refusal): RefusedField[] | undefined =>
  isRefusal(refusal, 'refused_values')
    ? refusal.values.problems.map((one) => ({ name: one.name, message: valueSentence(one) }))
    : undefined

const OTHER_FORMAT = 'The table has another format than this release reads. The log has the remedy.'

/** The steps of the signed API that are shared refuse an unreadable request, and a value of a wrong type. */
const codeOf = ({ layer, status }: ApiError): ConsoleRefusalCode => {
  if (layer === 'method') return 'invalid'
  if (status === 429) return 'too_many_requests'
  return status >= 500 ? 'internal' : 'bad_request'
}

const outOfTime = ({ outcome }: OutOfTime): ConsoleRefusal =>
  new ConsoleRefusal(
    'try_again',
    outcome === 'unknown'
      ? 'The answer took too long. The change may have been made: look before you repeat it.'
      : 'The answer took too long. Nothing was changed: try again.',
  )
