import { createHash } from 'node:crypto'
import type { Scope } from '#lib/domain/accounts/scope.ts'
import type { Item } from './items.ts'

/** A primary key of the table. */
export type Key = {
  readonly PK: string
  readonly SK: string
}

/** The key of an item that was read. */
export const keyIn = ({ PK, SK }: Item): Key => ({ PK: String(PK), SK: String(SK) })

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
  /** The part of a partition that holds keys of this form; `values` are those of the partition. */
  range(...values: readonly Value[]): KeyRange
  /** The names of its values. */
  readonly names: readonly string[]
  /** The text in docs: `LOCATION#<location_id>` / `RULE#<id>`. */
  readonly text: readonly [partition: string, place: string]
}

/** DynamoDB's limits for keys of the table and of its indexes. It refuses a longer key, and one that is no Unicode. */
export const MAX_KEY_BYTES = { PK: 2048, SK: 1024 }

const ID_DIGITS = 15

/** Numbers in sort keys have 15 digits, so that their text order is their number order. */
export const padded = (id: number): string => String(id).padStart(ID_DIGITS, '0')

/**
 * Declares keys by the text of their partition and sort key, with the names of values in angle brackets.
 * @__NO_SIDE_EFFECTS__
 */
export function keyForm<const P extends string, const S extends string>(
  partition: P,
  place: S,
): KeyForm<[...Names<P>, ...Names<S>]> {
  const inPartition = template(partition, MAX_KEY_BYTES.PK)
  const inPlace = template(place, MAX_KEY_BYTES.SK)
  const toKey = (values: readonly unknown[]): Key => ({
    PK: inPartition.fill(values.slice(0, inPartition.names.length), String),
    SK: inPlace.fill(values.slice(inPartition.names.length), sortable),
  })
  const names = [...inPartition.names, ...inPlace.names]
  return Object.assign((...values: readonly Value[]) => toKey(values), {
    names,
    text: [partition, place] as const,
    of: (values: Readonly<Record<string, unknown>>) => toKey(names.map((name) => values[name])),
    range: (...values: readonly Value[]) => ({
      partition: inPartition.fill(values, String),
      prefix: inPlace.literals[0] as string,
    }),
  }) as KeyForm<[...Names<P>, ...Names<S>]>
}

/** Recognises items by the form of their keys. The last value of a partition or sort key may contain `#`, the others not. */
export function isUnder({ text }: KeyForm): (item: Item) => boolean {
  const [PK, SK] = text.map(
    (part) => new RegExp(`^${part.replace(/<\w+>(?=.*<)/g, '[^#]*').replace(/<\w+>/, '.*')}$`, 's'),
  ) as [RegExp, RegExp]
  return (item) => PK.test(String(item['PK'])) && SK.test(String(item['SK']))
}

const sortable = (value: unknown): string => (typeof value === 'number' ? padded(value) : String(value))

/** The digest of a value that a key has no room for, or that is no Unicode. */
const DIGEST = /^~[0-9a-f]{64}$/

/**
 * The text of a value in a key: the value itself, or its digest if it has more than `maxBytes`. A value that looks like a
 * digest is digested, too, so that no other value has its key.
 */
const keyPart = (value: string, maxBytes: number): string =>
  fits(value, maxBytes) && !DIGEST.test(value) ? value : `~${digestOf(value)}`

/** JSON tells lone surrogates apart. UTF-8 would replace them all by one character. */
const digestOf = (value: string): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

const MAX_UTF8_BYTES_OF_A_UNIT = 3

const fits = (text: string, maxBytes: number): boolean =>
  (text.length * MAX_UTF8_BYTES_OF_A_UNIT <= maxBytes || Buffer.byteLength(text) <= maxBytes) &&
  text.isWellFormed()

/** Writes values between literals. Where they make a text that is too long, each value has an equal part of the room. */
function template(text: string, maxBytes: number) {
  const parts = text.split(/<(\w+)>/)
  const literals = parts.filter((_, index) => index % 2 === 0)
  const names = parts.filter((_, index) => index % 2 === 1)
  const room = Math.floor((maxBytes - Buffer.byteLength(literals.join(''))) / Math.max(names.length, 1))
  const joined = (values: readonly string[]): string =>
    literals.reduce((filled, literal, index) => filled + values[index - 1] + literal)
  return {
    literals,
    names,
    fill: (values: readonly unknown[], write: (value: unknown) => string) => {
      const texts = names.map((_, index) => keyPart(write(values[index]), maxBytes))
      const whole = joined(texts)
      return fits(whole, maxBytes) ? whole : joined(texts.map((value) => keyPart(value, room)))
    },
  }
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

// Lists of several entities

/** The partition of a list: everyone's, an owner's or a customer's. */
export function scopedList(list: string, scope: Scope, ofEveryone = `${list}#EVERYONE`): string {
  if (scope === 'everyone') return ofEveryone
  return 'user' in scope ? `${list}#USER#${scope.user}` : `${list}#OWNER#${scope.owner}`
}

const MAX_MOMENT_BYTES = 24

/** A sort key in a list that ascends by time; `moment` is in Unix seconds. */
export const momentPlace = (moment: number, id: string): string =>
  `${momentText(moment)}#${keyPart(id, MAX_KEY_BYTES.SK - MAX_MOMENT_BYTES)}`

/** The sort keys of a period in such a list. Both ends belong to it. */
export const betweenMoments = (from: number, till: number): readonly [from: string, till: string] => [
  momentText(from),
  momentText(till + 1),
]

const momentText = (moment: number): string => String(moment).padStart(12, '0')
