import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { useQuery } from '../api/use-query.ts'
import type { DayRange } from '../base/range.ts'
import { isOperator } from '../base/section.ts'

/** The sums of the range by customer, which only an account has that sees everyone. */
export const useCustomerTraffic = (session: SessionAnswer, { from, till }: DayRange) =>
  useQuery(isOperator(session) ? '/traffic' : undefined, { from, till, by: 'customer' })
