import { useEffect, useState } from 'preact/hooks'
import { goWith } from '../place.ts'
import { type DayRange, RANGES } from '../range.ts'
import { Button } from '../ui/button.tsx'
import { LabelledField } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'

/** Which days are looked at. The choice is in the address, so it can be sent to a colleague. */
export const RangeChoice = ({ range }: { readonly range: DayRange }) => (
  <Popup kind="range-choice" dialog="Days" shown={<Shown range={range} />}>
    {(close) => (
      <>
        <fieldset class="ranges" aria-label="Usual ranges">
          {RANGES.map(([name, title]) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === range.name}
              onClick={() => {
                close()
                goWith({ range: name, from: '', till: '', after: '' })
              }}
            >
              {title}
            </button>
          ))}
        </fieldset>
        <OtherDays range={range} onDone={close} />
      </>
    )}
  </Popup>
)

const Shown = ({ range: { name, from, till } }: { readonly range: DayRange }) => {
  const title = RANGES.find(([one]) => one === name)?.[1] ?? (name === 'custom' ? '' : `${name} days`)
  return (
    <>
      <Icon name="calendar" />
      {title}
      <span class="muted">{from === till ? from : `${from} – ${till}`}</span>
    </>
  )
}

interface OtherDaysProps {
  readonly range: DayRange
  readonly onDone: () => void
}

/** Any first and last day. The controls are the browser's: they have its calendar, its keys and its screen reader's words. */
function OtherDays({ range, onDone }: OtherDaysProps) {
  const [from, setFrom] = useState(range.from)
  const [till, setTill] = useState(range.till)
  useEffect(() => {
    setFrom(range.from)
    setTill(range.till)
  }, [range.from, range.till])
  const isBackwards = from !== '' && till !== '' && from > till
  const submit = (event: Event) => {
    event.preventDefault()
    if (isBackwards) return
    onDone()
    goWith({ range: 'custom', from, till, after: '' })
  }
  return (
    <form class="other-days" aria-label="Other days" onSubmit={submit}>
      <LabelledField label="First day" type="date" required value={from} onInput={setFrom} />
      <LabelledField
        label="Last day"
        type="date"
        required
        value={till}
        onInput={setTill}
        wrong={isBackwards ? 'This is before the first day.' : undefined}
      />
      <Button kind="primary" submits>
        Show these days
      </Button>
    </form>
  )
}
