import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import type { TrafficAnswer } from '#lib/api/console/answers/traffic.ts'
import { useReading } from '../api/use-reading.ts'
import { isOperator } from '../part.ts'
import type { DayRange } from '../range.ts'

/** The sums of the range by customer, which only an account has that sees everyone. */
export const useCustomerTraffic = (session: SessionAnswer, { from, till }: DayRange) =>
  useReading<TrafficAnswer>(isOperator(session) ? '/traffic' : undefined, { from, till, by: 'customer' })
