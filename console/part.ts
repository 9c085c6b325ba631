import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import type { Place } from './place.ts'
import type { DayRange } from './range.ts'

/** The properties of each part of the console. */
export interface PartProps {
  readonly place: Place
  readonly session: SessionAnswer
  readonly range: DayRange
}
