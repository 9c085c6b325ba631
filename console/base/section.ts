import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import type { DayRange } from './range.ts'
import type { PageRoute } from './route.ts'

/** An account that sees the business of everyone: sums by customer, providers, costs. */
export const isOperator = ({ type }: SessionAnswer): boolean => type === 'admin' || type === 'accountant'

/** An account that adds and changes customers. */
export const maySell = ({ type }: SessionAnswer): boolean => type !== 'accountant' && type !== 'user'

export interface SectionProps {
  readonly route: PageRoute
  readonly session: SessionAnswer
  readonly range: DayRange
}
