import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type IntakeWorld, openIntakeWorld } from '#lib/ingest/switches/intake-world.ts'
import { deliveryOf, type IngestWish, inWords } from '#lib/local/commands/switches/ingest-tool.ts'
import { dataFolder } from '#lib/local/data-folder.ts'
import { Failure } from '#lib/local/failure.ts'
import type { Store } from '#lib/store/store.ts'
import { takeNews } from './follow-file.ts'
import { takeAlone } from './only-one.ts'

/** In milliseconds, before a file is looked at again. */
const PAUSE = 1000

/** Takes in what a switch adds to a file, until `signal` ends it: a line for each part. */
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
  const giveBack = takeAlone(`${state}.lock`)
  try {
    while (!signal.aborted) {
      for await (const counts of takeNews(world, { path, state, delivery }))
        yield `${path}: ${inWords(counts)}`
      await setTimeout(PAUSE, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    giveBack()
  }
}

/** For each file and switch one of its own. */
function statePath(path: string, source: string): string {
  mkdirSync(dataFolder, { recursive: true })
  const digest = createHash('sha256').update(resolve(path)).digest('hex').slice(0, 12)
  return `${dataFolder}/follow-${source}-${digest}.json`
}
