import { createDigestMap } from '#lib/base/digest.ts'
import { countOf } from '#lib/base/text.ts'
import { OF_DOCUMENTS } from '#lib/billing/adjustment.ts'
import { identityName, isCall, readCall } from '#lib/calls/call.ts'
import { type FileName, fileNames } from '#lib/dataset/import/files.ts'
import type { OpenFile } from '#lib/dataset/import/import.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { type Entity, idColumnOf, type Stored } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, isUnder, type KeyForm } from '#lib/table/keys.ts'
import { exportedRows } from '../commands/export/exported-rows.ts'

const ENTITY_FILES = fileNames.flatMap((file) => {
  const { entity } = exportedRows[file]
  return entity ? [{ file, entity, holds: isUnder(entity.key) }] : []
})

/** A row of the table that the dataset lacks. */
export interface SurplusRow {
  readonly file: FileName
  /** The id, or the unique id of a call. */
  readonly id: string
  readonly name: string
  /** Why it is not removed; blank if it can be. */
  readonly stays: string
}

/** A surplus row that can be removed, with the row as it was read. */
export interface RemovableRow extends SurplusRow {
  readonly entity: Entity
  readonly row: Stored<Item>
}

export interface Surplus {
  readonly rows: readonly SurplusRow[]
  /** In an order in which every row comes after those that name it. */
  readonly removable: readonly RemovableRow[]
  readonly missing: ReadonlyMap<FileName, number>
}

/** Finds a table's rows that a dataset lacks. Kinds without a file in the dataset are not compared. */
export async function findSurplus(
  files: readonly OpenFile[],
  pages: AsyncIterable<readonly Item[]>,
): Promise<Surplus> {
  const wanted = await readWanted(files)
  const uses = createUses()
  const staying: SurplusRow[] = []
  const open: RemovableRow[] = []
  for await (const page of pages) {
    for (const item of page) {
      if (isCall(item)) staying.push(...surplusCall(item, wanted, uses))
      else open.push(...surplusRow(item, wanted, uses))
    }
  }
  const fixed = open.filter(({ stays }) => stays !== '')
  const removable = inOrderOfRemoval(
    open.filter(({ stays }) => stays === ''),
    uses,
  )
  const going = new Set(removable)
  const named = open.filter((row) => row.stays === '' && !going.has(row))
  const rows = [
    ...staying,
    ...fixed,
    ...removable,
    ...named.map((row) => ({ ...row, stays: uses.reason(row) })),
  ]
  const inOrder = rows.toSorted(
    (one, other) =>
      fileNames.indexOf(one.file) - fileNames.indexOf(other.file) || Number(one.id) - Number(other.id),
  )
  return { rows: inOrder, removable, missing: wanted.missing() }
}

function surplusCall(item: Item, wanted: WantedRows, uses: Uses): SurplusRow[] {
  const call = readCall(item)
  uses.add(accountKey, call.user_id)
  uses.add(accountKey, call.owner_id)
  if (wanted.has('calls', identityName(call))) return []
  return [
    { file: 'calls', id: call.uniqueid, name: `${call.day} ${call.dst}`, stays: 'calls are never removed' },
  ]
}

function surplusRow(item: Item, wanted: WantedRows, uses: Uses): RemovableRow[] {
  const { file, entity } = ENTITY_FILES.find(({ holds }) => holds(item)) ?? {}
  if (!file || !entity) return []
  const row = entity.read(item)
  uses.addNamed(entity, row)
  const id = String(row[idColumnOf(entity)])
  if (wanted.has(file, id)) return []
  const name = String(row['name'] ?? row['username'] ?? row['did'] ?? row['number'] ?? '')
  return [{ file, id, name, stays: lastingReason(file, row), entity, row }]
}

/** The reason why a row stays whatever refers to it. */
function lastingReason(file: FileName, { usertype, month, invoice_id, who }: Item): string {
  if (file === 'currencies') return 'amounts may be in this currency'
  if (file === 'users' && usertype === 'admin') return 'it is an admin'
  if (month) return 'it was issued here'
  if (invoice_id !== undefined) return 'it pays an invoice'
  return file === 'adjustments' && who === OF_DOCUMENTS ? 'it belongs to an issued document' : ''
}

