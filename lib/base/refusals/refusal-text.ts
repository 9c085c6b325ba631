import type { Refusal, RefusalCode, Refusals } from '#lib/base/refusal.ts'

/**
 * The remedies of refusals. The terminal prints a command for each, the page a button or a link.
 */
export interface Remedies {
  readonly open_balances: Record<never, never>
  readonly list_payments: Record<never, never>
  /** The customer; blank for all customers. */
  readonly list_invoices: { readonly customer: string }
  /** The same act again, with another input that decides the question. */
  readonly name_input: { readonly input: string; readonly value: string }
  readonly add_currency: { readonly currency: string }
  readonly list_accounts: Record<never, never>
  readonly list: { readonly of: Refusals['unknown_name']['noun'] }
  readonly revoke_intake: { readonly intake: string }
  readonly list_versions: { readonly tariff: string }
  readonly migrate: Record<never, never>
  readonly move_timezone: { readonly zone: string }
  /** The same act again, although it asks whether it is meant. */
  readonly agree: Record<never, never>
  readonly act_as_owner: { readonly owner: string }
  readonly close_month: { readonly month: string }
  readonly set_setting: { readonly setting: string; readonly value: string }
  readonly begin_at: { readonly day: string }
  /** Only a process that reads the archive retries a CDR of an archived day. */
  readonly retry_with_archive: Record<never, never>
  /** The same act again, which overrides the obstacle. */
  readonly permit: { readonly obstacle: Exclude<Refusals['rates_obstacle']['obstacle'], 'no rows'> }
  readonly issue_month: { readonly month: string; readonly customer: string }
  readonly retry_suspended: Record<never, never>
  readonly release_payments: Record<never, never>
  /** A page has no room or no time for it: a command has. */
  readonly at_terminal: { readonly task: TerminalTask; readonly of: string }
  /** The same act again, as another one. */
  readonly again: Record<never, never>
}

export type TerminalTask =
  | 'report_calls'
  | 'report_ageing'
  | 'report_statement'
  | 'write_document'
  | 'write_journal'
  | 'issue_month'
  | 'import_sheet'
  | 'mark_up'
  | 'import_origins'
  | 'import_bank_file'
  | 'import_file'
  | 'compare_versions'

export type RefusalRemedy = { [R in keyof Remedies]: { readonly act: R } & Remedies[R] }[keyof Remedies]

/** The HTTP status of a refusal, by the codes of the console's API. */
type RefusalKind =
  | 'refused_values'
  | 'invalid'
  | 'conflict'
  | 'not_found'
  | 'forbidden'
  | 'already_done'
  | 'too_many_requests'
  | 'not_signed_in'
  | 'wrong_credentials'
  | 'code_needed'
  | 'page_off'
  | 'too_many_attempts'

interface RefusalText<V> {
  readonly kind: RefusalKind
  /** A sentence without a full stop. `field` is the input as the reader knows it. */
  says(values: V, field: string, nameField: ((name: string) => string) | undefined): string
  remedy?(values: V): RefusalRemedy | undefined
}

export const of =
  (kind: RefusalKind) =>
  <V>(says: RefusalText<V>['says'], remedy?: RefusalText<V>['remedy']): RefusalText<V> => ({
    kind,
    says,
    ...(remedy && { remedy }),
  })

export const saysInvalid = of('invalid')
export const saysConflict = of('conflict')
export const saysNotFound = of('not_found')
export const saysForbidden = of('forbidden')

export const didYouMean = (nearest: readonly string[]): string =>
  nearest.length > 0 ? `: did you mean ${nearest.join(' or ')}?` : ''

/** An unknown name gets the same answer as a hidden one. */
export const unknownOrHidden = (what: string, nearest: readonly string[] = []): string =>
  `There is no ${what}, or you may not see it${didYouMean(nearest)}`

/** The sentences of refusals, for people. The seed's methods have their own, where the API fixes them. */
export type Sentences = { readonly [C in RefusalCode]: RefusalText<Refusals[C]> }

/** A refusal in these sentences. `nameField` spells the name of an input as the reader knows it. */
export function refusalSaidIn(
  sentences: Partial<Sentences>,
  { code, values, field = '' }: Refusal,
  nameField?: (name: string) => string,
): { readonly kind: RefusalKind; readonly message: string; readonly remedy: RefusalRemedy | undefined } {
  const text = sentences[code] as RefusalText<Refusals[RefusalCode]>
  const message = text.says(values, nameField?.(field) ?? field, nameField)
  return { kind: text.kind, message, remedy: text.remedy?.(values) }
}
