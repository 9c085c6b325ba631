import type { Seconds } from '#lib/base/calendar.ts'
import { isZero } from '#lib/base/money.ts'
import { fileRefused, reasonIn, rowRefused } from '#lib/base/row-refused.ts'
import { type RefusedRow, refusedHeader, refusedLine } from '#lib/csv/writer.ts'
import { type Calendar, readDateTime } from '#lib/table/cells/moments.ts'
import { createRowParser, parseGiven } from '#lib/table/cells/row-parser.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import type { OriginRow } from '../origins/origins.ts'
import { createSheetOrigins } from '../origins/sheet-origins.ts'
import { rateColumns, rateProblem } from '../rate-columns.ts'
import type { Rate } from '../rating.ts'
import { createSortedLines } from '../sorted-lines.ts'
import { keyOfLine, toLine } from '../tariff.ts'
import { MAX_CODES_OF_RANGES } from './dial-codes.ts'
import type { SheetReading } from './read-sheet.ts'

/** The rates of a sheet, the prefixes that end, and the refused rows. */
export interface SheetRates {
  readonly lines: readonly string[]
  /** The prefixes that end, each with its end; 0 for at once. */
  readonly ended: ReadonlyMap<string, Seconds>
  /** In the order of their lines. */
  readonly refused: readonly RefusedRow[]
  readonly sample: readonly Rate[]
  /** The prefixes of rates that cost nothing. */
  readonly free: readonly string[]
  /** The number of prefixes from ranges of dial codes. */
  readonly ofRanges: number
  /** The origins whose callers the sheet lists. */
  readonly origins: readonly Pick<OriginRow, 'origin' | 'prefix'>[]
}

const SAMPLE_SIZE = 3

/** The most rates of a sheet: more would not fit into the memory of a Lambda. */
const MAX_RATES = 500_000

/** Turns rows into rates by the rules of the rates file. A row is refused as a whole, with its line once. */
export function ratesOfSheet(reading: SheetReading, tariffId: number, calendar: Calendar): SheetRates {
  const parse = createRowParser({ columns: rateColumns }, calendar)
  const tariff_id = String(tariffId)
  const sorted = createSortedLines(keyOfLine)
  const ended = new Map<string, Seconds>()
  const refused = new Map<number, RefusedRow>()
  const sample: Rate[] = []
  const free: string[] = []
  const origins = createSheetOrigins()

  const take = (cells: Cells, line: number) => {
    const rate = parse({ ...cells, tariff_id }) as Rate & Record<string, unknown>
    const problem = rateProblem(rate)
    if (problem !== undefined) throw rowRefused(problem)
    if (sorted.lines.length === MAX_RATES) throw fileRefused(`The sheet has more than ${MAX_RATES} rates`)
    sorted.add(toLine(rate), line)
    if (isFree(rate)) free.push(rate.prefix)
    if (sample.length < SAMPLE_SIZE) sample.push(rate)
  }

  let ofRanges = 0
  const countRanges = (prefixes: number) => {
    ofRanges += prefixes
    if (ofRanges > MAX_CODES_OF_RANGES)
      throw fileRefused(`The ranges of dial codes in the sheet have more than ${MAX_CODES_OF_RANGES} codes`)
  }

  for (const entry of reading.rows(countRanges)) {
    const reason = reasonAgainst(() => {
      if ('ended' in entry) ended.set(endedPrefix(entry.ended, calendar), endOf(entry.from, calendar))
      else if (entry.problem !== undefined) throw rowRefused(entry.problem)
      else {
        take(entry.cells, entry.line)
        if (entry.origin) origins.note(entry.origin)
      }
    })
    if (reason === undefined || refused.has(entry.line)) continue
    refused.set(entry.line, { line: entry.line, reason, cells: 'cells' in entry ? entry.cells : {} })
  }
  for (const [line, reason] of sorted.complete()) refused.set(line, { line, reason, cells: {} })
  return {
    lines: sorted.lines,
    ended,
    refused: [...refused.values()].sort(byLine),
    ...{ sample, free, ofRanges },
    origins: [...reading.origins, ...origins.rows()],
  }
}

const isFree = ({ tariff_rate, con_fee }: Rate): boolean => isZero(tariff_rate) && isZero(con_fee)

function reasonAgainst(work: () => void): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return reasonIn(error)
  }
}

/** Throws refused_row. */
const endedPrefix = (prefix: string, calendar: Calendar): string =>
  String(parseGiven({ columns: rateColumns }, { prefix }, calendar)['prefix'])

const endOf = (cell: string, calendar: Calendar): Seconds => (cell === '' ? 0 : readDateTime(cell, calendar))

const byLine = (one: RefusedRow, other: RefusedRow): number => one.line - other.line

/** The refused rows as CSV: line, reason and the cells of the sheet. */
export function refusedCsv(refused: readonly RefusedRow[]): string {
  const headings = [...new Set(refused.flatMap(({ cells }) => Object.keys(cells)))]
  return [refusedHeader(headings), ...refused.map((row) => refusedLine(row, headings))].join('')
}
