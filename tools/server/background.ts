import { setTimeout } from 'node:timers/promises'
import { hasHadEndpoints } from '#lib/alerts/endpoint.ts'
import type { Mail } from '#lib/alerts/mail.ts'
import { postWebhook } from '#lib/alerts/post.ts'
import { relayEvents } from '#lib/alerts/relay.ts'
import { webhookSender } from '#lib/alerts/sender.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { openTable } from '../command-line/open-table.ts'
import { createLocalQueue } from './local-queue.ts'
import { smtpSender, startMails } from './mails.ts'
import { startSchedule } from './schedule.ts'

/** Starts what AWS's schedules and queues do: regular work, webhooks, mails. Returns what ends it. */
export function startBackground(
  location: TableLocation,
  options: Parameters<typeof startSchedule>[1],
): () => Promise<void> {
  const stops = [startSchedule(location, options), startWebhooks(location), startMails(location, options.log)]
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

const PAUSE_MS = 1000

/** Relays events and posts them, as the two functions do in AWS, once a second. Returns what ends it. */
function startWebhooks(location: TableLocation): () => Promise<void> {
  const store = openTable(location)
  const clock = () => new Date()
  const queue = createLocalQueue(store, clock)
  const smtp = smtpSender()
  // Every delivery is listed with its answer: a line of the log for each batch would only fill the terminal.
  const services = {
    openStore: () => store,
    clock,
    log: () => {},
    post: postWebhook,
    mail: async (mail: Mail) => smtp.send(mail, await settingsOf(store)),
    hide: queue.hide,
    isLocal: true,
  }
  const sender = webhookSender(services)
  const workOnce = async (): Promise<number> => {
    if (!(await hasHadEndpoints(store))) return 0
    await relayEvents(store, queue.send, clock).catch(() => undefined)
    return queue.consume(sender)
  }
  const stopped = new AbortController()
  const pause = () => setTimeout(PAUSE_MS, 0, { signal: stopped.signal }).catch(() => 0)
  const running = new Set<Promise<number>>()
  const work = async () => {
    while (!stopped.signal.aborted) {
      // A table that does not answer is asked again: what waits is in it.
      const once = workOnce().catch(() => 0)
      running.add(once)
      void once.then(() => running.delete(once))
      // Slow endpoints go on meanwhile: after a pause, the others are looked for again.
      const paused = pause()
      if ((await Promise.race([once, paused])) === 0) await paused
    }
    await Promise.all(running)
  }
  const working = work()
  return async () => {
    stopped.abort()
    await working
    smtp.close()
  }
}
