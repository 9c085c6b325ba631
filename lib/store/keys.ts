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
  const [inPartition, inPlace] = [template(partition), template(place)]
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

function template(text: string) {
  const parts = text.split(/<(\w+)>/)
  const literals = parts.filter((_, at) => at % 2 === 0)
  return {
    literals,
    names: parts.filter((_, at) => at % 2 === 1),
    fill: (values: readonly unknown[], write: (value: unknown) => string) =>
      literals.reduce((filled, literal, at) => filled + write(values[at - 1]) + literal),
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

/** A sort key in a list that ascends by time; `moment` is in Unix seconds. */
export const momentPlace = (moment: number, id: string): string => `${momentText(moment)}#${id}`

/** The sort keys of a period in such a list. Both ends belong to it. */
export const betweenMoments = (from: number, till: number): readonly [from: string, till: string] => [
  momentText(from),
  momentText(till + 1),
]

const momentText = (moment: number): string => String(moment).padStart(12, '0')
