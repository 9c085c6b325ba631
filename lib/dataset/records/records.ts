import { randomInt } from 'node:crypto'
import { listOwnerIds } from '#lib/accounts/account.ts'
import { KEPT_CHANGING, RowRefused } from '#lib/base/row-refused.ts'
import { newDocumentId } from '#lib/billing/document.ts'
import { type ImportContext, onlyTable } from '#lib/dataset/format/import-context.ts'
import { checkRow, readRowEntry, writeRow } from '#lib/dataset/format/one-row.ts'
import { noUsername } from '#lib/devices/taken-name.ts'
import { idColumnOf } from '#lib/table/entity.ts'
import { advanceIds, nextId } from '#lib/table/id-counter.ts'
import type { Item } from '#lib/table/items.ts'
import { isUnder } from '#lib/table/keys.ts'
import { carrying } from '#lib/table/requests/carrying.ts'
import { absent, type Change, is, keyOfChange, present } from '#lib/table/requests/changes.ts'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { defaultsOf, type RecordField, recordFields, referencesOf } from './record-fields.ts'
import type { RecordContext, RecordKind, RecordValues } from './record-kind.ts'
import { type KindName, kindNamed } from './record-kinds.ts'
import { namesOf } from './record-names.ts'
import { FILL_IN, fieldProblem, problemsOfValues } from './record-problems.ts'
import { findRow, requireList, SECRET_MASK, timeOfBareDay } from './record-reading.ts'
import { type FieldProblem, NoSuchRecord, RecordRefused } from './record-refused.ts'

/** The result for a record, with the values that were generated for it. */
export interface WrittenRecord {
  readonly id: string
  readonly drawn: RecordValues
}

/** Adds a record under the next free id. Throws RecordRefused, or ConditionFailed after a lost race. */
export async function addRecord(
  context: RecordContext,
  name: KindName,
  given: RecordValues,
): Promise<WrittenRecord> {
  const kind = kindNamed(name)
  await requireList(context, kind)
  const fields = recordFields(kind, context).filter(({ isOfChange }) => !isOfChange)
  const sent = cleaned(kind, given)
  const blank = fields.filter((field) => field.isRequired && !sent[field.name]).map((field) => field.name)
  const problems = [
    ...blank.map((column) => ({ name: column, message: FILL_IN })),
    ...problemsOf(context, kind, fields, sent).filter((problem) => !blank.includes(problem.name)),
  ]
  const values = { ...cleaned(kind, presetsIn(context, kind)), ...sent }
  const conditions = await checkReferences(context, { kind, fields }, values, problems)
  const drawn = await kind.draw?.(context, values)
  const filled = { ...values, ...drawn?.values }
  const cells = kind.cells?.(filled) ?? filled
  const [called] = await namesOf(context, kind, [cells])
  const written = { ...kind, format: drawn?.format ?? kind.format }
  const id = await storeRow(context, written, cells, {
    fields,
    id: cells[idColumnOf(kind.entity)],
    takeId: drawn?.takeId ?? (() => newIdOf(context, kind)),
    besides: (taken) => [
      { check: (kind.entity.pointer ?? kind.entity.key)(keyPart(kind, taken)), when: { PK: absent } },
      ...conditions,
      logged(context, kind, { row: { ...cells, [idColumnOf(kind.entity)]: taken }, called }, 'added'),
    ],
  })
  return { id, drawn: shownDrawn(kind, drawn?.values ?? {}) }
}

/** The defaults of columns in which a blank cell would mean something else. */
const presetsIn = (context: RecordContext, kind: RecordKind): RecordValues =>
  Object.fromEntries(Object.entries(defaultsOf(kind, context)).filter(([, value]) => value !== ''))

/** Changes the given columns of a record. Throws as `addRecord` does, and NoSuchRecord. */
export async function changeRecord(
  context: RecordContext,
  name: KindName,
  id: string,
  given: RecordValues,
): Promise<WrittenRecord> {
  const kind = kindNamed(name)
  const row = await findRow(context, name, id)
  const kept = context.owner === undefined ? undefined : kind.kept?.(row as never)
  refuseRecord(kept === undefined ? [] : [{ name: '', message: kept }])
  const fields = recordFields(kind, context)
  const values = cleaned(kind, given)
  const idColumn = idColumnOf(kind.entity)
  const renamed = { name: idColumn, message: `A ${kind.noun} keeps its name` }
  const conditions = await checkReferences(context, { kind, fields }, values, [
    ...((values[idColumn] ?? id) === id ? [] : [renamed]),
    ...problemsOf(context, kind, fields, values),
  ])
  const [called] = await namesOf(context, kind, [row])
  const isOfChange = (column: string) => kind.columns[column]?.isOfChange === true
  const changed = Object.keys(values).filter((column) => !isOfChange(column))
  const days = Object.keys(values).flatMap((column) => (isOfChange(column) && values[column]) || [])
  const did = `changed ${[changed.join(', '), ...days].join(' from ')} of`
  const entry = logged(context, kind, { row, called }, did)
  await storeRow(context, kind, kind.cells?.(values) ?? values, {
    fields,
    id,
    besides: () => [...stillThere(context, kind, row), ...conditions, entry],
  })
  return { id, drawn: {} }
}

