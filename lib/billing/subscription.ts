import type { LimitedScope } from '#lib/base/scope.ts'
import {
  addedLater,
  blankMeans,
  id,
  integer,
  labelled,
  localTime,
  optional,
  optionalId,
  type Row,
  text,
} from '#lib/table/columns.ts'
import { deviceKey, serviceKey } from '#lib/table/keys.ts'
import { merged, openLists } from '#lib/table/merge.ts'
import type { Store } from '#lib/table/store.ts'
import { defineDocuments, documentPages } from './document.ts'

export const subscriptionColumns = {
  id,
  user_id: labelled(id, 'Customer'),
  device_id: labelled(optionalId, 'Device'),
  service_id: labelled(id, 'Service'),
  from: labelled(localTime, 'From', 'its first day'),
  till: blankMeans(labelled(optional(localTime), 'Till', 'its last day'), 'no end'),
  memo: labelled(text(), 'Note'),
  /** How many of the service the account takes. */
  quantity: addedLater(integer(1), 1),
}

/** Tables of earlier formats have moments in place of the days, which another zone would move. */
export const LOCAL_SINCE = 4

/** A service that an account takes, at the price of the service. */
export type Subscription = Row<typeof subscriptionColumns>

/** Lists ascend by id. */
export const subscriptions = defineDocuments('SUBSCRIPTION', {
  name: 'subscription',
  columns: subscriptionColumns,
  place: '<id>',
  requires: [
    { column: 'service_id', names: serviceKey },
    { column: 'device_id', names: deviceKey, mayGo: true },
  ],
})

/** Memory holds a page of every list, so more lists have shorter pages. */
const MAX_ROWS_IN_MEMORY = 8000
const MIN_PAGE_ROWS = 25

/** The subscriptions of all the scopes, ascending by id. The scopes must not overlap. */
export async function* listSubscriptions(
  store: Store,
  scopes: readonly LimitedScope[],
): AsyncGenerator<Subscription[]> {
  const pageSize = Math.max(MIN_PAGE_ROWS, Math.ceil(MAX_ROWS_IN_MEMORY / scopes.length))
  const lists = scopes.map((scope) => documentPages(store, subscriptions, { scope, pageSize }))
  yield* merged(await openLists(lists), ({ id: subscriptionId }) => subscriptionId)
}
