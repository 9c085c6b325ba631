import type { ShownRate, TariffChangesAnswer } from '#lib/api/console/answers/tariffs.ts'
import { useQuery } from '../api/use-query.ts'
import { formatCount } from '../base/format.ts'
import { Loaded } from '../states/loaded.tsx'
import { Table } from '../tables/table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { callersOf, hoursInWords } from './hours.ts'

interface VersionChangesProps {
  readonly tariff: number
  readonly from: number
  readonly to: number
  readonly onClose: () => void
}

/** The rates that differ between two versions of a tariff. */
export function VersionChanges({ tariff, from, to, onClose }: VersionChangesProps) {
  const query = useQuery(`/tariffs/${tariff}/changes`, { from, to })
  return (
    <SidePanel title={`Version ${from} to version ${to}`} onClose={onClose}>
      <Loaded query={query} what="the differences" lines={6}>
        {(changes) => <RateChanges changes={changes} same="Both versions have the same rates" />}
      </Loaded>
    </SidePanel>
  )
}

interface RateChangesProps {
  readonly changes: Omit<TariffChangesAnswer, 'from' | 'to'>
  /** The text for two versions without a difference. */
  readonly same: string
  /** The counts in words; by default those of the rates. */
  readonly summary?: string
}

export function RateChanges({ changes, same, summary }: RateChangesProps) {
  const { added, removed, changed, unchanged, currency, rates, isCut } = changes
  const counts =
    summary ??
    `${formatCount(added)} added, ${formatCount(removed)} removed, ${formatCount(changed)} changed, ${formatCount(unchanged)} unchanged`
  if (rates.length === 0) return <EmptyState title={same} text={counts} />
  return (
    <>
      <p>{counts}</p>
      <Table
        label="Rates that differ"
        columns={[
          { title: 'Prefix', text: ({ before, after }) => (after ?? before)?.prefix },
          { title: 'Destination', text: ({ before, after }) => (after ?? before)?.destination },
          ...(rates.some((one) => originOf(one) !== null)
            ? [{ title: 'Callers', text: callersOfChange }]
            : []),
          { title: `Before, ${currency}`, number: ({ before }) => priceOf(before) },
          { title: `After, ${currency}`, number: ({ after }) => priceOf(after) },
          {
            title: 'Also changed',
            text: ({ before, after }) => (before && after ? otherChanges(before, after) : ''),
          },
        ]}
        rows={rates}
      />
      {isCut && <p class="muted">{`Only the first ${formatCount(rates.length)} are listed.`}</p>}
    </>
  )
}

type RateChange = TariffChangesAnswer['rates'][number]

const originOf = ({ before, after }: RateChange): string | null => (after ?? before)?.origin ?? null

const callersOfChange = ({ before, after }: RateChange): string => {
  const rate = after ?? before
  return rate ? callersOf(rate) : ''
}

const priceOf = (rate: ShownRate | null): string => {
  if (rate === null) return 'none'
  return rate.isBlocked ? 'blocked' : rate.perMinute
}

const COMPARED = [
  ['fee', 'connection'],
  ['increment', 'increment'],
  ['minimum', 'minimum'],
  ['hours', 'hours'],
  ['since', 'since'],
] as const satisfies (readonly [keyof ShownRate, string])[]

const inWords = (value: ShownRate[keyof ShownRate]): string => hoursInWords(String(value ?? 'none'))

const otherChanges = (before: ShownRate, after: ShownRate): string =>
  COMPARED.filter(([name]) => before[name] !== after[name])
    .map(([name, word]) => `${word} ${inWords(before[name])} to ${inWords(after[name])}`)
    .join(', ')
