import type { Item } from './items.ts'

/** The version in package.json: `test/releases/` compares both. */
export const RELEASE = '1.1.0-dev'

/**
 * The format of the tables that this release writes. It reads every earlier one, too. A release with
 * migrations has the next number (CONTRIBUTING.md, A migration).
 */
export const TABLE_FORMAT = 4

/** The format in the stamp of a table that `requireFormat` accepts. */
export const formatIn = (settings: Item): number => Number(settings['table_format'])

/**
 * Thrown instead of reading or writing a table of a format that this release does not know. A class of its
 * own, because no caller can mend it: the log has the sentence, with the remedy, and callers only try again.
 */
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

const HERE = `this is Tollgate ${RELEASE}, which reads formats up to ${TABLE_FORMAT}`

const WITHOUT_STAMP =
  'name another table, or export this one with the release that wrote it and import the dataset into a new one'

/** An error with both versions and the remedy; `undefined` for a table that this release reads. */
export function formatProblem({
  table_format: format,
  table_release: release,
}: Item = {}): string | undefined {
  if (format === undefined) return `The table has no stamp of its format, and ${HERE}: ${WITHOUT_STAMP}`
  if (Number(format) <= TABLE_FORMAT) return undefined
  return `The table has format ${format}, written by Tollgate ${release}, and ${HERE}: use Tollgate ${release} or a newer one`
}
