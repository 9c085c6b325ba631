import { isWanted, outboxOf } from '#lib/alerts/event.ts'
import { DAY_SECONDS, type Seconds, secondsOf } from '#lib/base/calendar.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import { identityName } from './call.ts'
import type { CallChange } from './counted-change.ts'

export interface CallTelling {
  readonly settings: Pick<Settings, 'subscribed' | 'Default_Currency'>
  /** The time of the batch; missing for that of this process. */
  readonly now?: Seconds
}

/** Calls that ended earlier cause no event: they are imported, or mediated late. */
const TOLD_SECONDS = DAY_SECONDS

/** The event of a new call; none without subscribers. It has no phone number. */
export function callTold({ settings, now }: CallTelling, { before, after }: CallChange): Change[] {
  const {
    owner_id: owner,
    user_id: account,
    uniqueid,
    source,
    calldate,
    billsec,
    disposition,
    user_price,
  } = after
  if (before || !isWanted(settings, 'call.ended', owner)) return []
  const ended = calldate + billsec
  if (ended < (now ?? secondsOf(new Date())) - TOLD_SECONDS) return []
  const at = new Date(ended * 1000)
  const start = new Date(calldate * 1000).toISOString()
  const price = { price: user_price, currency: settings.Default_Currency }
  const data = { call: uniqueid, source, account, owner, start, seconds: billsec, disposition, ...price }
  return outboxOf(settings, { type: 'call.ended', owner, at, subject: identityName(after), data })
}
