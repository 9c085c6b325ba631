import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { ALL_TIME, type Day } from '#lib/base/calendar.ts'
import {
  busyNamesKey,
  busyNamesSchema,
  dayGroupsKey,
  dayGroupsSchema,
  groupsText,
  unnamed,
} from '#lib/calls/counters/day-groups.ts'
import { type DayRecord, findKept, listKeysOf } from '#lib/calls/day-record.ts'
import { type ListedCall, listedCallColumns, listLocalCalls, localCallKeys } from '#lib/calls/local-call.ts'
import { pack } from '#lib/table/packed-row.ts'
import { type Change, is } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { ROW } from '#lib/table/table.ts'

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

/** Erases what the internal calls of an account say about it. Returns the number of changed calls. */
export async function forgetLocalCalls(store: Store, account: number): Promise<number> {
  let changed = 0
  const { pages } = await listLocalCalls(store, { user: account }, ALL_TIME)
  for await (const page of pages) {
    const named = page.filter((call) => !isDeepStrictEqual(call, withoutNames(call, account)))
    for (const call of named) {
      const row = pack(listedCallColumns, withoutNames(call, account))
      await replaceListedRow(store, { key: localCallKeys.item(call.uniqueid), row })
    }
    changed += named.length
  }
  return changed
}

const withoutNames = (call: ListedCall, account: number): ListedCall => ({
  ...call,
  ...(call.originator_user_id === account && {
    originator_device: '',
    originator_caller_id: '',
    orignator_ip: '',
    orignator_channel: '',
  }),
  ...(call.terminator_user_id === account && {
    terminator_user: '',
    terminator_device: '',
    terminator_ip: '',
  }),
})

/** Replaces the row in a record's lists. Its digest stays: the record is unchanged if it returns. */
const replaceListedRow = (store: Store, { key, row }: Pick<DayRecord, 'key' | 'row'>): Promise<void> =>
  retryingRaces(store, async () => {
    const [kept] = await findKept(store, [{ key }])
    if (!kept) return
    await store.transact([
      { put: { ...key, ...kept, version: kept.version + 1 }, when: { version: is(kept.version) } },
      ...listKeysOf(kept).map((listKey): Change => ({ put: { ...listKey, [ROW]: row } })),
    ])
  })
