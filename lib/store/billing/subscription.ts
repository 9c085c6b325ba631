import type { LimitedScope } from '#lib/domain/accounts/scope.ts'
import { dateTime, id, optional, optionalId, type Row, text } from '#lib/store/columns.ts'
import { deviceKey, serviceKey } from '#lib/store/keys.ts'
import { merged, openLists } from '#lib/store/merge.ts'
import type { Store } from '#lib/store/store.ts'
import { defineDocuments, documentPages } from './document.ts'

// Shape

export const subscriptionColumns = {
  id,
  user_id: id,
  device_id: optionalId,
  service_id: id,
  from: dateTime,
  /** Blank: it goes on. */
  till: optional(dateTime),
  memo: text(),
}

/** A service that an account takes; what it costs is the service's price. */
export type Subscription = Row<typeof subscriptionColumns>

// Declaration

/** By id alone: subscriptions are listed by id, whatever their dates. */
export const subscriptions = defineDocuments('SUBSCRIPTION', {
  name: 'subscription',
  columns: subscriptionColumns,
  place: '<id>',
  requires: [
    { column: 'service_id', names: serviceKey },
    { column: 'device_id', names: deviceKey, mayGo: true },
  ],
})

// Access patterns

/** A page of every list waits in memory: the more lists, the shorter their pages. */
const ROWS_IN_MEMORY = 8000
const SHORTEST_PAGE = 25

/** Those of all the scopes, which have none in common; ascending by id. */
export async function* listSubscriptions(
  store: Store,
  scopes: readonly LimitedScope[],
): AsyncGenerator<Subscription[]> {
  const pageSize = Math.max(SHORTEST_PAGE, Math.ceil(ROWS_IN_MEMORY / scopes.length))
  const lists = scopes.map((scope) => documentPages(store, subscriptions, { scope, pageSize }))
  yield* merged(await openLists(lists), ({ id: subscriptionId }) => subscriptionId)
}
