import pMap from 'p-map'
import { type LocalTime, localText } from '#lib/base/calendar.ts'
import { replaceDocuments } from '#lib/billing/document.ts'
import { LOCAL_SINCE, type Subscription, subscriptions } from '#lib/billing/subscription.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { isUnder } from '#lib/table/keys.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { NO_REPAIR, type Repair } from './new-entries.ts'

const CONCURRENT_SUBSCRIPTIONS = 8

const ONE_SUBSCRIPTION: Repair = { ...NO_REPAIR, dated: 1 }

const isMoment = (time: LocalTime | undefined): boolean => typeof time === 'number'

const hasMoments = ({ from, till }: Subscription): boolean => isMoment(from) || isMoment(till)

/** Stores the days of the subscriptions among these items by the present zone, in place of their moments. */
export async function dateSubscriptions(
  store: Store,
  { from: format, items }: { readonly from: number; readonly items: readonly Item[] },
  dryRun: boolean,
): Promise<Repair[]> {
  const found = format < LOCAL_SINCE ? items.filter(isUnder(subscriptions.key)) : []
  const open = found.map((item) => subscriptions.read(item)).filter(hasMoments)
  if (dryRun || open.length === 0) return open.map(() => ONE_SUBSCRIPTION)
  const { Timezone } = await settingsOf(store)
  return pMap(open, ({ id }) => dateOne(store, id, Timezone), { concurrency: CONCURRENT_SUBSCRIPTIONS })
}

const dateOne = (store: Store, id: number, zone: string): Promise<Repair> =>
  retryingRaces(store, async () => {
    const before = await subscriptions.find(store, id)
    if (!before || !hasMoments(before)) return NO_REPAIR
    const { from, till } = before
    const days = { from: localText(from, zone), till: till === undefined ? undefined : localText(till, zone) }
    await replaceDocuments(store, subscriptions, [{ before, after: { ...before, ...days } }])
    return ONE_SUBSCRIPTION
  })
