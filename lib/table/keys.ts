import { hexDigest } from '#lib/base/digest.ts'
import type { Scope } from '#lib/base/scope.ts'
import type { Item } from './items.ts'
import type { IndexName } from './table.ts'

export type Key = {
  readonly PK: string
  readonly SK: string
}

export const keyIn = ({ PK, SK }: Item): Key => ({ PK: String(PK), SK: String(SK) })

/** The key of an item, or a key itself, as text. */
export const keyText = ({ PK, SK }: { readonly PK?: unknown; readonly SK?: unknown }): string =>
  JSON.stringify([PK, SK])

export const isSameKey = (one: Key, other: Key): boolean => one.PK === other.PK && one.SK === other.SK

/** No item ever has this key. */
export const nowhere: Key = { PK: '', SK: '' }

/** The items of a partition whose sort keys begin with `prefix`. */
export interface KeyRange {
  readonly partition: string
  readonly prefix: string
}

type Value = string | number

/** The names between the angle brackets of a template. */
type Names<T extends string> = T extends `${string}<${infer Name}>${infer Rest}` ? [Name, ...Names<Rest>] : []

/** Keys of one form, such as `LOCATION#<location_id>` / `RULE#<id>`. */
export interface KeyForm<N extends readonly string[] = readonly string[]> {
  /** The key with these values, in the order of their names. */
  (...values: { readonly [I in keyof N]: Value }): Key
  /** The key with these values by name, such as the columns of a row. */
  of(values: Readonly<Record<string, unknown>>): Key
  partition(...values: readonly Value[]): string
  /** The keys of a partition that begin with these values: those of the partition, then of the sort key. */
  range(...values: readonly Value[]): KeyRange
  /** The names of its values. */
  readonly names: N
  /** The text in docs: `LOCATION#<location_id>` / `RULE#<id>`. */
  readonly text: readonly [partition: string, sortKey: string]
}

/** DynamoDB's limits for keys of the table and its indexes, in UTF-8 bytes. Longer keys are refused. */
export const MAX_KEY_BYTES = { PK: 2048, SK: 1024 }

const ID_DIGITS = 15

/** Numbers in sort keys have 15 digits, so that their text order is their number order. */
export const padded = (id: number): string => String(id).padStart(ID_DIGITS, '0')

/**
 * Declares keys by the text of their partition and sort key, with the names of values in angle brackets.
 *
 * @example
 * const voucherKey = keyForm('USER#<user_id>', 'VOUCHER#<id>')
 * const key: Key = voucherKey(10, 7)
 * const all: KeyRange = voucherKey.range(10)
 * const mine = voucherKey.of({ user_id: 10, id: 7, code: 'not in the key' })
 *
 * @__NO_SIDE_EFFECTS__
 */
export function keyForm<const P extends string, const S extends string>(
  partition: P,
  sortKey: S,
): KeyForm<[...Names<P>, ...Names<S>]> {
  const inPartition = template(partition, MAX_KEY_BYTES.PK)
  const inSortKey = template(sortKey, MAX_KEY_BYTES.SK)
  const count = inPartition.names.length
  const partitionOf = (values: readonly unknown[]): string => inPartition.fill(values.slice(0, count), String)
  const toKey = (values: readonly unknown[]): Key => ({
    PK: partitionOf(values),
    SK: inSortKey.fill(values.slice(count), sortable),
  })
  const names = [...inPartition.names, ...inSortKey.names]
  return Object.assign((...values: readonly Value[]) => toKey(values), {
    names,
    text: [partition, sortKey] as const,
    of: (values: Readonly<Record<string, unknown>>) => toKey(names.map((name) => values[name])),
    partition: (...values: readonly Value[]) => partitionOf(values),
    range: (...values: readonly Value[]) => ({
      partition: partitionOf(values),
      prefix: inSortKey.fill(values.slice(count), sortable),
    }),
  }) as unknown as KeyForm<[...Names<P>, ...Names<S>]>
}

/**
 * Names of lists, such as `STATS#USER#<user>`, which replace `<list>` in the form of a key.
 * @__NO_SIDE_EFFECTS__
 */
export function listName<const T extends string>(text: T): ListName<Names<T>> {
  const { fill } = template(text, MAX_KEY_BYTES.PK)
  return Object.assign((...values: readonly Value[]) => fill(values, String), { text })
}

export interface ListName<N extends readonly string[] = readonly string[]> {
  (...values: { readonly [I in keyof N]: Value }): string
  readonly text: string
}

/** The keys of a form with `<list>` that belong to the lists of this name, a template. */
export const inList = ({ text: [partition, sortKey] }: KeyForm, list: string): KeyForm =>
  keyForm(partition.replace('<list>', list), sortKey)

/** The values of a key, by name, as text. */
export type KeyValues<F> = F extends KeyForm<infer N> ? Readonly<Record<N[number], string>> : never

/**
 * Reads the values of keys of a form, and returns undefined for all other keys.
 * `<list>` and the last value of a partition or sort key may contain `#`, the others not.
 * @__NO_SIDE_EFFECTS__
 */
