import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describeReport, emptyDocument, type IngestWish } from '#lib/local/commands/switches/ingest-tool.ts'
import { dataFolder } from '#lib/local/data-folder.ts'
import { lockFile } from '#lib/local/file-lock.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { openMediation } from '#lib/mediation/mediation.ts'
import type { Store } from '#lib/store/store.ts'
import { takeNews } from './follow-file.ts'

/** The time before a file is looked at again. */
const PAUSE_MS = 1000

/** Mediates the CDRs that a switch adds to a file, until `signal` ends it; yields a line for each part. */
export async function* followFile(
  store: Store,
  { wish, path, signal }: { readonly wish: IngestWish; readonly path: string; readonly signal: AbortSignal },
): AsyncGenerator<string> {
  if (!existsSync(path)) throw new CommandError(`There is no file ${path}`)
  const open = () => openMediation(store, new Date())
  const empty = emptyDocument(wish)
  if (empty.format === 'freeswitch-xml')
    throw new CommandError('freeswitch-xml has one file for each CDR: ingest the files without --follow')
  const state = statePath(path, empty.source)
  const release = lockFile(
    `${state}.lock`,
    (holder) => `${path} is already followed by ${holder}: stop it first`,
  )
  try {
    while (!signal.aborted) {
      for await (const report of takeNews(open, { path, state, empty }))
        yield `${path}: ${describeReport(report)}`
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
