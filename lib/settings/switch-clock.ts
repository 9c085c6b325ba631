import { DAY_SECONDS, HOUR_SECONDS, type Seconds } from '#lib/base/calendar.ts'
import { keyForm } from '#lib/table/keys.ts'
import { isTransient } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'

// The difference between the clock of a switch and ours. A process writes it once an hour at most for a
// switch that is off, and never for one whose clock is right: the item expires.

export const switchClockKey = keyForm('SWITCHCLOCK#<source>', 'CLOCK')

/** Smaller differences are those of networks and whole seconds. */
const NOTED_SECONDS = 2

/** Prices and holds suffer from more. */
export const ATTENTION_SECONDS = 5

const REMEMBERED_SECONDS = 3 * HOUR_SECONDS

const MAX_SWITCHES = 1000

/** The notes of one process on the clocks of switches. */
export function createSwitchClocks() {
  const noted = new Map<string, { readonly ahead: number; readonly at: Seconds }>()

  /** Notes that the clock of a switch is ahead of ours by these seconds; negative if it is behind. */
  return async (store: Store, source: string, ahead: number, now: Seconds): Promise<void> => {
    const { ahead: before, at } = noted.get(source) ?? { ahead: 0, at: 0 }
    const isOff = Math.abs(ahead) > NOTED_SECONDS
    const isNews = Math.abs(ahead - before) > NOTED_SECONDS || now - at >= HOUR_SECONDS
    if (!isNews || (!isOff && before === 0)) return
    if (noted.size >= MAX_SWITCHES) noted.clear()
    noted.set(source, { ahead: isOff ? ahead : 0, at: now })
    const set = { ahead, seen: now, expires_at: now + REMEMBERED_SECONDS }
    await store.update(switchClockKey(source), { set }).catch(ignoreTransient)
  }
}

/** A difference that could not be noted is noted by the next request. */
function ignoreTransient(error: unknown): void {
  if (!isTransient(error)) throw error
}

/** The seconds by which clocks are ahead, as seen of late; `undefined` for a clock that is right. */
export async function findSwitchClocks(
  store: Store,
  sources: readonly string[],
  now: Seconds,
): Promise<(number | undefined)[]> {
  const items = await store.getMany(sources.map((source) => switchClockKey(source)))
  return items.map((item) => {
    const [ahead, expires] = [Number(item?.['ahead'] ?? 0), Number(item?.['expires_at'] ?? 0)]
    return expires > now && Math.abs(ahead) > NOTED_SECONDS ? ahead : undefined
  })
}

/** A clock is seldom off by more, and a zone by no less. */
export const MAX_CLOCK_ERROR_SECONDS = 900

/** `12 s ahead`. */
export function describeClock(ahead: number): string {
  const seconds = Math.abs(ahead)
  const isZone = seconds >= MAX_CLOCK_ERROR_SECONDS && seconds <= DAY_SECONDS
  return `${seconds} s ${ahead > 0 ? 'ahead' : 'behind'}${isZone ? ', as with a wrong zone' : ''}`
}

export const needsAttention = (ahead: number | undefined): ahead is number =>
  ahead !== undefined && Math.abs(ahead) > ATTENTION_SECONDS
