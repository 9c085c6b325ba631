import type { ComponentChildren } from 'preact'

interface CalendarElement {
  readonly value?: string
  readonly months?: number
  readonly offset?: number
  readonly locale?: string
  readonly 'focused-date'?: string
  readonly onchange?: (event: Event) => void
  readonly children?: ComponentChildren
}

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      readonly 'calendar-range': CalendarElement
      readonly 'calendar-date': CalendarElement
      readonly 'calendar-month': CalendarElement
    }
  }
}