/** The rows that nothing refers to, then those that only these refer to, and so on. */
function inOrderOfRemoval(rows: readonly RemovableRow[], uses: Uses): RemovableRow[] {
  const free = rows.filter((row) => !uses.isUsed(row))
  if (free.length === 0) return []
  for (const { entity, row } of free) uses.removeNamed(entity, row)
  const gone = new Set(free)
  return [
    ...free,
    ...inOrderOfRemoval(
      rows.filter((row) => !gone.has(row)),
      uses,
    ),
  ]
}

interface EntityRow {
  readonly entity: Entity
  readonly row: Item
}

export type Uses = ReturnType<typeof createUses>

/** Counts how many rows name each row of a table. */
function createUses() {
  const counts = new Map<string, number>()
  const add = (names: KeyForm, id: unknown, by = 1): void => {
    if (id === undefined) return
    const name = nameOf(names, id)
    counts.set(name, (counts.get(name) ?? 0) + by)
  }
  const addAll = ({ key, requires }: Entity, row: Item, by: number): void => {
    for (const { column, names, mayGo } of requires)
      if (!mayGo && !(names === key && row[column] === row['id'])) add(names, row[column], by)
  }
  const countFor = ({ entity: { key, pointer }, row }: EntityRow): number =>
    [key, pointer].reduce(
      (sum, form) => sum + (form ? (counts.get(nameOf(form, row[form.names[0] ?? ''])) ?? 0) : 0),
      0,
    )
  return {
    add,
    /** Counts what a row names, except itself. */
    addNamed: (entity: Entity, row: Item): void => addAll(entity, row, 1),
    removeNamed: (entity: Entity, row: Item): void => addAll(entity, row, -1),
    isUsed: (row: EntityRow): boolean => countFor(row) > 0,
    reason: (row: EntityRow): string => `${countOf(countFor(row), 'reference')} to it`,
  }
}

const nameOf = ({ text }: KeyForm, id: unknown): string => `${text.join(' ')} ${id}`

type WantedRows = Awaited<ReturnType<typeof readWanted>>

const SEEN = 1

/** Reads what identifies the rows of a dataset: 16 bytes of a row are kept. */
async function readWanted(files: readonly OpenFile[]) {
  const wanted = new Map<FileName, ReturnType<typeof createDigestMap>>()
  const seen = new Map<FileName, number>()
  for (const { file, source } of files) {
    const nameIn = nameReader(file)
    if (!nameIn) continue
    const names = wanted.get(file) ?? createDigestMap()
    wanted.set(file, names)
    for await (const { cells } of source.rows()) names.swap(nameIn(cells), 0)
  }
  return {
    /** Also true for a file that the dataset does not have. */
    has: (file: FileName, id: string): boolean => {
      const names = wanted.get(file)
      const known = names?.get(id)
      if (known === 0) {
        names?.swap(id, SEEN)
        seen.set(file, (seen.get(file) ?? 0) + 1)
      }
      return names === undefined || known !== undefined
    },
    /** The number of rows of each file that were never asked for. */
    missing: (): ReadonlyMap<FileName, number> =>
      new Map([...wanted].map(([file, { size }]) => [file, size - (seen.get(file) ?? 0)])),
  }
}

function nameReader(file: FileName): ((cells: Cells) => string) | undefined {
  if (file === 'calls')
    return ({ uniqueid = '', source, source_part }) =>
      identityName({ uniqueid, source: source || undefined, source_part: source_part || undefined })
  const { entity } = exportedRows[file]
  return entity && ((cells) => asId(cells[idColumnOf(entity)] ?? ''))
}

/** An id as the table has it. */
const asId = (cell: string): string => (/^\s*\d{1,15}\s*$/.test(cell) ? String(Number(cell)) : cell.trim())
