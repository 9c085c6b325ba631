import { useState } from 'preact/hooks'
import type { MarkupAnswer, TariffsAnswer } from '#lib/api/console/answers/tariffs.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { useReading } from '../api/use-reading.ts'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Button } from '../ui/button.tsx'
import { LabelledField } from '../ui/field.tsx'
import { PlanPreview, RatesPanel, type RatesPanelProps } from './rate-plan.tsx'

const FIELDS = [
  { name: 'percent', label: 'Percent on top', inputMode: 'decimal', hint: 'Of the cost, such as 20.' },
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
  const [values, setValues] = useState<SentValues>({})
  const [found, setFound] = useState<MarkupAnswer>()
  const { run, isUnderWay, problem } = useAction()
  const send = (more: SentValues) =>
    run(async () =>
      setFound(await act<MarkupAnswer>('POST', `/tariffs/${tariff.id}/markup`, { ...values, ...more })),
    )
  const submit = (event: Event) => {
    event.preventDefault()
    return send({ step: 'preview' })
  }
  const change = (changed: SentValues) => {
    setValues({ ...values, ...changed })
    setFound(undefined)
  }
  return (
    <RatesPanel title={`Prices of ${tariff.name} from costs`} {...{ found, onClose, onDone }}>
      <form class="stack" aria-label="Markup" onSubmit={submit}>
        <MarkupFields {...{ tariff, values }} onChange={change} />
        {problem && <RefusalNotice problem={problem} />}
        <Button kind={found ? 'secondary' : 'primary'} submits isBusy={isUnderWay}>
          Preview
        </Button>
      </form>
      {found && (
        <PlanPreview
          plan={found.plan}
          isBusy={isUnderWay}
          onWrite={(agreed) => send({ ...agreed, step: 'write' })}
        />
      )}
    </RatesPanel>
  )
}

interface MarkupFieldsProps extends Pick<RatesPanelProps, 'tariff'> {
  readonly values: SentValues
  readonly onChange: (changed: SentValues) => void
}

function MarkupFields({ tariff, values, onChange }: MarkupFieldsProps) {
  const tariffs = useReading<TariffsAnswer>('/tariffs').value?.tariffs ?? []
  const choices = tariffs
    .filter(({ id }) => id !== tariff.id)
    .map(({ id, name, currency }) => ({ value: String(id), label: `${name}, ${currency}` }))
  return (
    <>
      <LabelledField
        label="Costs, the tariff"
        required
        blankChoice="choose"
        value={values['from'] ?? ''}
        choices={choices}
        onInput={(from) => onChange({ from })}
        hint={`Of a carrier, as a rule. Costs are exchanged into ${tariff.currency}.`}
      />
      <div class="fields">
        {FIELDS.map(({ name, ...field }) => (
          <LabelledField
            key={name}
            {...field}
            value={values[name] ?? ''}
            onInput={(value) => onChange({ [name]: value })}
          />
        ))}
      </div>
    </>
  )
}
