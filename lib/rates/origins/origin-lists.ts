import * as v from 'valibot'
import { fileRefused, reasonIn } from '#lib/base/row-refused.ts'
import { HEADER_MAX_LINE } from '#lib/csv/reader.ts'
import { isRemarkHeading, plainHeadingName } from '../sheets/columns.ts'
import type { Profile } from '../sheets/profile.ts'
import type { Question } from '../sheets/question.ts'
import { cellAt, type SheetRow } from '../sheets/sheet-row.ts'
import { statusOf } from '../sheets/statuses.ts'
import { readTable } from '../sheets/table.ts'
import { type ListedOrigin, originName, RESERVED_ORIGINS } from './origins.ts'
import { callerPrefixesIn } from './sheet-origins.ts'

// Lists of callers as carriers write them: a worksheet of a deck, or a file of its own.

const NAMES = /^(?:(?:origin|obr|country)?(?:group|zone|name)|(?:group|zone)name|origin)$/
const CODES = /^(?:(?:dial|country|origin)?code|(?:origin|origination|anumber|cli|caller)?prefix)$/

/** The most codes of all lists: more than all origins of a large deck have. */
const MAX_CODES = 100_000

/** The first row whose headings name origins and their codes. */
function headerOf(rows: readonly SheetRow[]) {
  for (const [at, { cells }] of rows.slice(0, HEADER_MAX_LINE).entries()) {
    const [name = -1, codes = -1] = [NAMES, CODES].map((words) =>
      cells.findIndex((cell) => words.test(plainHeadingName(cell))),
    )
    if (name >= 0 && codes >= 0) return { at, headings: cells, name, codes }
  }
  return undefined
}

/**
 * The origins of a table that lists them; `undefined` for another table. Where each name stands once, a row
 * without one belongs to the name above it, as merged cells are read. Throws refused_file for other rows.
 */
function originsIn(rows: readonly SheetRow[], profile: Profile): ListedOrigin[] | undefined {
  const { origin_names: names = {} } = profile
  const header = headerOf(rows)
  if (!header) return undefined
  const found = new Map<string, ListedOrigin>()
  const listing = rows.slice(header.at + 1).filter(({ cells }) => (cells[header.codes] ?? '') !== '')
  const words = listing.map((row) => cellAt(row, header.name)).filter((word) => word !== '')
  const isMerged = new Set(words).size === words.length
  const refuseLeftOut = leftOutRefuser(header.headings)
  let origin = ''
  for (const row of listing) {
    refuseLeftOut(row)
    const word = cellAt(row, header.name)
    if (word !== '' || !isMerged) origin = word && nameOf(names[word] ?? word, row.line)
    for (const prefix of codesIn(origin, row.cells[header.codes] ?? '', row.line, profile))
      found.set(`${prefix} ${origin}`, { origin, prefix })
    if (found.size > MAX_CODES) throw fileRefused(`The origins have more than ${MAX_CODES} codes`)
  }
  return [...found.values()]
}

/** Throws refused_file for codes that a row leaves out or ends: a list of origins has none of these. */
function leftOutRefuser(headings: readonly string[]): (row: SheetRow) => void {
  const isEnd = (cell: string) => ['ended', 'blocked'].includes(statusOf(cell) ?? '')
  const columns = headings.flatMap((heading, index) => {
    if (/exclu|except/i.test(heading)) return [{ heading, index, leavesOut: (cell: string) => cell !== '' }]
    return isRemarkHeading(heading) ? [{ heading, index, leavesOut: isEnd }] : []
  })
  return (row) => {
    const column = columns.find(({ index, leavesOut }) => leavesOut(cellAt(row, index)))
    if (!column) return
    const says = [column.heading, cellAt(row, column.index)].map((text) => JSON.stringify(text)).join(' ')
    throw fileRefused(
      `Line ${row.line} of the origins says ${says}: remove ended rows, and list excluded codes under another origin`,
    )
  }
}

function nameOf(word: string, line: number): string {
  const name = word.replaceAll(/\s+/g, ' ')
  const where = `Line ${line} of the origins: ${JSON.stringify(word)}`
  if (!v.is(originName.schema, name))
    throw fileRefused(`${where} is not a name: it takes ${originName.describes}`)
  if (RESERVED_ORIGINS.has(name.toLowerCase()))
    throw fileRefused(`${where} is reserved: its callers are not listed`)
  return name
}

function codesIn(origin: string, cell: string, line: number, profile: Profile): readonly string[] {
  if (origin === '') throw fileRefused(`Line ${line} of the origins has codes, and no name`)
  try {
    return callerPrefixesIn(cell, profile)
  } catch (error) {
    throw fileRefused(`Line ${line} of the origins: ${reasonIn(error)}`, { cause: error })
  }
}

/** Reads a file of origins: CSV or .xlsx, with a column of names and one of codes. */
export async function readOriginLists(bytes: Uint8Array, profile: Profile = {}): Promise<ListedOrigin[]> {
  const { origins_sheet } = profile
  const { rows } = await readTable(bytes, origins_sheet === undefined ? {} : { sheet: origins_sheet })
  const found = originsIn(rows, profile)
  if (found && found.length > 0) return found
  const what = origins_sheet === undefined ? 'The file' : `The worksheet ${JSON.stringify(origins_sheet)}`
  throw fileRefused(`${what} lists no origins: it needs a column Origin and a column Prefix`)
}

/** The answer that no worksheet lists the origins of a deck. */
export const NO_ORIGINS_SHEET = 'none'

/** The most worksheets that are looked at. */
const MAX_SHEETS = 5

/** Offers the worksheets of a deck that list origins. */
export async function originsSheetQuestion(
  bytes: Uint8Array,
  worksheets: readonly string[],
  profile: Profile,
): Promise<Question | undefined> {
  if (profile.origins_sheet !== undefined) return undefined
  const others = worksheets.filter((name) => name !== (profile.sheet ?? worksheets[0])).slice(0, MAX_SHEETS)
  const listing: string[] = []
  for (const sheet of others)
    if (headerOf((await readTable(bytes, { sheet }).catch(() => ({ rows: [] }))).rows)) listing.push(sheet)
  if (listing.length === 0) return undefined
  const asks = `Does ${listing.map((name) => JSON.stringify(name)).join(' or ')} list the callers of each origin?`
  return { about: 'origins_sheet', asks, choices: [...listing, NO_ORIGINS_SHEET] }
}
