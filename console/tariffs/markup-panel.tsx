import { useState } from 'preact/hooks'
import type { MarkupAnswer } from '#lib/api/console/answers/tariffs.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import { ActionForm } from '../fields/action.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { PlanPreview, RatesPanel, type RatesPanelProps } from './rate-plan.tsx'

const FIELDS = [
  {
    name: 'percent',
    label: 'Percent on top',
    inputMode: 'decimal',
    hint: 'Percent of the cost, such as 20.',
  },
  { name: 'amount', label: 'Amount on top, a minute', inputMode: 'decimal', hint: 'Such as 0.005.' },
  {
    name: 'least',
    label: 'Least margin, a minute',
    inputMode: 'decimal',
    hint: 'Where percent and amount give less.',
  },
  { name: 'decimals', label: 'Decimals', inputMode: 'numeric', hint: 'Prices are rounded up. Blank: 4.' },
  { name: 'prefix', label: 'Prefix', inputMode: 'numeric', hint: 'Blank: all prefixes of the cost.' },
  {
    name: 'mode',
    label: 'Prices without a cost',
    choices: [{ value: 'replace', label: 'are removed' }],
    blankChoice: 'stay',
  },
] as const

/** The prices of a tariff from the costs in another one: a preview, then a version. */
export function MarkupPanel({ tariff, onClose, onDone }: RatesPanelProps) {
  const [sent, setSent] = useState<SentValues>({})
  const [found, setFound] = useState<MarkupAnswer>()
  const { run, isUnderWay, problem } = useAction()
  const tariffs = useQuery('/tariffs').value?.tariffs ?? []
  const send = async (values: SentValues) => {
    setSent(values)
    setFound(await act('POST', `/tariffs/${tariff.id}/markup`, values))
  }
  const costs = {
    name: 'from',
    label: 'Costs, the tariff',
    required: true,
    blankChoice: 'choose',
    choices: tariffs
      .filter(({ id }) => id !== tariff.id)
      .map(({ id, name, currency }) => ({ value: String(id), label: `${name}, ${currency}` })),
    hint: `Usually the tariff of a carrier. Costs are exchanged into ${tariff.currency}.`,
  }
  return (
    <RatesPanel title={`Prices of ${tariff.name} from costs`} {...{ found, onClose, onDone }}>
      <ActionForm
        label="Markup"
        text="Preview"
        kind={found ? 'secondary' : 'primary'}
        fields={[costs, ...FIELDS]}
        onChange={() => setFound(undefined)}
        run={(_once, values) => send({ ...values, step: 'preview' })}
      />
      {problem && <RefusalNotice problem={problem} />}
      {found && (
        <PlanPreview
          plan={found.plan}
          isBusy={isUnderWay}
          onWrite={(agreed) => run(() => send({ ...sent, ...agreed, step: 'write' }))}
        />
      )}
    </RatesPanel>
  )
}