export async function removeRecord(
  context: RecordContext,
  name: KindName,
  id: string,
): Promise<WrittenRecord> {
  const kind = kindNamed(name)
  if (!kind.remove) throw new RecordRefused([{ name: '', message: `A ${kind.noun} cannot be removed` }])
  const row = await findRow(context, name, id)
  const [called] = await namesOf(context, kind, [row])
  const besides = [...stillThere(context, kind, row), logged(context, kind, { row, called }, 'removed')]
  const reason = await kind.remove(carrying(context.store, writesRowOf(kind), besides), row as never)
  refuseRecord(reason === undefined ? [] : [{ name: '', message: reason }])
  return { id, drawn: {} }
}

export function refuseRecord(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw new RecordRefused(problems)
}

/** A masked secret was not changed. */
const cleaned = ({ columns }: RecordKind, given: RecordValues): RecordValues =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([name, text]) => text !== SECRET_MASK || !columns[name]?.isSecret)
      .map(([name, text]) => [name, columns[name]?.moment === 'date-time' ? momentOf(name, text) : text]),
  )

const momentOf = (name: string, text: string): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) ? text + timeOfBareDay(name) : text

function problemsOf(
  context: RecordContext,
  kind: RecordKind,
  fields: readonly RecordField[],
  values: RecordValues,
): FieldProblem[] {
  const unknown = Object.keys(values).filter((name) => !fields.some((field) => field.name === name))
  return [
    ...unknown.map((name) => ({ name, message: NO_FIELD })),
    ...problemsOfValues(kind, fields, values, calendarOf(context)),
    ...Object.entries(kind.problems?.(context, values) ?? {}).map(([name, message]) => ({ name, message })),
  ]
}

export const NO_FIELD = 'There is no such field'

export const calendarOf = ({ settings, clock }: RecordContext) => ({
  firstImport: clock(),
  zone: settings.Timezone,
  dialling: settings,
})

/**
 * Refuses values with these problems, unknown references, and those of other owners. Returns the conditions
 * under which the references stay what they are.
 */
async function checkReferences(
  context: RecordContext,
  { kind, fields }: { readonly kind: RecordKind; readonly fields: readonly RecordField[] },
  values: RecordValues,
  others: readonly FieldProblem[],
): Promise<Change[]> {
  const seen = [...referencesOf(kind)].filter(([column]) => fields.some(({ name }) => name === column))
  const named = seen.flatMap(([column, of]) => {
    const id = values[column]?.trim() ?? ''
    const isNone = id === '' || (kind.columns[column]?.blank && (id === '0' || id.startsWith('-')))
    return isNone || others.some(({ name }) => name === column) ? [] : [{ column, of, id }]
  })
  const problems = await Promise.all(
    named.map(async ({ column, of, id }) => {
      const row = await findRow(context, of, id).catch(noSuchRecord)
      const message = `There is no ${kindNamed(of).noun} ${id}: choose one of the list`
      return row ? [] : [{ name: column, message }]
    }),
  )
  refuseRecord([...others, ...problems.flat()])
  const { owner } = context
  return (owner === undefined ? [] : named).map(({ of, id }) => ({
    check: kindNamed(of).entity.key(Number(id)),
    when: { owner_id: is(owner) },
  }))
}

function noSuchRecord(error: unknown): undefined {
  if (!(error instanceof NoSuchRecord)) throw error
}

/** The conditions that the row is still there, and still one of the owner. */
function stillThere({ owner }: RecordContext, { entity, ownerThrough }: RecordKind, row: Item): Change[] {
  const key = entity.pointer ? entity.pointer.of(row) : entity.key.of(entity.valuesOf(row))
  const there = { check: key, when: { PK: present } }
  if (owner === undefined) return [there]
  const [required] = entity.requires.filter(({ column }) => column === ownerThrough)
  const owned = required ? required.names(Number(row[required.column])) : entity.key.of(entity.valuesOf(row))
  return [there, { check: owned, when: { owner_id: is(owner) } }]
}

