import * as v from 'valibot'
import type { Day } from '#lib/base/calendar.ts'
import {
  busyNamesKey,
  busyNamesSchema,
  dayGroupsKey,
  dayGroupsSchema,
  groupsText,
  unnamed,
} from '#lib/calls/counters/day-groups.ts'
import { is } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'

/** Replaces the name that an account had when its days were summed up. */
export async function forgetNames(store: Store, account: number): Promise<void> {
  for await (const page of store.pages({ partition: dayGroupsKey.partition('customer') })) {
    for (const { SK } of page) await retryingRaces(store, () => forgetNameOn(store, String(SK), account))
  }
  await retryingRaces(store, () => forgetBusyName(store, account))
}

async function forgetNameOn(store: Store, day: Day, account: number): Promise<void> {
  const key = dayGroupsKey('customer', day)
  const item = await store.get(key)
  const groups = item ? v.parse(dayGroupsSchema, item).groups : []
  if (!groups.some(({ id }) => id === account)) return
  const nameless = groups.map((one) => (one.id === account ? { ...one, name: unnamed(account) } : one))
  const when = { groups: is(item?.['groups']) }
  await store.transact([{ update: key, to: { set: { groups: groupsText(nameless) } }, when }])
}

async function forgetBusyName(store: Store, account: number): Promise<void> {
  const item = await store.get(busyNamesKey())
  const names = item ? v.parse(busyNamesSchema, item['names']) : []
  const others = names.filter(([id]) => id !== account)
  if (others.length === names.length) return
  const to = { set: { names: JSON.stringify(others) } }
  await store.transact([{ update: busyNamesKey(), to, when: { names: is(item?.['names']) } }])
}
