import pMap from 'p-map'
import { slices } from '#lib/domain/collections.ts'
import { ITEMS_IN_ONE_WRITE } from '#lib/store/requests/batches.ts'
import { absent, absentOrIs, type Conditions, is } from '#lib/store/requests/changes.ts'
import { ConditionFailed, ignoreConditionFailed } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'
import { digestLines } from './lines.ts'
import { type PackedPage, packPages, prefixOfLine } from './prefix-pages.ts'
import {
  activeVersion,
  type PagedList,
  readVersions,
  type Version,
  type VersionHeader,
} from './prefix-versions.ts'
import { pruneVersions, removePages, switchChanges } from './version-history.ts'

export interface NewLines {
  /** In their order, without a line twice. */
  readonly lines: readonly string[]
  readonly at: Date
  /** Who replaces them, for the log. */
  readonly who: string
  /** The version that the lines were made from, where they were: another active one is a race. */
  readonly madeFrom?: { readonly version: number | undefined } | undefined
  /** Lines whose pages are written. */
  readonly onProgress?: ((done: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Writes the lines as a new version and switches to it in one write; versions before it stay for a while. Throws
 * ConditionFailed when somebody else imports the same list.
 */
export async function replaceLines(
  store: Store,
  list: PagedList,
  { lines, at, who, madeFrom, ...writing }: NewLines,
): Promise<'written' | 'unchanged'> {
  const header = readVersions(await store.get(list.header))
  const { bytes, digest } = digestLines(lines)
  if (activeVersion(header)?.digest === digest) return 'unchanged'
  const version = await beginVersion(store, list, { header, madeFrom })
  await writePages(store, list.pages(version), { lines, ...writing })
  writing.signal?.throwIfAborted()
  const now = at.toISOString()
  const [first = ''] = lines
  const own = { version, rows: lines.length, bytes, first: prefixOfLine(first), digest, imported_at: now }
  await switchTo(store, list, { header, fresh: { ...own, active_from: now }, who })
  await pruneVersions(store, list, at)
  return 'written'
}

/**
 * From here on the version's pages are known to the header, so that they are deleted if nobody ever switches to it. Nobody
 * may have switched since the header was read: what was left over then may count by now.
 */
async function beginVersion(
  store: Store,
  list: PagedList,
  { header, madeFrom }: { readonly header: VersionHeader } & Pick<NewLines, 'madeFrom'>,
): Promise<number> {
  const { active, last_version = 0, leftovers } = header
  if (madeFrom && madeFrom.version !== active) throw new ConditionFailed([0], {})
  const version = last_version + 1
  const begun = { last_version: version, leftovers: [...leftovers, version] }
  const asRead = {
    last_version: absentOrIs(last_version),
    active: active === undefined ? absent : is(active),
  }
  await store.transact([{ update: list.header, to: { set: begun }, when: asRead }])
  return version
}

const WRITES_AT_ONCE = 4

async function writePages(
  store: Store,
  partition: string,
  { lines, onProgress, signal }: Omit<NewLines, 'at' | 'who' | 'madeFrom'>,
): Promise<void> {
  let done = 0
  const write = async (pages: readonly PackedPage[]) => {
    signal?.throwIfAborted()
    await store.putBatch(pages.map(({ item }) => item))
    for (const { rows } of pages) done += rows
    onProgress?.(done)
  }
  const batches = slices(packPages(partition, lines), ITEMS_IN_ONE_WRITE)
  await pMap(batches, write, { concurrency: WRITES_AT_ONCE })
}

interface Switch {
  /** As it was before the version was begun. */
  readonly header: VersionHeader
  readonly fresh: Version & { readonly active_from: string }
  readonly who: string
}

/** In a transaction: one whose answer is lost is known again by its token, where an update would contradict itself. */
async function switchTo(store: Store, list: PagedList, { header, fresh, who }: Switch): Promise<void> {
  const { leftovers, active } = header
  const asBegun: Conditions = {
    last_version: is(fresh.version),
    active: active === undefined ? absent : is(active),
  }
  const changes = switchChanges(list, header, { to: fresh, at: fresh.active_from, who, when: asBegun })
  await store.transact(changes).catch(async (error) => {
    // After any other error nobody knows: if the switch was made, these pages are the list.
    if (error instanceof ConditionFailed) await removePages(store, list, [fresh.version])
    throw error
  })
  await removePages(store, list, leftovers)
  await forgetLeftovers(store, list, fresh)
}

/** Unless another version has begun: it will delete them again, and its own with them. */
const forgetLeftovers = (store: Store, list: PagedList, { version }: Version): Promise<unknown> =>
  store
    .update(list.header, { set: { leftovers: [] } }, { last_version: is(version) })
    .catch(ignoreConditionFailed)
