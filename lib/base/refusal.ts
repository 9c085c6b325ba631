/**
 * The codes of refusals, with the values that their sentences need. A subject adds its own where it throws
 * them: `declare module '#lib/base/refusal.ts' { interface Refusals { no_currency: { currency: string } } }`.
 * Each code has its sentence in lib/base/refusals/.
 */
export interface Refusals {
  /** A value that cannot be read. */
  readonly wrong_value: { readonly value: string; readonly takes: string }
  readonly missing_value: { readonly takes: string }
  /** Only the terminal has these acts; the page's table of sentences is complete with them. */
  readonly charges_off: Record<never, never>
  readonly forgets_numbers: {
    readonly username: string
    readonly calls: number
    readonly days?: { readonly from: string; readonly till: string }
  }
}

export type RefusalCode = keyof Refusals

/** Tells why a request of an operator or a program cannot be carried out, or why a file cannot be read. */
export class Refusal<C extends RefusalCode = RefusalCode> extends Error {
  readonly code: C
  readonly values: Refusals[C]
  /** The input that it is about, by its name; `undefined` if it is about the whole. */
  readonly field: string | undefined

  /** `says` is the message for the log, of a refusal that comes as a sentence about a file or a row. */
  constructor(
    code: C,
    values: Refusals[C],
    field?: string,
    says = `${code} ${JSON.stringify(values)}`,
    options?: ErrorOptions,
  ) {
    super(says, options)
    this.name = 'Refusal'
    this.code = code
    this.values = values
    this.field = field
  }
}

export const isRefusal = <C extends RefusalCode>(error: unknown, code: C): error is Refusal<C> =>
  error instanceof Refusal && error.code === code
