import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { memoize } from '#lib/base/collections.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { keyIn } from '#lib/table/keys.ts'
import { is } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { type Endpoint, listEndpoints, receives } from './endpoint.ts'
import { type AlertEvent, alertKeys, outboxKey, ownersHearing, readEvent, waitingIn } from './event.ts'
import { concernedAccount, isMailUrl, mailOf } from './mail.ts'
import type { WebhookMessage } from './sender.ts'

/** Puts messages into the queue of the sender. */
export type SendMessages = (messages: readonly WebhookMessage[]) => Promise<unknown>

/** The events of one owner that go to the queue before it is the turn of the others. */
const SHARE_OF_AN_OWNER = 100

/**
 * Takes the events that wait, and puts one message for each endpoint into the queue. An event leaves the
 * outbox after its messages are in the queue: after a crash in between, the next run sends it again with the
 * same id. The owners take turns: a backlog of one does not delay those of another beyond its share.
 * Returns the number of events.
 */
export async function relayEvents(store: Store, send: SendMessages, now: () => Date): Promise<number> {
  const relay = openRelay(store, send, now)
  let count = 0
  for (;;) {
    const relayed = await relayTurn(store, relay)
    count += relayed + (await relayAlerts(store, relay))
    if (relayed < SHARE_OF_AN_OWNER) return count
  }
}

/** Relays a share of each owner. A page may hold events of several: the next one begins after the last. */
async function relayTurn(store: Store, relay: (events: readonly AlertEvent[]) => Promise<void>) {
  const { partition } = outboxKey.range()
  let [count, from] = [0, ' ']
  for (;;) {
    const waiting = await store.firstPage({ partition, between: [from, '~'], pageSize: SHARE_OF_AN_OWNER })
    await relay(waiting.map(readEvent))
    await store.removeBatch(waiting.map(keyIn))
    count += waiting.length
    if (waiting.length < SHARE_OF_AN_OWNER) return count
    // `$` sorts after the `#` that ends an owner.
    from = `${keyIn(waiting.at(-1) ?? {}).SK.split('#')[0]}$`
  }
}

/** The index may be late: the items themselves show what waits. */
async function relayAlerts(store: Store, relay: (events: readonly AlertEvent[]) => Promise<void>) {
  const listed = await store.list({ index: 'GSI1', partition: alertKeys.listed.partition() })
  let count = 0
  for (const item of await store.getMany(listed.map(keyIn))) {
    const waiting = item ? waitingIn(item) : []
    if (!item || waiting.length === 0) continue
    await relay(waiting.map(([, event]) => event))
    const gone = Object.fromEntries(waiting.map(([name]) => [name, undefined]))
    const set = { ...gone, GSI1PK: undefined, GSI1SK: undefined }
    // Another event may have come meanwhile. Then all stay, and those that were sent are sent again.
    await hasWritten(store.update(keyIn(item), { set }, { epoch: is(item['epoch']) }))
    count += waiting.length
  }
  return count
}

function openRelay(store: Store, send: SendMessages, now: () => Date) {
  const endpointsOf = memoize((owner: number) => listEndpoints(store, owner))
  const accountOf = memoize((id: number) => findWholeAccount(store, id))
  const settings = memoize((_: 'once') => settingsOf(store))
  const messageOf = async ({ id, owner, url }: Endpoint, event: AlertEvent): Promise<WebhookMessage[]> => {
    const message = { endpoint: id, owner, at: now().getTime(), event }
    if (!isMailUrl(url)) return [message]
    const concerned = concernedAccount(event)
    const account = concerned === undefined ? undefined : await accountOf(concerned)
    const mail = mailOf(url, event, { account, seller: (await settings('once')).Seller_Name })
    return mail ? [{ ...message, mail }] : []
  }
  return async (events: readonly AlertEvent[]): Promise<void> => {
    const messages = await Promise.all(
      events.map(async (event) => {
        const lists = await Promise.all(ownersHearing(event.owner).map(endpointsOf))
        const wanting = lists.flat().filter((endpoint) => wants(endpoint, event))
        return (await Promise.all(wanting.map((endpoint) => messageOf(endpoint, event)))).flat()
      }),
    )
    if (messages.some((some) => some.length > 0)) await send(messages.flat())
  }
}

const wants = (endpoint: Endpoint, { type, only }: AlertEvent): boolean =>
  only === undefined
    ? receives(endpoint) && endpoint.events.some((name) => name === type)
    : only === endpoint.id
