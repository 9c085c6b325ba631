import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { DAY_MS } from '#lib/base/calendar.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { keyForm, keyIn } from '#lib/table/keys.ts'
import { ITEMS_IN_ONE_WRITE } from '#lib/table/requests/batches.ts'
import { absent, type Change, type Conditions, is, present } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import {
  activeVersion,
  type PagedList,
  partitionsOf,
  previousVersion,
  readVersion,
  readVersions,
  type Version,
  type VersionHeader,
} from './prefix-versions.ts'

/** Further items of a list of pages: its earlier versions, and the log of its switches. */
export const versionKeys = {
  kept: keyForm('<list>', 'VERSION#<version>'),
  /** `at` is an ISO date-time; the suffix keeps two switches of one millisecond apart. */
  logEntry: keyForm('<list>', 'SWITCH#<at>#<suffix>'),
}

const switchSchema = v.object({
  /** ISO date-time. */
  at: v.string(),
  who: v.string(),
  /** The version that was active before; absent for the first switch. */
  from: v.optional(v.number()),
  to: v.number(),
})

/** A switch of the active version, in the log. */
export type VersionSwitch = Readonly<v.InferOutput<typeof switchSchema>>

/** Oldest first. */
export const listSwitches = async (store: Store, { header }: PagedList): Promise<VersionSwitch[]> =>
  (await store.list(versionKeys.logEntry.range(header.PK))).map((item) => v.parse(switchSchema, item))

/** All stored versions, the active one included, newest first. */
export async function listVersions(store: Store, list: PagedList): Promise<Version[]> {
  const { versions } = readVersions(await store.get(list.header))
  const kept = (await store.list(versionKeys.kept.range(list.header.PK))).map(readVersion)
  return [...versions, ...kept].sort((one, other) => other.version - one.version)
}

/** Activates a version. The header has the new and the previous one; the others become items of their own. */
export function switchChanges(
  list: PagedList,
  header: VersionHeader,
  to: Version,
  { at, who, when }: Pick<VersionSwitch, 'at' | 'who'> & { readonly when: Conditions },
): Change[] {
  const before = activeVersion(header)
  const versions = [
    { ...to, active_from: at, active_till: undefined },
    ...(before ? [{ ...before, active_till: at }] : []),
  ]
  const others = header.versions.filter(
    ({ version }) => version !== to.version && version !== before?.version,
  )
  const entry = { at, who, from: before?.version, to: to.version }
  return [
    { update: list.header, to: { set: { active: to.version, versions, leftovers: header.leftovers } }, when },
    ...others.map(
      (other): Change => ({ put: { ...versionKeys.kept(list.header.PK, other.version), ...other } }),
    ),
    { put: { ...versionKeys.logEntry(list.header.PK, at, randomUUID()), ...entry } },
  ]
}

/**
 * An earlier version, by default the previous one, and the changes that activate it, unless another process
 * switches at the same moment; none for the active one. Undefined if there is no such version.
 */
export async function versionActivated(
  store: Store,
  list: PagedList,
  { version, at, who }: { readonly version?: number | undefined; readonly at: Date; readonly who: string },
): Promise<{ readonly to: Version; readonly changes: readonly Change[] } | undefined> {
  const header = readVersions(await store.get(list.header))
  const wanted = version ?? previousVersion(header)?.version
  if (wanted === undefined) return undefined
  const active = activeVersion(header)
  if (active && wanted === header.active) return { to: active, changes: [] }
  const inHeader = header.versions.find((one) => one.version === wanted)
  const key = versionKeys.kept(list.header.PK, wanted)
  const kept = inHeader ? undefined : await store.get(key)
  const to = inHeader ?? (kept && readVersion(kept))
  if (!to) return undefined
  const when = { active: is(header.active), last_version: is(header.last_version), PK: present }
  const changes = [
    ...switchChanges(list, header, to, { at: at.toISOString(), who, when }),
    ...(kept ? [{ remove: key, when: { PK: present } }] : []),
  ]
  return { to, changes }
}

/** The latest versions are kept, however old they are. Two of them are in the header. */
const MIN_KEPT_VERSIONS = 10
const VERSIONS_IN_HEADER = 2

/** Deletes versions that were last active more than Tariff_Versions_Days ago, except for the latest ten. */
export async function pruneVersions(store: Store, list: PagedList, now: Date): Promise<void> {
  const kept = (await store.list(versionKeys.kept.range(list.header.PK))).map(readVersion)
  const candidates = kept.sort(byEnd).slice(MIN_KEPT_VERSIONS - VERSIONS_IN_HEADER)
  if (candidates.length === 0) return
  const { Tariff_Versions_Days: days = 0 } = await settingsOf(store)
  const since = new Date(now.getTime() - days * DAY_MS).toISOString()
  const gone = candidates.filter(({ active_till = '' }) => active_till < since).slice(0, MAX_DELETED_AT_ONCE)
  if (gone.length > 0) await dropVersions(store, list, gone)
}

/** The next import deletes further ones. */
const MAX_DELETED_AT_ONCE = 50

const byEnd = ({ active_till: one = '' }: Version, { active_till: other = '' }: Version): number =>
  one < other ? 1 : -1

/** After the first write the versions cannot be activated. Undeleted pages stay in `leftovers`. */
async function dropVersions(store: Store, list: PagedList, gone: readonly Version[]): Promise<void> {
  const { leftovers, last_version, active } = readVersions(await store.get(list.header))
  const numbers = gone.map(({ version }) => version)
  const asRead = { last_version: is(last_version), active: active === undefined ? absent : is(active) }
  const isMarked = await hasWritten(
    store.transact([
      { update: list.header, to: { set: { leftovers: [...leftovers, ...numbers] } }, when: asRead },
      ...numbers.map((one) => ({ remove: versionKeys.kept(list.header.PK, one), when: { PK: present } })),
    ]),
  )
  if (isMarked) await removePages(store, list, numbers)
}

/** Deletes the pages of versions that are no longer read. */
export async function removePages(store: Store, list: PagedList, versions: readonly number[]): Promise<void> {
  for (const partition of versions.flatMap((version) => partitionsOf(list, version))) {
    for await (const items of store.pages({ partition, eventual: true, pageSize: ITEMS_IN_ONE_WRITE })) {
      await store.removeBatch(items.map(keyIn))
    }
  }
}
