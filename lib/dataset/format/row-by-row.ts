import pMap from 'p-map'
import { groupBy } from '#lib/domain/collections.ts'
import {
  isStoredRow,
  KEPT_CHANGING,
  kindAfter,
  kindOfRow,
  type RowKind,
  type RowOutcome,
  RowRefused,
} from '#lib/domain/row-refused.ts'
import { ConditionFailed } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'
import type { ImportWorld } from './import-world.ts'
import { withKeptColumns } from './row-entry.ts'
import type { RowEntry, RowFormat } from './row-format.ts'

/** Writes rows in one transaction each. `Found` is what the table holds for a row. */
export interface RowWriter<R, Found> {
  /** Rows of one lane are written one after another, because they change the same items. */
  lane(row: R): number
  find(rows: readonly R[], world: ImportWorld): Promise<readonly Found[]>
  /** The stored columns of a row. */
  columnsIn(found: Found): Partial<R> | undefined
  /** The digest of the stored row, if it is not among the columns; `undefined` for a new row. */
  storedDigest?(found: Found, row: R): { readonly digest?: unknown } | undefined
  /** Tells whether all of a row is stored. The default compares its columns, which is not enough if it has more than these. */
  isStored?(entry: RowEntry<R>, found: Found): boolean
  /** Throws RowRefused, or ConditionFailed if the table has changed since it was read. */
  write(entry: RowEntry<R>, found: Found, world: ImportWorld): Promise<'written' | 'unchanged'>
  /** The reason why a condition keeps failing, if the row can tell. */
  obstacle?(row: R, world: ImportWorld): Promise<string | undefined>
}

/** Finds stored items by the ids of the rows. */
export const byId =
  <Id, Found>(find: (store: Store, ids: readonly Id[]) => Promise<readonly Found[]>) =>
  (rows: readonly { readonly id: Id }[], { store }: ImportWorld): Promise<readonly Found[]> => {
    const ids = rows.map(({ id }) => id)
    return find(store, ids)
  }

const MAX_PARALLEL_LANES = 16
const MAX_ATTEMPTS = 8

/** The part of a format that finds, compares and writes rows in one transaction each. */
export const rowByRow = <R, Found>(
  writer: RowWriter<R, Found>,
): Required<Pick<RowFormat<R>, 'stored' | 'compare' | 'write'>> => ({
  stored: async (rows, world) => (await writer.find(rows, world)).map(writer.columnsIn),
  compare: async (entries, world) => {
    const rows = entries.map(({ row }) => row)
    const found = await writer.find(rows, world)
    return entries.map((entry, position) => kindOfEntry(writer, entry, found[position] as Found))
  },
  write: writeInLanes(writer),
})

/** A row that is stored is unchanged even if its cells are written in another way, as an export does. */
function kindOfEntry<R, Found>(writer: RowWriter<R, Found>, entry: RowEntry<R>, found: Found): RowKind {
  const kind = kindOfRow(digestedRow(writer, found, entry.row), entry.digest)
  const whole = withKeptColumns(entry, writer.columnsIn(found))
  return kind === 'changed' && isStored(writer, whole, found) ? 'unchanged' : kind
}

const isStored = <R, Found>(writer: RowWriter<R, Found>, entry: RowEntry<R>, found: Found): boolean =>
  writer.isStored?.(entry, found) ?? isStoredRow(entry.row as object, writer.columnsIn(found))

const digestedRow = <R, Found>({ storedDigest, columnsIn }: RowWriter<R, Found>, found: Found, row: R) =>
  storedDigest ? storedDigest(found, row) : columnsIn(found)

const writeInLanes =
  <R, Found>(writer: RowWriter<R, Found>): RowFormat<R>['write'] =>
  async (entries, world) => {
    const rows = entries.map(({ row }) => row)
    const found = await writer.find(rows, world)
    const outcomes: RowOutcome[] = []
    const writeLane = async (positions: readonly number[]) => {
      for (const position of positions) {
        const entry = entries[position] as RowEntry<R>
        outcomes[position] = await writeRow(writer, entry, { found: found[position] as Found, world })
      }
    }
    const lanes = groupBy(rows.keys(), (position) => writer.lane(rows[position] as R))
    await pMap(lanes.values(), writeLane, { concurrency: MAX_PARALLEL_LANES })
    return outcomes
  }

interface Attempt<Found> {
  readonly found: Found
  readonly world: ImportWorld
  /** The number of attempts left, including this one. */
  readonly attempts?: number
}

async function writeRow<R, Found>(
  writer: RowWriter<R, Found>,
  entry: RowEntry<R>,
  attempt: Attempt<Found>,
): Promise<RowOutcome> {
  try {
    return await writeWithRetries(writer, entry, attempt)
  } catch (error) {
    const refused = refusalIn(error)
    if (refused === undefined) throw error
    return { refused }
  }
}

/** Reads the items again and retries while the API, or another lane, changes the same items. */
async function writeWithRetries<R, Found>(
  writer: RowWriter<R, Found>,
  entry: RowEntry<R>,
  { found, world, attempts = MAX_ATTEMPTS }: Attempt<Found>,
): Promise<RowOutcome> {
  try {
    const whole = withKeptColumns(entry, writer.columnsIn(found))
    if (isStored(writer, whole, found)) return 'unchanged'
    const outcome = await writer.write(whole, found, world)
    return outcome === 'written' ? kindAfter(digestedRow(writer, found, entry.row)) : outcome
  } catch (error) {
    if (!(error instanceof ConditionFailed) || attempts === 1) throw error
  }
  const refused = await writer.obstacle?.(entry.row, world)
  if (refused !== undefined) return { refused }
  const [again] = await writer.find([entry.row], world)
  return writeWithRetries(writer, entry, { found: again as Found, world, attempts: attempts - 1 })
}

/** DynamoDB refuses an item of more than 400 KB with a ValidationException, which is the fault of that row alone. */
function refusalIn(error: unknown): string | undefined {
  if (error instanceof RowRefused) return error.message
  if (error instanceof ConditionFailed) return KEPT_CHANGING
  return error instanceof Error && error.name === 'ValidationException' ? error.message : undefined
}
