import type { Item } from './items.ts'

/** The version in package.json: `test/releases/` compares both. */
export const RELEASE = '1.0.0'

/** The format of the tables that this release writes. Each migration has the next number (CONTRIBUTING.md, A migration). */
export const TABLE_FORMAT = 1

/** The formats that this release reads. Tables of older ones have to be migrated before anything else. */
const SERVED = { oldest: 1, newest: TABLE_FORMAT }

/** The stamp of a new table: attributes of the item of settings, which every request reads anyway. */
export const newStamp: Item = { table_format: TABLE_FORMAT, table_release: RELEASE }

/** Thrown instead of reading or writing a table of a format that this release does not know. */
export class UnreadableTable extends Error {
  constructor(problem: string) {
    super(problem)
    this.name = 'UnreadableTable'
  }
}

/** Throws UnreadableTable unless the item of settings has the stamp of a format that this release reads. */
export function requireFormat(settings: Item | undefined): void {
  const problem = formatProblem(settings)
  if (problem !== undefined) throw new UnreadableTable(problem)
}

/** A sentence with both versions and the remedy; `undefined` for a table that this release reads. */
export function formatProblem(
  { table_format: format, table_release: release }: Item = {},
  { oldest, newest } = SERVED,
): string | undefined {
  const reads = oldest === newest ? `format ${newest}` : `formats ${oldest} to ${newest}`
  const here = `this is Tollgate ${RELEASE}, which reads ${reads}`
  if (format === undefined) return `The table has no stamp of its format, and ${here}: ${WITHOUT_STAMP}.`
  const problem = `The table has format ${format}, written by Tollgate ${release}, and ${here}`
  if (Number(format) > newest) return `${problem}: use Tollgate ${release} or a newer one.`
  return Number(format) < oldest ? `${problem}: run npx tollgate migrate.` : undefined
}

const WITHOUT_STAMP =
  'name another table, or export this one with the release that wrote it and import the dataset into a new one'
