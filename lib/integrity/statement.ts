import type { Money } from '#lib/domain/money.ts'
import type { Item } from '#lib/store/items.ts'
import type { Key } from '#lib/store/keys.ts'

/** What an item says about the rest of the table. */
export type Statement =
  /** Under this key stands what `finds` is true for; `otherwise` is the sentence when it does not. */
  | { readonly at: Key; readonly finds: (item: Item | undefined) => boolean; readonly otherwise: string }
  /** The item is one of what is counted as `of`, such as "devices of account 10", or adds so much to it. */
  | { readonly of: string; readonly adds: number | Money; readonly mayBeUncounted?: true }
  /** The item is a counter, and says how many of them there are, or its part of it. */
  | { readonly of: string; readonly says: number | Money }
  /** An id was given out; the counter of such ids has come to one. */
  | { readonly ids: string; readonly used: number }
  | { readonly ids: string; readonly reached: number }
  /** Some item must give this; `otherwise` is the sentence when none does. */
  | { readonly needs: string; readonly otherwise: string }
  | { readonly gives: string }
  /** Whatever else is there, this is wrong. */
  | { readonly wrong: string }

export interface Circumstances {
  /** In Unix seconds. */
  readonly now: number
  readonly defaultCurrency: string
}

/** What must hold for an item of one kind. Throws when the item cannot be read. */
export type Rule = (item: Item, circumstances: Circumstances) => Iterable<Statement>

/** For items that say nothing about others. */
export const standsAlone: Rule = () => []

export const present = (at: Key, otherwise: string): Statement => ({
  at,
  finds: (item) => item !== undefined,
  otherwise,
})

export const absent = (at: Key, otherwise: string): Statement => ({
  at,
  finds: (item) => item === undefined,
  otherwise,
})

/** The item under the key is there, and has these values. */
export const agrees = (at: Key, values: Item, otherwise: string): Statement => ({
  at,
  finds: (item) =>
    item !== undefined && Object.entries(values).every(([name, value]) => isSame(item[name], value)),
  otherwise,
})

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The item stands in its lists, which the indexes are. */
export const listed = (item: Item, attributes: Item, subject: string): Statement[] =>
  Object.entries(attributes)
    .filter(([name, value]) => item[name] !== value)
    .map(([name, value]) => ({
      wrong: `${subject} is listed under ${name} ${item[name]} instead of ${value}.`,
    }))
