import { hexDigest } from '#lib/base/digest.ts'
import { createMemory } from '#lib/settings/recent-items.ts'

/** A minute from the first request of a caller. */
const WINDOW_MS = 60_000

/** An entry takes about 300 bytes. */
const MAX_CALLERS = 10_000

/** Whether a name at an address may send one more request. */
export type CallerLimit = (name: string, address: string, now: Date) => boolean

/**
 * Counts the requests of a minute in the memory of this process, before anything is read: the limit costs no
 * request to the table, and holds for one function and one of its instances (docs/deployment.md). The address
 * is part of the caller, because the name is not authenticated yet: nobody elsewhere can use up the requests
 * of an account. CALLER_LIMIT is a number of requests; with 0 there is no limit.
 */
export function callerLimit(limit = Number(process.env['CALLER_LIMIT'])): CallerLimit {
  if (!(limit > 0)) return () => true
  const counts = createMemory<string, { requests: number }>(WINDOW_MS, MAX_CALLERS)
  return (name, address, now) => {
    const caller = hexDigest(`${address} ${name}`)
    const count = counts.find(caller, now.getTime()) ?? { requests: 0 }
    if (count.requests === 0) counts.keep(caller, count, now.getTime())
    count.requests += 1
    return count.requests <= limit
  }
}
