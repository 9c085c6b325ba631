import type { ProblemOf } from '#lib/base/row-refused.ts'
import { nounOf } from '#lib/dataset/entities.ts'
import type { ImportWorld } from './import-world.ts'
import { type RowEntry, type RowFormat, rowsOf } from './row-format.ts'

/** Returns the first of consecutive ids for new rows of these names. */
export type NewIds = (names: readonly string[]) => Promise<number>

/** Ids of checked rows. They are below 0: no stored row has one, and no counter moves for them. */
export function provisionalIds(): NewIds {
  let first = 0
  return async ({ length }) => {
    first -= length
    return first
  }
}

/** Finds rows with the id of a stored row of another name: an invented id would overwrite it. */
export async function otherNameProblems<R>(
  format: RowFormat<R>,
  entries: readonly RowEntry<R>[],
  world: ImportWorld,
): Promise<ProblemOf<RowEntry<R>>> {
  const { names, stored, key, keyColumns: [idColumn = 'id'] = [] } = format
  if (!names) return () => undefined
  const { column, plain = (name) => name } = names
  const named = entries.filter(({ row, kept }) => !kept.includes(column) && Object(row)[idColumn] >= 0)
  const storedRow = await stored?.(rowsOf(named), world)
  return ({ row, kept }) => {
    const [given, held] = [Object(row)[column], Object(storedRow?.(row) ?? {})[column]]
    if (kept.includes(column) || held === undefined || plain(given) === plain(held)) return undefined
    const holder = `${idColumn} ${Object(row)[idColumn]} belongs to the ${key ? nounOf(key) : 'row'} ${held}`
    const advice = names.find ? 'leave the id blank for a new one' : 'choose another id for a new one'
    return `${holder}: ${advice}, or pass --rename`
  }
}
