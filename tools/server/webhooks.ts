import { setTimeout } from 'node:timers/promises'
import { hasHadEndpoints } from '#lib/alerts/endpoint.ts'
import { postWebhook } from '#lib/alerts/post.ts'
import { relayEvents } from '#lib/alerts/relay.ts'
import { webhookSender } from '#lib/alerts/sender.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { openTable } from '../command-line/open-table.ts'
import { createLocalQueue } from './local-queue.ts'

const PAUSE_MS = 1000

/** Relays events and posts them, as the two functions do in AWS, once a second. Returns what ends it. */
export function startWebhooks(location: TableLocation): () => Promise<void> {
  const store = openTable(location)
  const clock = () => new Date()
  const queue = createLocalQueue(store, clock)
  // Every delivery is listed with its answer: a line of the log for each batch would only fill the terminal.
  const services = {
    openStore: () => store,
    clock,
    log: () => {},
    post: postWebhook,
    hide: queue.hide,
    isLocal: true,
  }
  const sender = webhookSender('send_webhooks', services)
  const workOnce = async (): Promise<number> => {
    if (!(await hasHadEndpoints(store))) return 0
    await relayEvents(store, queue.send, clock).catch(() => undefined)
    return queue.consume(sender)
  }
  const stopped = new AbortController()
  const work = async () => {
    while (!stopped.signal.aborted) {
      // A table that does not answer is asked again: what waits is in it.
      const sent = await workOnce().catch(() => 0)
      if (sent === 0) await setTimeout(PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }
  const working = work()
  return async () => {
    stopped.abort()
    await working
  }
}
