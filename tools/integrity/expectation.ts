import { isDeepStrictEqual } from 'node:util'
import type { Money } from '#lib/base/money.ts'
import type { ArchiveBucket } from '#lib/calls/archive/bucket.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Item } from '#lib/table/items.ts'
import { type Key, type KeyForm, type KeyValues, keyForm, keyReader } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

/** A requirement of an item on the rest of the table. `otherwise` is the sentence if it is not met. */
export type Expectation =
  /** `finds` is true of the item under this key. */
  | { readonly at: Key; readonly finds: (item: Item | undefined) => boolean; readonly otherwise: string }
  /** The item adds an amount to a total, such as "devices of account 10". */
  | { readonly total: string; readonly adds: number | Money; readonly mayBeUncounted?: true }
  /** The item is the counter of a total, or one of its parts. */
  | { readonly total: string; readonly counts: number | Money }
  /** The item uses an id, which the counter of such ids has reached. */
  | { readonly ids: string; readonly used: number }
  | { readonly ids: string; readonly reached: number }
  /** The item needs something that another item gives. */
  | { readonly needs: string; readonly otherwise: string }
  | { readonly gives: string }
  /** The item is damaged, regardless of the others. */
  | { readonly wrong: string }
  /** A reading of the lists that the item leads to returns the sentence if they do not fit together. */
  | { readonly wrongIf: (store: Store) => Promise<string | undefined> }

export interface Circumstances {
  readonly now: number
  readonly settings: Settings
  /** The table's format. Later declarations of entities are not expected: a migration adds them. */
  readonly format: number
  /** With it, archived calls are counted, and the files of documents are read. */
  readonly bucket: ArchiveBucket | undefined
}

/** The expectations of an item of one kind; `values` are its key's. Throws if it cannot be read. */
export type Rule<V = unknown> = (item: Item, circumstances: Circumstances, values: V) => Iterable<Expectation>

/** The expectations of an item under keys of one form. Returns undefined for all other items. */
export type FormRule = (item: Item, circumstances: Circumstances) => Expectation[] | undefined

/** An item follows every rule whose form its key has. */
export function under<F extends KeyForm>(form: F, ...rules: readonly Rule<KeyValues<F>>[]): FormRule {
  const read = keyReader(form)
  return (item, circumstances) => {
    const values = read(item)
    return values && rules.flatMap((rule) => [...rule(item, circumstances, values)])
  }
}

/** Items under these keys depend on no others. */
export const alone = (...forms: readonly (KeyForm | Key)[]): FormRule[] =>
  forms.map((form) => under('PK' in form ? keyForm(form.PK, form.SK) : form))

/** The item can be read; `read` throws otherwise. */
export const readable =
  (read: (item: Item) => unknown): Rule =>
  (item) => {
    read(item)
    return []
  }

/** The counter of such ids has reached the id of the item. */
export const idOf =
  (ids: string): Rule =>
  ({ id }) => [{ ids, used: Number(id) }]

export const expectItem = (at: Key, otherwise: string): Expectation => ({
  at,
  finds: (item) => item !== undefined,
  otherwise,
})

/** The item under the key exists and has these values. */
export const expectValues = (at: Key, values: Item, otherwise: string): Expectation => ({
  at,
  finds: (item) =>
    item !== undefined && Object.entries(values).every(([name, value]) => isSame(item[name], value)),
  otherwise,
})

/** DynamoDB keeps no order of the attributes of a map, such as the history of an account. */
const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(asJson(one), asJson(other))

const asJson = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value))

/** The item has the attributes that place it in its lists in the indexes. */
export const expectPlaces = (item: Item, attributes: Item, subject: string): Expectation[] =>
  Object.entries(attributes)
    .filter(([name, value]) => item[name] !== value)
    .map(([name, value]) => ({
      wrong: `${subject} is listed under ${name} ${item[name]} instead of ${value}.`,
    }))
