import { isDeepStrictEqual } from 'node:util'
import { ALL_TIME } from '#lib/base/calendar.ts'
import { type DayRecord, findKept, listKeysOf } from '#lib/calls/day-record.ts'
import { type ListedCall, listedCallColumns, listLocalCalls, localCallKeys } from '#lib/calls/local-call.ts'
import { pack } from '#lib/table/packed-row.ts'
import { type Change, is } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { ROW } from '#lib/table/table.ts'

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
export const replaceListedRow = (store: Store, { key, row }: Pick<DayRecord, 'key' | 'row'>): Promise<void> =>
  retryingRaces(store, async () => {
    const [kept] = await findKept(store, [{ key }])
    if (!kept) return
    await store.transact([
      { put: { ...key, ...kept, version: kept.version + 1 }, when: { version: is(kept.version) } },
      ...listKeysOf(kept).map((listKey): Change => ({ put: { ...listKey, [ROW]: row } })),
    ])
  })
