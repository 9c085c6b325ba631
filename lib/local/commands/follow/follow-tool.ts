import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type IntakeWorld, openIntakeWorld } from '#lib/ingest/switches/intake-world.ts'
import { deliveryOf, type IngestWish, inWords } from '#lib/local/commands/switches/ingest-tool.ts'
import { dataFolder } from '#lib/local/data-folder.ts'
import { Failure } from '#lib/local/failure.ts'
import { lockFile } from '#lib/local/file-lock.ts'
import type { Store } from '#lib/store/store.ts'
import { takeNews } from './follow-file.ts'

/** The time before a file is looked at again. */
const PAUSE_MS = 1000

/** Takes in the CDRs that a switch adds to a file, until `signal` ends it; yields a line for each part. */
export async function* followFile(
  store: Store,
  { wish, path, signal }: { readonly wish: IngestWish; readonly path: string; readonly signal: AbortSignal },
): AsyncGenerator<string> {
  if (!existsSync(path)) throw new Failure(`There is no file ${path}`)
  const world = (): Promise<IntakeWorld> => openIntakeWorld(store, new Date())
  const delivery = deliveryOf(await world(), wish)
  if (delivery.format === 'freeswitch-xml')
    throw new Failure('freeswitch-xml has a file for each record: there is nothing to follow')
  const state = statePath(path, delivery.origin.source)
  const release = lockFile(
    `${state}.lock`,
    (holder) => `${path} is followed by ${holder} already: stop that one first`,
  )
  try {
    while (!signal.aborted) {
      for await (const counts of takeNews(world, { path, state, delivery }))
        yield `${path}: ${inWords(counts)}`
      await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    release()
  }
}

/** Each file and switch has a position of its own. */
function statePath(path: string, source: string): string {
  const digest = createHash('sha256').update(resolve(path)).digest('hex').slice(0, 12)
  return `${dataFolder}/follow-${source}-${digest}.json`
}
