import { MODES } from './profile.ts'
import type { Question } from './question.ts'
import type { SheetReading } from './read-sheet.ts'

/** The open questions about an import. The mode has no default: it decides whether rates are removed. */
export function openQuestions({ questions, hasStatus, profile }: SheetReading): readonly Question[] {
  if (questions.length > 0 || profile.mode !== undefined) return questions
  const hint = hasStatus ? ' A column marks the changes, so merge is more likely' : ''
  const asks = `Does the sheet replace the whole tariff, or is it merged into it?${hint}`
  return [{ about: 'mode', asks, choices: MODES }]
}

/** Describes how a sheet is read, in lines of which the first follows the name of the sheet. */
export function describeReading(reading: SheetReading): string[] {
  const { profile, unused, remarks, worksheets, hidden, skipped, inbound, origins } = reading
  const found = [...LAYOUT, ...MONEY].flatMap((name) => {
    const value = name === 'delimiter' ? profile[name] && JSON.stringify(profile[name]) : profile[name]
    return value === undefined ? [] : `${name} ${value}`
  })
  const named = Object.entries(profile.columns ?? {}).map(
    ([role, heading]) => `${role} from ${JSON.stringify(heading)}`,
  )
  const read = profile.sheet ?? worksheets[0]
  const others = worksheets.filter((name) => name !== read)
  return [
    `is read with ${found.join(', ') || 'the defaults'}`,
    named.join(', '),
    ...(others.length > 0 ? [`worksheet ${JSON.stringify(read)}; the others are ${quoted(others)}`] : []),
    ...(origins.length > 0 ? [describeOrigins(origins, profile)] : []),
    ...(hidden.length > 0 ? [`left out: ${hidden.join(', ')}`] : []),
    ...(remarks.length > 0 ? [`words that end or block rates from ${quoted(remarks)}`] : []),
    ...(unused.length > 0 ? [`not used: ${quoted(unused)}`] : []),
    ...(inbound > 0 ? [`rates of inbound calls that are skipped: ${inbound}`] : []),
    ...(skipped > 0 ? [`lines without a code and a rate that are skipped: ${skipped}`] : []),
  ]
}

const LAYOUT = ['delimiter', 'encoding', 'decimal', 'dates', 'zone'] as const
const MONEY = ['currency', 'rate_factor', 'fee_factor'] as const

function describeOrigins(
  origins: SheetReading['origins'],
  { origins_sheet = '' }: SheetReading['profile'],
): string {
  const names = new Set(origins.map(({ origin }) => origin))
  return `origins from worksheet ${JSON.stringify(origins_sheet)}: ${[...names].slice(0, MAX_NAMES).join(', ')}${names.size > MAX_NAMES ? ', …' : ''} (${origins.length} prefixes of callers)`
}

const MAX_NAMES = 5

const quoted = (headings: readonly string[]): string =>
  headings.map((heading) => JSON.stringify(heading)).join(', ')
