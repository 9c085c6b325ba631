import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { addDays, firstOfMonth } from '#lib/base/calendar.ts'
import { Icon } from './icon.tsx'
import { Popup } from './popup.tsx'

interface CalendarProps {
  /** A day such as 2026-03-10, or two of them with a slash between them; blank for none. */
  readonly value: string
  readonly onChoose: (value: string) => void
}

/** The element loads with the first calendar that opens. A day is chosen by the arrow keys and Enter, too. */
function useCalendarElement(): void {
  useEffect(() => {
    void import('cally')
  }, [])
}

const chosen =
  (onChoose: CalendarProps['onChoose']) =>
  ({ currentTarget }: Event): void => {
    if (currentTarget) onChoose((currentTarget as HTMLInputElement).value)
  }

/** The first and the last day of a range, of two months side by side. */
export function RangeCalendar({ value, onChoose }: CalendarProps) {
  useCalendarElement()
  return (
    <calendar-range
      value={value}
      months={2}
      focused-date={shownFirst(value)}
      locale="en-GB"
      onchange={chosen(onChoose)}
    >
      <Turning />
      <div class="months">
        <calendar-month />
        <calendar-month offset={1} />
      </div>
    </calendar-range>
  )
}

/** The month before the last day's is on the left: people look back. */
function shownFirst(value: string): string {
  const [from = '', till = ''] = value.split('/')
  const before = addDays(firstOfMonth(till), -1)
  return from < before ? from : before
}

function DayCalendar({ value, onChoose }: CalendarProps) {
  useCalendarElement()
  return (
    <calendar-date value={value} locale="en-GB" onchange={chosen(onChoose)}>
      <Turning />
      <calendar-month />
    </calendar-date>
  )
}

const Turning = () => (
  <>
    <span slot="previous" role="img" aria-label="Previous month" class="turn back">
      <Icon name="chevron" />
    </span>
    <span slot="next" role="img" aria-label="Next month" class="turn">
      <Icon name="chevron" />
    </span>
  </>
)

export const DayButton = ({ value, onChoose, label }: CalendarProps & { readonly label: string }) => (
  <Popup kind="quiet" label={`Calendar of ${label}`} dialog={label} shown={<Icon name="calendar" />}>
    {(close): ComponentChildren => (
      <DayCalendar
        value={/^\d{4}-\d\d-\d\d$/.test(value) ? value : ''}
        onChoose={(day) => {
          close()
          onChoose(day)
        }}
      />
    )}
  </Popup>
)
