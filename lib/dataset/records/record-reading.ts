import { secondsOf } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import { idColumnOf, type Stored } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import type { Store } from '#lib/table/store.ts'
import { formatIn } from '#lib/table/table-format.ts'
import { type RecordField, recordFields, referencesOf, textOf } from './record-fields.ts'
import type { RecordContext, RecordKind, RecordValues } from './record-kind.ts'
import { type KindName, kindNamed } from './record-kinds.ts'
import { type NamesIn, namedRows, namesOf } from './record-names.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** An unknown record gets the same answer as a hidden one. */
    readonly unknown_record: {
      readonly noun: string
      readonly id: string
      readonly nearest: readonly string[]
    }
    readonly list_unmigrated: { readonly noun: string }
  }
}

/** A record as forms and lists show it. */
export interface ShownRecord {
  readonly id: string
  readonly name: string
  readonly values: RecordValues
}

export const SECRET_MASK = '********'

/** The row of an id. Throws NoSuchRecord, also for a row of another owner. */
export async function findRow(context: RecordContext, name: KindName, id: string): Promise<Item> {
  const kind = kindNamed(name)
  const key = idColumnOf(kind.entity) === 'id' ? idIn(id) : id
  const stored = key === undefined ? undefined : await kind.entity.find(context.store, key)
  const row = stored && presentRow(context, kind, stored)
  if (!row || !(await isVisible(context, kind, row)))
    throw new Refusal('unknown_record', { noun: kind.noun, id, nearest: [] })
  return row
}

/** The row with the values of now: some may change by a change that was made for a later day. */
const presentRow = ({ clock }: RecordContext, kind: RecordKind, row: Stored<Item>): Item =>
  kind.present?.(row, secondsOf(clock())) ?? row

const idIn = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)

async function isVisible({ store, owner }: RecordContext, kind: RecordKind, row: Item): Promise<boolean> {
  if (owner === undefined) return true
  return (await ownedRow(store, kind, row))?.['owner_id'] === owner
}

/** The row whose owner counts. */
async function ownedRow(store: Store, kind: RecordKind, row: Item): Promise<Item | undefined> {
  const { ownerThrough } = kind
  const through = ownerThrough && referencesOf(kind).get(ownerThrough)
  return through ? kindNamed(through).entity.find(store, Number(row[ownerThrough])) : row
}

export async function readRecord(context: RecordContext, name: KindName, id: string) {
  const kind = kindNamed(name)
  const row = await findRow(context, name, id)
  const fields = recordFields(kind, context)
  const links = [...referencesOf(kind)].filter(
    ([column]) => row[column] !== undefined && fields.some((field) => field.name === column),
  )
  const names = await Promise.all(
    links.map(async ([column, of]) => {
      const named = await kindNamed(of).entity.find(context.store, Number(row[column]))
      const [shown] = named ? await shownRecords(context, kindNamed(of), [named]) : []
      return [column, shown?.name ?? ''] as const
    }),
  )
  const records = await shownRecords(context, kind, [row])
  return { fields, record: records[0] as ShownRecord, names: Object.fromEntries(names) }
}

export const PAGE_RECORDS = 100

interface ListWish {
  /** The id of the record that they belong to. */
  readonly of?: string | undefined
  readonly after?: string | undefined
  /** The columns that name records which come with their names. */
  readonly named?: readonly string[] | undefined
}

/** A page of the records of a kind, by id: shorter ones, if the records that they name are many. */
export async function listRecords(
  context: RecordContext,
  name: KindName,
  { of, after, named = [] }: ListWish,
) {
  const kind = kindNamed(name)
  const { form, holds } = kind.list
  await requireList(context, kind)
  const parent = form.names.length > 1 ? [await parentOf(context, name, of)] : []
  const { partition, prefix } = form.range(...parent)
  const position = after === undefined ? undefined : placeAfter(kind, after)
  const from = position === undefined ? prefix : `${form(...parent, position).SK} `
  const items = await context.store.firstPage({
    partition,
    ...(holds === 'index' ? { index: 'GSI1' } : { eventual: true }),
    between: [from, `${prefix}~`],
    pageSize: PAGE_RECORDS,
  })
  const rows =
    holds === 'copies' ? items : items.map((item) => presentRow(context, kind, kind.entity.read(item)))
  const isOwn = (row: Item) =>
    row['owner_id'] === undefined || (context.owner ?? row['owner_id']) === row['owner_id']
  const { shown, isCut, namesIn } = await namedRows(context, kind, rows.filter(isOwn), named)
  const records = await shownRecords(context, kind, shown, namesIn)
  const last = (isCut ? shown : items.slice(PAGE_RECORDS - 1)).at(-1)
  return {
    fields: recordFields(kind, context),
    records: records.map((record, index) => ({ ...record, names: namesIn(shown[index] ?? {}) })),
    next: last ? String(last[idColumnOf(kind.entity)]) : null,
  }
}

/** A table of an earlier release lists the records of some kinds only once it is migrated. */
export async function requireList(
  { store }: RecordContext,
  { noun: name, entity }: RecordKind,
): Promise<void> {
  if (entity.listedSince === 1 || formatIn(await findSettings(store)) >= entity.listedSince) return
  throw new Refusal('list_unmigrated', { noun: name })
}

function placeAfter({ entity }: RecordKind, after: string): number | string {
  const place = idColumnOf(entity) === 'id' ? idIn(after) : after
  if (place !== undefined) return place
  throw new Refusal('wrong_value', { value: after, takes: 'page key' }, 'after')
}

/** The id of the record to which those of a list belong: an owner, or a record that the account sees. */
async function parentOf(context: RecordContext, name: KindName, of: string | undefined): Promise<number> {
  const kind = kindNamed(name)
  const [column = ''] = kind.list.form.names
  if (column === 'owner_id' && context.owner !== undefined) return context.owner
  if (column === 'owner_id' && of === undefined) return ADMIN_ACCOUNT
  const parent = referencesOf(kind).get(column)
  if (of === undefined) throw new Refusal('missing_value', { takes: noun(parent) }, 'of')
  if (parent) await findRow(context, parent, of)
  return idIn(of) ?? 0
}

const noun = (name: KindName | undefined): string => (name ? kindNamed(name).noun : 'record')

/** A bare day is its first second, or its last one where a period ends. */
export const timeOfBareDay = (name: string): string => (name === 'till' ? ' 23:59:59' : ' 00:00:00')

const bareDay = (name: string, text: string): string =>
  /^\d{4}-\d{2}-\d{2} /.test(text) && text.endsWith(timeOfBareDay(name)) ? text.slice(0, 10) : text

async function shownRecords(
  context: RecordContext,
  kind: RecordKind,
  rows: readonly Item[],
  namesIn?: NamesIn,
): Promise<ShownRecord[]> {
  const fields = recordFields(kind, context)
  const names = await namesOf(context, kind, rows, namesIn)
  return rows.map((row, index) => ({
    id: String(row[idColumnOf(kind.entity)]),
    name: names[index] || `${kind.noun} ${row[idColumnOf(kind.entity)]}`,
    values: shownValues(context, kind, fields, row),
  }))
}

function shownValues(
  context: RecordContext,
  kind: RecordKind,
  fields: readonly RecordField[],
  row: Item,
): RecordValues {
  const values = fields.flatMap(({ name, isSecret }) => {
    const column = kind.columns[name]
    if (!column || (kind.list.holds === 'copies' && !Object.hasOwn(row, name))) return []
    const text = bareDay(name, textOf(row[name], column, context))
    return [[name, isSecret && text !== '' ? SECRET_MASK : text]]
  })
  return Object.fromEntries(values)
}
