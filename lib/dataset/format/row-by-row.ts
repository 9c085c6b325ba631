import pMap from 'p-map'
import { groupBy } from '#lib/domain/collections.ts'
import type { RowOutcome } from '#lib/domain/row-refused.ts'
import { KEPT_CHANGING, kindAfter, kindOfRow, RowRefused } from '#lib/domain/row-refused.ts'
import type { Imported } from '#lib/store/columns.ts'
import { ConditionFailed } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'
import { keeping } from './entry.ts'
import type { ImportWorld } from './import-world.ts'
import type { RowEntry, RowFormat } from './row-format.ts'

/** Writes rows in one transaction each. `Found` is what the table holds under a row's id. */
export interface RowWriter<R, Found> {
  /** Rows of one lane follow one another: they change the same items. */
  lane(row: R): number
  find(rows: readonly R[], world: ImportWorld): Promise<readonly Found[]>
  /** The columns of a row as they were found. */
  columnsIn(found: Found): Partial<R> | undefined
  /** What is stored of a row, with the digest that it came with, where that is not among its columns. */
  known?(found: Found, row: R): { readonly digest?: unknown } | undefined
  /** Throws RowRefused, or ConditionFailed when the table has changed since it was read. */
  write(entry: RowEntry<R>, found: Found, world: ImportWorld): Promise<'written' | 'unchanged'>
  /** Why a condition keeps failing, where the row can tell. */
  obstacle?(row: R, world: ImportWorld): Promise<string | undefined>
}

/** Where items hold the columns of a row themselves. */
export const itself = <T>(found: T): T => found

/** Finds what the table holds under the rows' ids. */
export const byId =
  <Id, Found>(find: (store: Store, ids: readonly Id[]) => Promise<readonly Found[]>) =>
  (rows: readonly { readonly id: Id }[], { store }: ImportWorld): Promise<readonly Found[]> => {
    const ids = rows.map(({ id }) => id)
    return find(store, ids)
  }

type Replace<R, Stored> = (
  world: ImportWorld,
  row: R & { readonly digest: string },
  before: Stored | undefined,
) => Promise<void>

/** Writes a row in place of what the table holds, unless that came from the same row. */
export const replacing =
  <R, Stored extends Imported<unknown>>(
    replace: Replace<R, Stored>,
  ): RowWriter<R, Stored | undefined>['write'] =>
  async ({ row, digest }, before, world) => {
    if (before?.digest === digest) return 'unchanged'
    await replace(world, { ...row, digest }, before)
    return 'written'
  }

const LANES_AT_ONCE = 16
const ATTEMPTS = 8

/** How rows are found and written that are one transaction each. */
export const rowByRow = <R, Found>(
  writer: RowWriter<R, Found>,
): Required<Pick<RowFormat<R>, 'stored' | 'compare' | 'write'>> => ({
  stored: async (rows, world) => (await writer.find(rows, world)).map(writer.columnsIn),
  compare: async (entries, world) => {
    const rows = entries.map(({ row }) => row)
    const found = await writer.find(rows, world)
    return entries.map(({ row, digest }, position) =>
      kindOfRow(knownOf(writer, found[position] as Found, row), digest),
    )
  },
  write: writingRowByRow(writer),
})

const knownOf = <R, Found>({ known, columnsIn }: RowWriter<R, Found>, found: Found, row: R) =>
  known ? known(found, row) : columnsIn(found)

const writingRowByRow =
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
    await pMap(lanes.values(), writeLane, { concurrency: LANES_AT_ONCE })
    return outcomes
  }

interface Attempt<Found> {
  readonly found: Found
  readonly world: ImportWorld
  /** How many attempts are left, this one included. */
  readonly attempts?: number
}

async function writeRow<R, Found>(
  writer: RowWriter<R, Found>,
  entry: RowEntry<R>,
  attempt: Attempt<Found>,
): Promise<RowOutcome> {
  try {
    return await writeInTheEnd(writer, entry, attempt)
  } catch (error) {
    const refused = refusalIn(error)
    if (refused === undefined) throw error
    return { refused }
  }
}

/** Reads the items again and tries once more while the API, or another lane, changes the same items. */
async function writeInTheEnd<R, Found>(
  writer: RowWriter<R, Found>,
  entry: RowEntry<R>,
  { found, world, attempts = ATTEMPTS }: Attempt<Found>,
): Promise<RowOutcome> {
  try {
    const outcome = await writer.write(keeping(entry, writer.columnsIn(found)), found, world)
    return outcome === 'written' ? kindAfter(knownOf(writer, found, entry.row)) : outcome
  } catch (error) {
    if (!(error instanceof ConditionFailed) || attempts === 1) throw error
  }
  const refused = await writer.obstacle?.(entry.row, world)
  if (refused !== undefined) return { refused }
  const [again] = await writer.find([entry.row], world)
  return writeInTheEnd(writer, entry, { found: again as Found, world, attempts: attempts - 1 })
}

/** DynamoDB refuses an item of more than 400 KB with a ValidationException: that is the row's fault alone. */
function refusalIn(error: unknown): string | undefined {
  if (error instanceof RowRefused) return error.message
  if (error instanceof ConditionFailed) return KEPT_CHANGING
  return error instanceof Error && error.name === 'ValidationException' ? error.message : undefined
}
