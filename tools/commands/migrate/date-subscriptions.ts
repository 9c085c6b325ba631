import { type LocalTime, localText } from '#lib/base/calendar.ts'
import { LOCAL_SINCE, type Subscription, subscriptions } from '#lib/billing/subscription.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { isUnder } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { changeDocuments } from './change-documents.ts'
import type { Repair } from './new-entries.ts'

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
  if (open.length === 0) return []
  const { Timezone } = await settingsOf(store)
  return changeDocuments(store, subscriptions, open, {
    counts: 'dated',
    dryRun,
    change: async (before) => (hasMoments(before) ? withDays(before, Timezone) : undefined),
  })
}

const withDays = <S extends Subscription>(before: S, zone: string): S => ({
  ...before,
  from: localText(before.from, zone),
  till: before.till === undefined ? undefined : localText(before.till, zone),
})
