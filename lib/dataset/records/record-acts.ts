import { randomInt } from 'node:crypto'
import { listOwnerIds } from '#lib/accounts/account.ts'
import { type Act, type Done, defineAct, type RunContext } from '#lib/acts/act.ts'
import { type Inputs, switchInput } from '#lib/acts/inputs.ts'
import { OWNERS } from '#lib/base/account-types.ts'
import { memoize } from '#lib/base/collections.ts'
import { isRefusal, Refusal } from '#lib/base/refusal.ts'
import type { ValueProblem } from '#lib/base/refusals/value-sentences.ts'
import { problemsIn, type RowProblem, rowRefused } from '#lib/base/row-refused.ts'
import { newDocumentId } from '#lib/billing/document.ts'
import { type ImportContext, onlyTable } from '#lib/dataset/format/import-context.ts'
import type { RowChange, RowEntry, RowFormat } from '#lib/dataset/format/row-format.ts'
import { noUsername } from '#lib/devices/taken-name.ts'
import type { LoggedDeed } from '#lib/settings/audit-log.ts'
import { parseGiven } from '#lib/table/cells/row-parser.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { idColumnOf } from '#lib/table/entity.ts'
import { advanceIds, nextId } from '#lib/table/id-counter.ts'
import type { Item } from '#lib/table/items.ts'
import { absent, type Change, combined, is, present } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { checkEntries, type RefusedRows } from '../format/row-batch.ts'
import { provisionalIds, readEntries } from '../format/row-entry.ts'
import { defaultsOf, type RecordField, recordFields, referencesOf } from './record-fields.ts'
import { inputsOfChange, inputsOfNew, recordInput, valuesOf } from './record-inputs.ts'
import { type RecordContext, type RecordKind, type RecordValues, recordContext } from './record-kind.ts'
import { type KindName, kindNamed } from './record-kinds.ts'
import { namesOf } from './record-names.ts'
import { findRow, requireList, SECRET_MASK, timeOfBareDay } from './record-reading.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly not_removable: { readonly noun: string }
    /** A person confirms a removal. */
    readonly removal: { readonly noun: string; readonly id: string; readonly name: string }
  }
}

/** The result for a record, with the values that were generated for it. */
export interface WrittenRecord {
  readonly id: string
  readonly generated: RecordValues
}

type RecordAct = Act<Inputs, WrittenRecord>

export interface RecordActs {
  readonly add: RecordAct
  readonly change: RecordAct
  readonly remove: RecordAct
}

/**
 * The acts on records of a kind. The columns are inputs of these acts. A record is read, checked and stored
 * as a row of an import is.
 */
export const recordActs: (name: KindName) => RecordActs = memoize((name: KindName): RecordActs => {
  const kind = kindNamed(name)
  const callers = kind.limited === 'change' ? OWNERS : (['admin'] as const)
  const aRecord = `${/^[aeiou]/i.test(kind.noun) ? 'an' : 'a'} ${kind.noun}`
  const { equalOne } = kind
  const agreement = kind.asks && { yes: switchInput('do it without asking') }
  return {
    add: defineAct<Inputs, WrittenRecord>({
      summary: `Add ${aRecord}`,
      callers,
      input: { ...inputsOfNew(kind), ...agreement },
      readsOthers: true,
      run: (context, { again: _, yes, ...input }) => addRecord(context, kind, valuesOf(input), yes === true),
      ...(equalOne && { repeats: (context, _, input) => equalOne(context, valuesOf(input)) }),
    }),
    change: defineAct<Inputs, WrittenRecord>({
      summary: `Change ${aRecord}: only what is given`,
      callers,
      input: { id: recordInput(name), ...inputsOfChange(kind), ...agreement },
      readsOthers: true,
      run: (context, { id, yes, ...input }) =>
        changeRecord(context, name, String(id), valuesOf(input), yes === true),
    }),
    remove: defineAct<Inputs, WrittenRecord>({
      summary: `Remove ${aRecord}`,
      callers,
      input: { id: recordInput(name), yes: switchInput('remove it without asking') },
      run: (context, { id, yes }) => removeRecord(context, name, String(id), yes === true),
    }),
  }
})

