import { formatDays } from '../base/format.ts'
import { type DayRange, RANGES } from '../base/range.ts'
import { navigate } from '../base/route.ts'
import { RangeCalendar } from '../ui/calendar.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'

/** The days shown. The choice is in the address, so it can be sent to a colleague. */
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
                navigate({ range: name, from: '', till: '', after: '' })
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
      <span class="muted">{formatDays(from, till)}</span>
    </>
  )
}

interface OtherDaysProps {
  readonly range: DayRange
  readonly onDone: () => void
}

/** Any first and last day, from the calendar. */
const OtherDays = ({ range: { from, till }, onDone }: OtherDaysProps) => (
  <div class="other-days">
    <RangeCalendar
      value={`${from}/${till}`}
      onChoose={(days) => {
        const [first = '', last = ''] = days.split('/')
        onDone()
        navigate({ range: 'custom', from: first, till: last, after: '' })
      }}
    />
  </div>
)