export function keyReader<F extends KeyForm>({ text, names }: F): (item: Item) => KeyValues<F> | undefined {
  const [PK, SK] = text.map(
    (part) =>
      new RegExp(`^${part.replace(/<(?!list>)\w+>(?=.*<)/g, '([^#]*)').replace(/<\w+>/g, '(.*)')}$`, 's'),
  ) as [RegExp, RegExp]
  return (item) => {
    const inPartition = PK.exec(String(item['PK']))
    const inSortKey = inPartition && SK.exec(String(item['SK']))
    if (!inPartition || !inSortKey) return undefined
    const values = [...inPartition.slice(1), ...inSortKey.slice(1)]
    return Object.fromEntries(names.map((name, index) => [name, values[index]])) as KeyValues<F>
  }
}

/**
 * Recognises items by the form of their keys.
 * @__NO_SIDE_EFFECTS__
 */
export function isUnder(form: KeyForm): (item: Item) => boolean {
  const read = keyReader(form)
  return (item) => read(item) !== undefined
}

const sortable = (value: unknown): string => (typeof value === 'number' ? padded(value) : String(value))

/** The digest of a value that a key has no room for, or that is not Unicode. */
const DIGEST = /^~[0-9a-f]{64}$/

/**
 * The text of a value in a key: the value itself, or its digest if it has more than `maxBytes`. A value that
 * looks like a digest is digested, too, so that no other value has its key.
 */
const keyPart = (value: string, maxBytes: number): string =>
  fits(value, maxBytes) && !DIGEST.test(value) ? value : `~${digestOf(value)}`

/** JSON distinguishes lone surrogates. UTF-8 would replace them all by one character. */
const digestOf = (value: string): string => hexDigest(JSON.stringify(value))

const MAX_UTF8_BYTES_OF_A_UNIT = 3

const fits = (text: string, maxBytes: number): boolean =>
  (text.length * MAX_UTF8_BYTES_OF_A_UNIT <= maxBytes || Buffer.byteLength(text) <= maxBytes) &&
  text.isWellFormed()

/**
 * Writes values between literals, up to the first value that is not given. It reads no more values than there
 * are names: `ids.map(key)` gives the whole list with each id. Where they make a text that is too long, each
 * value has an equal part of the room.
 */
function template(text: string, maxBytes: number) {
  const parts = text.split(/<(\w+)>/)
  const literals = parts.filter((_, index) => index % 2 === 0)
  const names = parts.filter((_, index) => index % 2 === 1)
  const room = Math.floor((maxBytes - Buffer.byteLength(literals.join(''))) / Math.max(names.length, 1))
  const joined = (values: readonly string[]): string =>
    literals
      .slice(0, values.length + 1)
      .reduce((filled, literal, index) => filled + values[index - 1] + literal)
  const fill = (values: readonly unknown[], write: (value: unknown) => string): string => {
    const texts = values.slice(0, names.length).map((value) => keyPart(write(value), maxBytes))
    const whole = joined(texts)
    return fits(whole, maxBytes) ? whole : joined(texts.map((value) => keyPart(value, room)))
  }
  return { names, fill }
}

// Keys of rows that other entities name. All other keys are declared with their entities.

export const accountKey = keyForm('USER#<id>', 'USER')
/** The copy of an account under its username. */
export const callerKey = keyForm('CALLER#<username>', 'CALLER')
export const deviceKey = keyForm('DEVICE#<id>', 'DEVICE')
export const didKey = keyForm('DID#<id>', 'DID')
export const tariffKey = keyForm('TARIFF#<id>', 'TARIFF')
export const currencyKey = keyForm('CURRENCY#<name>', 'CURRENCY')
export const lcrKey = keyForm('LCR#<id>', 'LCR')
export const locationKey = keyForm('LOCATION#<id>', 'LOCATION')
export const locationGroupKey = keyForm('LOCGROUP#<id>', 'LOCGROUP')
export const serviceKey = keyForm('SERVICE#<id>', 'SERVICE')

/**
 * Declares the names of a list that everyone, each owner and each customer has.
 * @__NO_SIDE_EFFECTS__
 */
export const listNames = (list: string) => ({
  everyone: listName(`${list}#EVERYONE`),
  owner: listName(`${list}#OWNER#<id>`),
  user: listName(`${list}#USER#<id>`),
})

export function nameOfList(names: ReturnType<typeof listNames>, scope: Scope): string {
  if (scope === 'everyone') return names.everyone()
  return 'user' in scope ? names.user(scope.user) : names.owner(scope.owner)
}

export const listedIn = (index: IndexName, { PK, SK }: Key): Item => ({
  [`${index}PK`]: PK,
  [`${index}SK`]: SK,
})

/** A moment in Unix seconds, as the first value of sort keys that ascend by time. */
export const momentText = (moment: number): string => String(moment).padStart(12, '0')

/** The sort keys of a period in a list of such moments. Both ends belong to it. */
export const betweenMoments = (from: number, till: number): readonly [from: string, till: string] => [
  momentText(from),
  momentText(till + 1),
]