/** Adds a record under the next free id. */
async function addRecord(
  act: RunContext,
  kind: RecordKind,
  given: RecordValues,
  isMeant: boolean,
): Promise<Done<WrittenRecord>> {
  const context = recordContext(act)
  await requireList(context, kind)
  const fields = recordFields(kind, context).filter(({ isOfChange }) => !isOfChange)
  const sent = cleaned(kind, given)
  const blank = fields.filter((field) => field.isRequired && !sent[field.name])
  const problems = [
    ...blank.map((field) => problemOf({ code: 'blank', field: field.name, values: {} }, fields, sent)),
    ...problemsOf(context, kind, fields, sent).filter(
      (problem) => !blank.some(({ name }) => name === problem.name),
    ),
  ]
  const values = { ...cleaned(kind, presetsIn(context, kind)), ...sent }
  const conditions = await checkReferences(context, { kind, fields }, values, problems)
  const generated = await kind.generate?.(context, values)
  const filled = { ...values, ...generated?.values }
  const cells = kind.cells?.(filled) ?? filled
  const question = isMeant ? undefined : await kind.asks?.(context, cells)
  if (question) throw question
  const [called] = await namesOf(context, kind, [cells])
  const idColumn = idColumnOf(kind.entity)
  const takeId = generated?.takeId ?? (() => newIdOf(context, kind, act.lostRaces))
  const written = { ...kind, format: generated?.format ?? kind.format }
  const row = { ownId: cells[idColumn], takeId }
  const { id, change } = await changeOfRow(act, written, cells, { fields, ...row })
  const isNew = { check: (kind.entity.pointer ?? kind.entity.key)(keyPart(kind, id)), when: { PK: absent } }
  return {
    changes: combined([...(change?.changes ?? []), isNew, ...conditions]),
    afterwards: change?.afterwards,
    answer: { id, generated: shownGenerated(kind, generated?.values ?? {}) },
    log: deedOf(kind, { row: { ...cells, [idColumn]: id }, called }, 'added'),
    ...(generated && { hasSecrets: true }),
  }
}

/** The defaults of columns in which a blank cell would mean something else. */
const presetsIn = (context: RecordContext, kind: RecordKind): RecordValues =>
  Object.fromEntries(Object.entries(defaultsOf(kind, context)).filter(([, value]) => value !== ''))

/** Changes the given columns of a record. */
export async function changeRecord(
  act: RunContext,
  name: KindName,
  id: string,
  given: RecordValues,
  isMeant: boolean,
): Promise<Done<WrittenRecord>> {
  const context = recordContext(act)
  const kind = kindNamed(name)
  const row = await findRow(context, name, id)
  if (context.owner !== undefined) kind.refuseKept?.(row as never)
  const fields = recordFields(kind, context)
  const values = cleaned(kind, given)
  const idColumn = idColumnOf(kind.entity)
  const renamed = { name: idColumn, problem: `A ${kind.noun} keeps its name` }
  const conditions = await checkReferences(context, { kind, fields }, values, [
    ...((values[idColumn] ?? id) === id ? [] : [renamed]),
    ...problemsOf(context, kind, fields, values),
  ])
  const cells = kind.cells?.(values) ?? values
  const question = isMeant ? undefined : await kind.asks?.(context, cells, row as never)
  if (question) throw question
  const [called] = await namesOf(context, kind, [row])
  const isOfChange = (column: string) => kind.columns[column]?.isOfChange === true
  const changed = Object.keys(values).filter((column) => !isOfChange(column))
  const days = Object.keys(values).flatMap((column) => (isOfChange(column) && values[column]) || [])
  const did = `changed ${[changed.join(', '), ...days].join(' from ')} of`
  const { change } = await changeOfRow(act, kind, cells, { fields, ownId: id })
  const answer = { id, generated: {} }
  if (!change) return { answer }
  return {
    changes: combined([...change.changes, ...stillThere(context, kind, row), ...conditions]),
    afterwards: change.afterwards,
    answer,
    log: deedOf(kind, { row, called }, did),
  }
}

