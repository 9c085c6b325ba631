import { identityName, isCall, readCall } from '#lib/calls/call.ts'
import { type FileName, fileNames } from '#lib/dataset/import/files.ts'
import type { OpenFile } from '#lib/dataset/import/import.ts'
import { type Entity, idColumnOf, type Stored } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, isUnder } from '#lib/table/keys.ts'
import { exportedRows } from '../commands/export/exported-rows.ts'
import { createUses, type Uses } from './uses.ts'
import { readWanted, type WantedRows } from './wanted-rows.ts'

/** The files whose rows are entities. */
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
function lastingReason(file: FileName, { usertype }: Item): string {
  if (file === 'currencies') return 'amounts may be in this currency'
  if (file === 'users' && usertype === 'admin') return 'it is an admin'
  return ''
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
