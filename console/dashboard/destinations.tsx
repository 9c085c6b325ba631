import { useEffect } from 'preact/hooks'
import type { Ask } from '../api/ask.ts'
import { useAnswer } from '../api/use-answer.ts'
import { findAll, textIn } from '../api/xml.ts'
import { formatCount, formatLength, formatMinutes, formatPercent } from '../format.ts'
import { Card } from '../ui/card.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Table } from '../ui/table.tsx'
import type { TableRow } from '../ui/table-rows.ts'
import { acdOf, asrOf, type Count, regrouped } from './tally.ts'

interface DestinationsProps {
  readonly prefixes: ReadonlyMap<string, Count>
  readonly ask: Ask
}

interface Names {
  /** The source of the destinations' names. */
  readonly by: string
  readonly nameOf: (digits: string) => string
}

/** Without a tariff, the first digits of numbers. */
const FIRST_DIGITS = 3

const BY_DIGITS: Names = {
  by: 'By the first digits',
  nameOf: (digits) => `+${digits.slice(0, FIRST_DIGITS)}`,
}

/** The names come from the tariff of the account; calls themselves have none. */
async function namesOf(ask: Ask): Promise<Names> {
  const answer = await ask('tariff_rates_get').catch(() => undefined)
  if (!answer) return BY_DIGITS
  const rates = findAll(answer, 'rate').map(
    (rate) => [textIn(rate, 'prefix'), textIn(rate, 'destination')] as const,
  )
  const byPrefix = new Map(rates)
  return {
    by: `Named by the tariff ${textIn(answer, 'tariff_name')}`,
    nameOf: (digits) => longestMatch(byPrefix, digits) ?? BY_DIGITS.nameOf(digits),
  }
}

function longestMatch(byPrefix: ReadonlyMap<string, string>, digits: string): string | undefined {
  for (let length = digits.length; length > 0; length--) {
    const found = byPrefix.get(digits.slice(0, length))
    if (found !== undefined) return found
  }
  return undefined
}

/** Calls by destination, most attempts first. */
export function Destinations({ prefixes, ask }: DestinationsProps) {
  const [{ value: names }, put] = useAnswer<Names>()
  useEffect(() => {
    put(() => namesOf(ask))
  }, [ask, put])
  return (
    <Card title="Destinations" beside={<span class="muted">{names?.by}</span>}>
      {names ? <DestinationTable prefixes={prefixes} names={names} /> : <Skeleton what="the destinations" />}
    </Card>
  )
}

interface DestinationTableProps {
  readonly prefixes: ReadonlyMap<string, Count>
  readonly names: Names
}

function DestinationTable({ prefixes, names }: DestinationTableProps) {
  const groups = [...regrouped(prefixes, names.nameOf)].sort(
    ([, one], [, other]) => other.attempts - one.attempts,
  )
  const most = groups[0]?.[1].attempts ?? 1
  const rows = groups.map(([Destination, count]) => ({ Destination, ...figuresOf(count) }))
  const columns = [
    { key: 'Destination' },
    {
      key: 'share',
      title: 'Share',
      isNumber: false,
      show: (row: TableRow) => <Share row={row} most={most} />,
    },
    ...FIGURE_COLUMNS,
  ]
  return <Table label="Destinations" columns={columns} rows={rows} />
}

export const FIGURE_COLUMNS = ['Attempts', 'Answered', 'ASR', 'ACD', 'Minutes'].map((key) => ({
  key,
  isNumber: true,
}))

/** The figures of a group of calls, as a row has them. */
export const figuresOf = (count: Count): TableRow => ({
  Attempts: formatCount(count.attempts),
  Answered: formatCount(count.answered),
  ASR: formatPercent(asrOf(count) ?? 0),
  ACD: formatLength(acdOf(count) ?? 0),
  Minutes: formatMinutes(count.seconds),
  share: String(count.attempts),
})

interface ShareProps {
  readonly row: TableRow
  readonly most: number
}

const Share = ({ row, most }: ShareProps) => (
  <span class="bar" style={{ width: `${Math.max(2, (100 * Number(row['share'])) / most)}%` }} />
)