async function removeRecord(
  act: RunContext,
  name: KindName,
  id: string,
  isMeant: boolean,
): Promise<Done<WrittenRecord>> {
  const context = recordContext(act)
  const kind = kindNamed(name)
  if (!kind.remove) throw new Refusal('not_removable', { noun: kind.noun })
  const row = await findRow(context, name, id)
  const [called = ''] = await namesOf(context, kind, [row])
  if (!isMeant) throw new Refusal('removal', { noun: kind.noun, id, name: called })
  const { changes, afterwards } = await kind.remove(context.store, row as never)
  return {
    changes: combined([...changes, ...stillThere(context, kind, row)]),
    afterwards,
    answer: { id, generated: {} },
    log: deedOf(kind, { row, called }, 'removed'),
  }
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
): ValueProblem[] {
  const unasked = Object.keys(values).filter((name) => !fields.some((field) => field.name === name))
  return [
    ...unasked.map((name) => ({ name, problem: { code: 'unasked' } as const })),
    ...problemsOfValues(kind, fields, values, context),
    ...Object.entries(kind.problems?.(context, values) ?? {}).map(([name, problem]) => ({ name, problem })),
  ]
}

/** The problems of single values. */
export const problemsOfValues = (
  { columns }: Pick<RecordKind, 'columns'>,
  fields: readonly RecordField[],
  values: RecordValues,
  context: RecordContext,
): ValueProblem[] =>
  fields.flatMap(({ name }) => {
    const [value, column] = [values[name], columns[name]]
    if (value === undefined || !column) return []
    try {
      parseGiven({ columns: { [name]: column } }, { [name]: value }, calendarOf(context))
      return []
    } catch (error) {
      return problemsIn(error).map((problem) => problemOf(problem, fields, values))
    }
  })

/** A problem of a row, with its field. */
export function problemOf(
  problem: RowProblem,
  fields: readonly RecordField[],
  values: RecordValues,
  isLimited = false,
): ValueProblem {
  const column =
    typeof problem === 'string' ? undefined : fields.find((field) => field.name === problem.field)
  const name = column?.name ?? ''
  return { name, problem, value: values[name] ?? '', column, isLimited }
}

export function refuseValues(problems: readonly ValueProblem[]): void {
  if (problems.length > 0) throw new Refusal('refused_values', { problems })
}

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
  others: readonly ValueProblem[],
): Promise<Change[]> {
  const seen = [...referencesOf(kind)].filter(([column]) => fields.some(({ name }) => name === column))
  const named = seen.flatMap(([column, of]) => {
    const id = values[column]?.trim() ?? ''
    const isNone = id === '' || (kind.columns[column]?.blank && (id === '0' || id.startsWith('-')))
    return isNone || others.some(({ name }) => name === column) ? [] : [{ column, of, id }]
  })
  const problems = await Promise.all(
    named.map(async ({ column, of, id }) => {
      const row = await findRow(context, of, id).catch(unknownRecord)
      const unknown = { code: 'unknown', field: column, values: { noun: kindNamed(of).noun, id } } as const
      return row ? [] : [problemOf(unknown, fields, values)]
    }),
  )
  refuseValues([...others, ...problems.flat()])
  const { owner } = context
  return (owner === undefined ? [] : named).map(({ of, id }) => ({
    check: kindNamed(of).entity.key(Number(id)),
    when: { owner_id: is(owner) },
  }))
}

