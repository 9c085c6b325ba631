import pMap from 'p-map'
import { slices } from '#lib/base/collections.ts'
import { ITEMS_IN_ONE_WRITE } from '#lib/table/requests/batches.ts'
import { absent, absentOrIs, type Conditions, is } from '#lib/table/requests/changes.ts'
import { ConditionFailed, ignoreConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { digestLines } from './lines.ts'
import { type PackedPage, packPages, prefixOfLine } from './prefix-pages.ts'
import {
  activeVersion,
  linesBeside,
  type PagedList,
  readVersions,
  type Version,
  type VersionHeader,
} from './prefix-versions.ts'
import { pruneVersions, removePages, switchChanges } from './version-history.ts'

export interface NewLines {
  /** Sorted, without duplicates. */
  readonly lines: readonly string[]
  /** The lines of the second list; by default those of the active version. */
  readonly beside?: readonly string[] | undefined
  readonly at: Date
  /** The name of the operator or sender, for the log. */
  readonly who: string
  /** The version that the lines derive from. If another one is active, ConditionFailed is thrown. */
  readonly madeFrom?: { readonly version: number | undefined } | undefined
  /** Is called with the number of lines written. */
  readonly onProgress?: ((done: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Writes the lines as a new version and then activates it in one write. Earlier versions are kept for a
 * while. Throws ConditionFailed when another process imports the same list.
 */
export async function replaceLines(
  store: Store,
  list: PagedList,
  given: NewLines,
): Promise<'written' | 'unchanged'> {
  const prepared = await preparedLines(store, list, given)
  if (!prepared) return 'unchanged'
  // It needs a transaction, whose token recognises a repeated request: the condition of an update would fail
  // if its first answer was lost.
  await store.transact(prepared.changes).catch(async (error) => {
    // After any other error the version may be active, so its pages must stay.
    if (error instanceof ConditionFailed) await removePages(store, list, [prepared.version])
    throw error
  })
  await prepared.afterwards()
  return 'written'
}

/**
 * Writes the pages of a new version; `undefined` if the active one has these lines. Throws ConditionFailed.
 */
export async function preparedLines(
  store: Store,
  list: PagedList,
  { lines, beside, at, who, madeFrom, ...writing }: NewLines,
) {
  const header = readVersions(await store.get(list.header))
  const active = activeVersion(header)
  const { bytes, digest } = digestLines(lines)
  const origins = await newOrigins(store, list, { active, lines, beside })
  if (active?.digest === digest && active.origins?.digest === origins?.version.digest) return undefined
  const version = await beginVersion(store, list, header, madeFrom)
  await writePages(store, list.pages(version), { lines, ...writing })
  if (list.beside && origins)
    await writePages(store, list.beside.pages(version), { lines: origins.lines, signal: writing.signal })
  writing.signal?.throwIfAborted()
  const now = at.toISOString()
  const [first = ''] = lines
  const own = { version, rows: lines.length, bytes, first: prefixOfLine(first), digest, imported_at: now }
  const fresh = { ...own, ...(origins && { origins: origins.version }), active_from: now }
  const asBegun: Conditions = {
    last_version: is(version),
    active: header.active === undefined ? absent : is(header.active),
  }
  return {
    version,
    changes: switchChanges(list, header, fresh, { at: now, who, when: asBegun }),
    afterwards: async () => {
      await removePages(store, list, header.leftovers)
      await forgetLeftovers(store, list, fresh)
      await pruneVersions(store, list, at)
    },
  }
}

/** The second list of a new version; `undefined` if it has no lines and no line refers to it. */
async function newOrigins(
  store: Store,
  list: PagedList,
  { active, lines, beside }: Pick<NewLines, 'lines' | 'beside'> & { readonly active: Version | undefined },
) {
  if (!list.beside) return undefined
  const kept = beside ?? [...(await linesBeside(store, list, active))]
  if (kept.length === 0 && !lines.some(list.beside.refersTo)) return undefined
  const version = {
    rows: kept.length,
    first: prefixOfLine(kept[0] ?? ''),
    digest: digestLines(kept).digest,
  }
  return { lines: kept, version }
}

/**
 * Adds the new version to the header's leftovers: a later import deletes its pages if it never becomes
 * active. Fails if the active version changed since the header was read, as a leftover may be active by now.
 */
async function beginVersion(
  store: Store,
  list: PagedList,
  header: VersionHeader,
  madeFrom: NewLines['madeFrom'],
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

/** Empties the leftovers, unless another import has begun: that one deletes them again, with its own. */
const forgetLeftovers = (store: Store, list: PagedList, { version }: Version): Promise<unknown> =>
  store
    .update(list.header, { set: { leftovers: [] } }, { last_version: is(version) })
    .catch(ignoreConditionFailed)
