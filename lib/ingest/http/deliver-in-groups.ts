import { setTimeout } from 'node:timers/promises'
import type { CdrDocument } from '#lib/cdrs/formats/formats.ts'
import type { Store } from '#lib/table/store.ts'
import { deliverDocuments, deliverToTable } from './deliver-to-table.ts'
import type { Deliver } from './intake-endpoint.ts'

/** Other documents that arrive in this time join the first one. */
const GROUP_WINDOW_MS = 10

const MAX_GROUPED_DOCUMENTS = 100

/** A larger document, in UTF-16 code units, is a group by itself. */
const MAX_GROUPED_TEXT = 65_536

/** A request that waits for the delivery of its document. */
interface Waiting {
  readonly store: Store
  readonly now: Date
  readonly document: CdrDocument
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/**
 * * Mediates documents that arrive together as one batch, as a consumer of the queue does: most of the cost
 * of a CDR that comes alone is that of its requests to the table. One batch runs at a time, and the next one
 * gathers meanwhile. Each document is acknowledged after its batch is stored. If a batch fails, each of its
 * documents is delivered by itself, so that no other one decides its answer.
 */
export function deliverInGroups(): Deliver {
  let waiting: Waiting[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    await setTimeout(GROUP_WINDOW_MS)
    while (waiting.length > 0) {
      const group = waiting.slice(0, MAX_GROUPED_DOCUMENTS)
      waiting = waiting.slice(MAX_GROUPED_DOCUMENTS)
      await deliverGroup(group)
    }
    isRunning = false
  }

  return async (store, now, document, problem) => {
    if (problem || document.text.length > MAX_GROUPED_TEXT)
      return deliverToTable(store, now, document, problem)
    return new Promise((resolve, reject) => {
      waiting.push({ store, now, document, resolve, reject })
      if (!isRunning) void run()
    })
  }
}

/** The last request has the most time left, so the batch uses its store. Never throws. */
async function deliverGroup(group: readonly Waiting[]): Promise<void> {
  const last = group.at(-1)
  if (!last) return
  try {
    if (group.length === 1) await deliverToTable(last.store, last.now, last.document)
    else
      await deliverDocuments(
        last.store,
        last.now,
        group.map(({ document }) => document),
      )
    for (const { resolve } of group) resolve()
  } catch (error) {
    if (group.length === 1) last.reject(error)
    else
      await Promise.all(
        group.map(({ store, now, document, resolve, reject }) =>
          deliverToTable(store, now, document).then(resolve, reject),
        ),
      )
  }
}
