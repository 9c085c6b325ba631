import { type Seconds, timestampOf } from '#lib/base/calendar.ts'
import { NO_SUCH_ID } from '#lib/base/fields.ts'
import { boundedText, fitsXml, MAX_TEXT_LENGTH } from '#lib/base/text.ts'
import { invalid, invalidCharacters, notSupported } from './errors.ts'
import type { RawParameters } from './raw-parameters.ts'

/** Reads a parameter. `read` receives the raw value, or `undefined` if it was not sent. */
export interface ParameterReader<T = unknown> {
  readonly read: (raw: string | undefined, name: string) => T
}

/** The kinds of values; tools/contracts/openapi/schemas.ts has the schema of each. */
export type ValueKind =
  | 'id'
  | 'id or none'
  | 'id or all'
  | 'digits'
  | 'only default'
  | 'text'
  | 'time'
  | 'one word'
  | 'ignored'

export interface ParameterType<T = unknown> extends ParameterReader<T> {
  readonly kind: ValueKind
  readonly stored?: true
  /** The only values that are read, in lower case; without it, the kind decides. */
  readonly words?: readonly string[]
  /** The only value that is not refused, besides blank. */
  readonly byDefault?: string
}

export type ParameterTypes = Readonly<Record<string, ParameterType>>

export type ParameterReaders = Readonly<Record<string, ParameterReader>>

export type ParameterValues<P extends ParameterReaders> = {
  readonly [K in keyof P]: ReturnType<P[K]['read']>
}

/** A parameter as a type may read it. */
export const boundedParameter = (raw: RawParameters, name: string): string | undefined => {
  const sent = raw[name]
  return sent === undefined ? undefined : boundedText(sent)
}

/** A whole number from 0. Blank counts as not sent; any other text is the id of no object (wire.md 4.6). */
export const idParam: ParameterType<number | undefined> = {
  kind: 'id',
  read: (raw) => {
    const text = raw?.trim()
    if (!text) return undefined
    return /^\d{1,15}$/.test(text) ? Number(text) : NO_SUCH_ID
  },
}

/** The id of the object that a method works on. A blank or missing id is the id of no object. */
export const namedId: ParameterType<number> = {
  ...idParam,
  read: (raw, name) => idParam.read(raw, name) ?? NO_SUCH_ID,
}

/** An assigned object's id. `-1` is null and removes the assignment (wire.md location_rule_update). */
export const assignedId: ParameterType<number | null | undefined> = {
  kind: 'id or none',
  read: (raw, name) => (raw?.trim() === '-1' ? null : idParam.read(raw, name)),
}

/** The value that answers print for a missing filter. Clients may send it back (wire.md user_calls_get). */
export const ALL = 'all'

/** An id to filter by; `all` is not a filter. */
export const idOrAll: ParameterType<number | undefined> = {
  kind: 'id or all',
  read: (raw, name) => (raw?.trim().toLowerCase() === ALL ? undefined : idParam.read(raw, name)),
}

export const prefixFilter: ParameterType<string | undefined> = {
  kind: 'digits',
  read: (raw, name) => {
    const digits = raw?.trim() ?? ''
    if (!/^\d*$/.test(digits)) throw notSupported(name)
    return digits || undefined
  },
}

/** Deployed clients send this default word, or blank. Other values are refused. */
export const onlyDefault = (word = ''): ParameterType<undefined> => ({
  kind: 'only default',
  byDefault: word,
  read: (raw, name) => {
    const sent = raw?.trim().toLowerCase() ?? ''
    if (sent !== '' && sent !== word) throw notSupported(name)
    return undefined
  },
})

/** Text that is compared or looked up but never stored. */
export const textParam: ParameterType<string | undefined> = { kind: 'text', read: (raw) => raw }

/** A Unix timestamp from 1970 to 9999; anything else counts as not sent (wire.md 4.5). */
export const timestamp: ParameterType<Seconds | undefined> = {
  kind: 'time',
  read: (raw) => (raw === undefined ? undefined : timestampOf(raw)),
}

/** One of these words, in any case; anything else counts as not sent (wire.md 4.6). */
export const wordParam = <const W extends string>(...words: readonly W[]): ParameterType<W | undefined> => ({
  kind: 'one word',
  words,
  read: (raw) => words.find((word) => word === raw?.trim().toLowerCase()),
})

/** A parameter whose raw value the answer repeats. */
export const echoed = <T>({
  read,
  ...type
}: ParameterType<T>): ParameterType<{ readonly sent: string | undefined; readonly means: T }> => ({
  ...type,
  read: (raw, name) => ({ sent: raw, means: read(raw, name) }),
})

/** Text that is stored as sent and must therefore fit into an answer; the run calls `refuseUnstorable`. */
export const storedText: ParameterType<string | undefined> = { ...textParam, stored: true }

/** Throws for the first text, in the order of the contract, that cannot be stored (wire.md 4.3, 4.6). */
export function refuseUnstorable(params: ParameterTypes, raw: RawParameters): void {
  for (const [name, { stored }] of Object.entries(params)) if (stored) refuseUnstorableText(name, raw[name])
}

function refuseUnstorableText(name: string, sent = ''): void {
  if (!fitsXml(sent)) throw invalidCharacters(name)
  if (sent.length > MAX_TEXT_LENGTH) throw invalid(name)
}

/** A parameter that counts in the signature but that the method ignores. */
export const signedOnly: ParameterType<undefined> = {
  kind: 'ignored',
  read: () => undefined,
}