function unknownRecord(error: unknown): undefined {
  if (!(error instanceof Refusal && error.code === 'unknown_record')) throw error
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

/** The entry of the log about a record. An act on an account is in the log of the account. */
function deedOf(
  kind: RecordKind,
  { row, called = '' }: { readonly row: Item; readonly called: string | undefined },
  did: string,
): LoggedDeed {
  const id = row[idColumnOf(kind.entity)]
  if (kind.counted === 'account')
    return { account: String(row['username']), account_id: Number(id), did: did.replace(/ of$/, '') }
  return { action: `${did} ${kind.noun} ${id}${called && ` ${JSON.stringify(called)}`}` }
}

const keyPart = ({ entity }: RecordKind, id: string): number | string =>
  idColumnOf(entity) === 'id' ? Number(id) : id

const shownGenerated = ({ generated = {} }: RecordKind, values: RecordValues): RecordValues =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in generated))

interface Writing {
  readonly fields: readonly RecordField[]
  readonly ownId: string | undefined
  /** Called once the row is checked, so that a refused row takes no id. */
  readonly takeId?: () => Promise<number>
}

/** No row has this id yet while it is checked. */
const ID_OF_CHECK = String(10 ** 15 - 1)

/** Checks one row, and returns its id and what stores it. */
async function changeOfRow(
  act: RunContext,
  { format, entity }: RecordKind,
  cells: RecordValues,
  { fields, takeId, ownId }: Writing,
): Promise<{ readonly id: string; readonly change: RowChange | undefined }> {
  const context = recordContext(act)
  const { settings, clock, owner } = context
  const withId = (id: string) => ({ ...cells, [idColumnOf(entity)]: id })
  const around = { settings, clock, calendar: calendarOf(context), revision: randomInt(MOST_REVISIONS) }
  const known: ImportContext = {
    ...onlyTable(context.store),
    ...{ ...around, mayShareAddresses: owner === undefined },
  }
  try {
    const checked = await checkRow(format, withId(ownId ?? ID_OF_CHECK), known)
    const id = ownId ?? String(await takeId?.())
    const entry = ownId === undefined ? await readRowEntry(format, withId(id), known) : checked
    return { id, change: await format.changeOf?.(entry, known, act.lostRaces) }
  } catch (error) {
    if (!isRefusal(error, 'refused_row')) throw error
    const problems = error.values.problems.map((one) => problemOf(one, fields, cells, owner !== undefined))
    throw new Refusal('refused_values', { problems })
  }
}

const MOST_REVISIONS = 2 ** 47

/** The id of a new record: the next of its counter, or one by the time of a document. */
async function newIdOf(
  { store, clock }: RecordContext,
  kind: RecordKind,
  lostRaces: number,
): Promise<number> {
  const { counted, entity } = kind
  if (!counted) {
    let place = lostRaces
    while (await entity.find(store, newDocumentId(clock().getTime(), place))) place += 1
    return newDocumentId(clock().getTime(), place)
  }
  let id = await nextId(store, counted)
  if (id === 1 || (await entity.find(store, id))) {
    await advanceIds(store, counted, await highestId(store, kind))
    id = await nextId(store, counted)
  }
  return counted === 'account' ? noUsername(store, id) : id
}

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

/** Reads a row that comes alone. Throws refused_row. */
async function readRowEntry<R extends object>(
  format: RowFormat<R>,
  cells: Cells,
  context: ImportContext,
): Promise<RowEntry<R>> {
  const refused: RefusedRows = new Map()
  const rows = [{ line: 1, cells }]
  const [entry] = await readEntries(format, rows, { ...context, newIds: provisionalIds() }, refused)
  return entry ?? refuse(refused)
}

/** Reads and checks a row that comes alone, by the rules of its file. Throws refused_row. */
async function checkRow<R extends object>(
  format: RowFormat<R>,
  cells: Cells,
  context: ImportContext,
): Promise<RowEntry<R>> {
  const refused: RefusedRows = new Map()
  const read = await readRowEntry(format, cells, context)
  const [entry] = await checkEntries(format, [read], context, refused)
  return entry ?? refuse(refused)
}

function refuse(refused: RefusedRows): never {
  throw rowRefused(...(refused.get(1) ?? []))
}
