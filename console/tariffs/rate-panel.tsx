import { useState } from 'preact/hooks'
import type { RateSetAnswer } from '#lib/api/console/answers/customers.ts'
import type { TariffAnswer } from '#lib/api/console/answers/tariffs.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { linkToRoute, navigate } from '../base/route.ts'
import { ActionForm } from '../fields/action.tsx'
import { retriedAll } from '../suspense/suspense-acts.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'

interface RatePanelProps {
  readonly tariff: TariffAnswer['tariff']
  /** The prefix whose price is set; blank for one that is asked for. */
  readonly prefix: string
  /** When it begins; blank for now. */
  readonly from: string
  /** Suspended CDRs wait for it: they are retried, and their list is shown. */
  readonly isOfSuspended: boolean
  readonly today: string
  readonly onDone: () => void
}

const RateAgain = ({ tariff, from }: { readonly tariff: number; readonly from: string }) => (
  <p>
    Stored calls keep their prices until they are{' '}
    <a href={linkToRoute(['reratings'], { tariff: String(tariff), from })}>rated again</a>.
  </p>
)

/** The columns of a price. A blank value is as in the present price of the prefix. */
const FIELDS = [
  {
    name: 'prefix',
    label: 'Prefix',
    required: true,
    inputMode: 'numeric',
    hint: 'The first digits of numbers.',
  },
  {
    name: 'tariff_rate',
    label: 'A minute',
    required: true,
    inputMode: 'decimal',
    hint: 'Such as 0.05, or blocked.',
  },
  { name: 'destination', label: 'Destination', hint: 'Blank: unchanged.' },
  { name: 'con_fee', label: 'Connection', inputMode: 'decimal', hint: 'Blank: unchanged, or 0.' },
  {
    name: 'increment',
    label: 'Billed in steps of, s',
    inputMode: 'numeric',
    hint: 'Blank: unchanged, or 1.',
  },
  { name: 'min_time', label: 'At least, s', inputMode: 'numeric', hint: 'Blank: unchanged, or 0.' },
  {
    name: 'daytype',
    label: 'Days',
    choices: ['everyday', 'weekday', 'weekend'],
    blankChoice: 'unchanged, or every day',
  },
  { name: 'start_time', label: 'Hours from', placeholder: '08:00', hint: 'Blank: unchanged, or all day.' },
  { name: 'end_time', label: 'Hours till', placeholder: '19:59:59', hint: 'Blank: unchanged, or all day.' },
  { name: 'effective_from', label: 'From', placeholder: '2026-12-01 00:00:00', hint: 'Blank: from now on.' },
] as const

const WHOLE_NUMBER = 'This is the whole number: leave the first digits that share the price.'

/** Sets one price as a new version of the rates; earlier calls keep theirs. */
export function RatePanel({ tariff, prefix, from, isOfSuspended, today, onDone }: RatePanelProps) {
  const showToast = useToast()
  const [done, setDone] = useState<RateSetAnswer>()
  const close = () => {
    navigate({ price: '', starts: '', retry: '' })
    if (done) onDone()
  }
  const set = async (_once: string, values: SentValues) => {
    const answer = await act('POST', `/tariffs/${tariff.id}/rates`, values)
    if (!isOfSuspended) return setDone(answer)
    const warnings = answer.remarks.filter((remark) => remark.startsWith('warning'))
    showToast(
      [`The price holds from ${answer.from}.`, ...warnings, await retriedAll('unknown_rate')].join(' '),
    )
    location.hash = linkToRoute(['suspense'])
  }
  return (
    <SidePanel title={`Set a price of ${tariff.name}`} onClose={close}>
      {done ? (
        <>
          <Notice
            tone="good"
            title={done.isChanged ? `The price holds from ${done.from}.` : 'The price is as it was.'}
          >
            {done.remarks.map((remark) => (
              <p key={remark}>{remark}</p>
            ))}
            {done.isChanged && done.from.slice(0, 10) <= today && (
              <RateAgain tariff={tariff.id} from={done.from.slice(0, 10)} />
            )}
          </Notice>
          <Button onClick={close}>Done</Button>
        </>
      ) : (
        <ActionForm
          label="Price"
          text="Set the price"
          fields={FIELDS.map((one) => {
            if (one.name === 'prefix' && isOfSuspended) return { ...one, hint: WHOLE_NUMBER }
            return one.name === 'tariff_rate' ? { ...one, label: `${one.label}, ${tariff.currency}` } : one
          })}
          initial={{ prefix, effective_from: from }}
          run={set}
        />
      )}
    </SidePanel>
  )
}