/** The entry of the log about a record. What is done to an account stands in the log of the account. */
function logged(
  { logged: entryOf }: RecordContext,
  kind: RecordKind,
  { row, called = '' }: { readonly row: Item; readonly called: string | undefined },
  did: string,
): Change {
  const id = row[idColumnOf(kind.entity)]
  const { username } = row
  if (kind.counted === 'account')
    return entryOf({ account: String(username), account_id: Number(id), did: did.replace(/ of$/, '') })
  return entryOf({ action: `${did} ${kind.noun} ${id}${called && ` ${JSON.stringify(called)}`}` })
}

const keyPart = ({ entity }: RecordKind, id: string): number | string =>
  idColumnOf(entity) === 'id' ? Number(id) : id

const shownDrawn = ({ drawn = {} }: RecordKind, values: RecordValues): RecordValues =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in drawn))

interface Writing {
  readonly fields: readonly RecordField[]
  readonly id: string | undefined
  /** Called once the row is checked, so that a refused row takes no id. */
  takeId?(): Promise<number>
  /** Further changes of the transaction that writes the row. */
  besides(id: string): readonly Change[]
}

/** No row has this id yet while it is checked. */
const ID_OF_CHECK = String(10 ** 15 - 1)

/** Checks and writes one row, and returns its id. */
async function storeRow(
  context: RecordContext,
  kind: RecordKind,
  cells: RecordValues,
  { fields, takeId, besides, id: ownId }: Writing,
): Promise<string> {
  const { settings, clock } = context
  const { format, entity } = kind
  const withId = (id: string) => ({ ...cells, [idColumnOf(entity)]: id })
  const around = {
    settings,
    clock,
    calendar: calendarOf(context),
    revision: randomInt(MOST_REVISIONS),
    mayShareAddresses: context.owner === undefined,
  }
  const known: ImportContext = { ...onlyTable(context.store), ...around }
  try {
    const checked = await checkRow(format, withId(ownId ?? ID_OF_CHECK), known)
    const id = ownId ?? String(await takeId?.())
    const entry = ownId === undefined ? await readRowEntry(format, withId(id), known) : checked
    const store = carrying(context.store, writesRowOf(kind), besides(id), refuseRace)
    await writeRow(format, entry, { ...known, store })
    return id
  } catch (error) {
    if (!(error instanceof RowRefused)) throw error
    if (error.problems.includes(KEPT_CHANGING)) throw new ConditionFailed([], {})
    const isLimited = context.owner !== undefined
    throw new RecordRefused(error.problems.map((one) => fieldProblem(one, fields, cells, isLimited)))
  }
}

const MOST_REVISIONS = 2 ** 47

const writesRowOf =
  ({ entity }: RecordKind) =>
  (changes: readonly Change[]): boolean =>
    changes.some((change) => !('check' in change) && isUnder(entity.key)(keyOfChange(change)))

/** A lost race is repeated with all of its checks, and not by the import of the row. */
function refuseRace(error: unknown): never {
  throw error instanceof ConditionFailed ? new RowRefused(KEPT_CHANGING) : error
}

/** The id of a new record: the next of its counter, or one by the time of a document. */
async function newIdOf({ store, clock }: RecordContext, kind: RecordKind): Promise<number> {
  const { counted, entity } = kind
  if (!counted) return newDocumentId(clock().getTime(), randomInt(DRAWN_IDS))
  let id = await nextId(store, counted)
  if (id === 1 || (await entity.find(store, id))) {
    await advanceIds(store, counted, await highestId(store, kind))
    id = await nextId(store, counted)
  }
  return counted === 'account' ? noUsername(store, id) : id
}

const DRAWN_IDS = 100

/** Tables of earlier releases have no counter, and an import of a few rows may set it too low. */
async function highestId(store: Store, { list: { form, holds } }: RecordKind): Promise<number> {
  if (holds !== 'index') return 0
  const parents = form.names.length > 1 ? (await listOwnerIds(store)).map((owner) => [owner]) : [[]]
  const newest = await Promise.all(
    parents.map(async (parent) => {
      const { partition, prefix } = form.range(...parent)
      return store.firstPage({ index: 'GSI1', partition, prefix, newestFirst: true, pageSize: 1 })
    }),
  )
  return Math.max(0, ...newest.flat().map(({ id }) => Number(id)))
}
