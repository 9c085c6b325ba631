import type { ActContext } from '#lib/acts/context.ts'
import type { Day, Seconds } from '#lib/base/calendar.ts'
import type { Refusal } from '#lib/base/refusal.ts'
import { actsFor, seesEveryone } from '#lib/base/scope.ts'
import type { RowChange, RowFormat } from '#lib/dataset/format/row-format.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Columns } from '#lib/table/columns.ts'
import type { Entity, Requirement, Stored } from '#lib/table/entity.ts'
import type { Counted } from '#lib/table/id-counter.ts'
import type { Item } from '#lib/table/items.ts'
import type { KeyForm } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

/** The texts of columns, as a cell of a dataset has them. */
export type RecordValues = Readonly<Record<string, string>>

/** The surroundings in which records are read and written. */
export interface RecordContext {
  readonly store: Store
  readonly settings: Settings
  readonly clock: () => Date
  /** The owner whose records alone exist for the account; `undefined` for all. */
  readonly owner: number | undefined
  /** The names of accounts for a list, those that are known already or cost no more than `most` reads. */
  readonly nameAccounts?: (ids: Iterable<number>, most: number) => Promise<ReadonlyMap<number, string>>
}

/** A reseller or partner has the records of its own customers. */
export const recordContext = ({
  store,
  settings,
  now,
  actor,
}: Omit<ActContext, 'namesAreTyped'>): RecordContext => ({
  ...{ store, settings, clock: () => now },
  owner: seesEveryone(actor) ? undefined : actsFor(actor),
})

/** The list that shows the records of a kind: items of GSI1, items of the table, or copies with an id. */
interface RecordList {
  readonly form: KeyForm
  readonly holds: 'index' | 'items' | 'copies'
}

export interface Generated {
  readonly values: RecordValues
  /** Takes the id of the record, once it is checked. */
  readonly takeId?: () => Promise<number>
  /** Checks and writes the row in place of the kind's own format. */
  readonly format?: RecordKind['format']
}

/** Records to show, add and change one by one. A dataset file declares columns and rules. */
export interface RecordKind<E = Item> {
  readonly noun: string
  readonly entity: Entity<E>
  readonly columns: Columns
  /** Reads, checks and writes a row, as an import does. */
  readonly format: RowFormat<object>
  readonly list: RecordList
  /** The counter of its ids. Documents have ids by their time, and a currency has its name. */
  readonly counted?: Counted
  /** The row with the values of now. */
  present?(row: Stored<E>, now: Seconds): Stored<E>
  /** The rights of resellers and partners on records of this kind: none without this. */
  readonly limited?: 'read' | 'change'
  /** References beyond the required rows of the entity: the import may name rows of a later file. */
  readonly refersTo?: readonly Pick<Requirement, 'column' | 'names'>[]
  /** The column that names the record whose owner counts, if there is no column `owner_id`. */
  readonly ownerThrough?: string
  /** The column that names the record which lends its name, and the key of that one. */
  readonly namedBy?: { readonly column: string; readonly key: KeyForm }
  /** The values of a new record where a blank cell means something else. */
  readonly defaults?: (settings: Settings, today: Day) => RecordValues
  /** The cells of a row, of the values of a form. */
  cells?(values: RecordValues): RecordValues
  /** The columns that `generate` fills if they are blank, and with what. */
  readonly generated?: RecordValues
  /** The problems beyond those of an import, by column. */
  problems?(context: RecordContext, values: RecordValues): RecordValues
  /** Makes up what a new record lacks. */
  generate?(context: RecordContext, values: RecordValues): Promise<Generated>
  /** Refuses a change by a reseller or partner that only an admin may make. */
  refuseKept?(row: Stored<E>): void
  /** The changes that remove the record. Throws Refusal if it stays. */
  remove?(store: Store, row: Stored<E>): Promise<RowChange>
  /** The consent that such a record needs before it is added, or before `before` is changed to it. */
  asks?(context: RecordContext, cells: RecordValues, before?: Stored<E>): Promise<Refusal | undefined>
  /** Names an equal record that was added within a day, which is rarely meant twice. */
  equalOne?(context: ActContext, values: RecordValues): Promise<string | undefined>
}

/** Declares a kind by its entity and the format of its dataset file. */
export const defineKind = <E extends object, R extends object>(
  entity: Entity<E>,
  format: RowFormat<R>,
  rest: Omit<RecordKind<E>, 'noun' | 'entity' | 'columns' | 'format'> & Partial<Pick<RecordKind, 'columns'>>,
): RecordKind =>
  ({
    noun: entity.name,
    entity,
    columns: format.columns,
    format,
    ...rest,
  }) as unknown as RecordKind
