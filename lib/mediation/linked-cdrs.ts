import pMap from 'p-map'
import { groupBy } from '#lib/domain/collections.ts'
import { ratedDigits } from '#lib/domain/rates/rating.ts'
import type { Settings } from '#lib/domain/settings.ts'
import { type CallRow, findCalls, listCallsOfSwitch } from '#lib/store/calls/call.ts'
import {
  findLinkedCalls,
  hasLinkedCalls,
  type LinkedName,
  putLinkedCalls,
} from '#lib/store/calls/linked-call.ts'
import { type CdrVersion, isAnswered, type OpenVersion } from './decide-cdrs.ts'
import { type Mediation, storableId } from './mediation.ts'
import { resolveRows } from './resolve.ts'

// A Local channel of Asterisk that is not optimised away makes a second CDR of its call, with a unique id of its own and
// the linked id of the call (main/core_local.c, main/cdr.c). CDRs of one linked id are one call if they have the same
// account and the same rated number, and overlap.

export type UnresolvedVersion = Omit<CdrVersion, 'resolved'>

const linkedIdOf = ({ sourced: { cdr } }: UnresolvedVersion): string => cdr.linkedid ?? ''

/** Tells whether a CDR names another channel as the first one of its call. */
export const isLinked = (version: UnresolvedVersion): boolean =>
  linkedIdOf(version) !== '' && linkedIdOf(version) !== version.sourced.cdr.uniqueid

const isOfFirstChannel = (version: UnresolvedVersion): boolean =>
  linkedIdOf(version) !== '' && linkedIdOf(version) === version.sourced.cdr.uniqueid

/** The CDRs whose customers are known. */
export async function resolved(
  mediation: Mediation,
  some: readonly UnresolvedVersion[],
): Promise<OpenVersion[]> {
  const versions = await resolveRows(mediation, some)
  return versions.flatMap((one) => ('reason' in one.resolved ? [] : [{ ...one, resolved: one.resolved }]))
}

function linkedNameOf(settings: Settings, version: OpenVersion): LinkedName {
  const { user_id, dst } = version.resolved
  const linkedid = linkedIdOf(version)
  return {
    source: version.sourced.source,
    user_id,
    number: ratedDigits(dst, settings),
    linkedid: storableId(linkedid, `id\0${linkedid}`),
  }
}

/** Tells whether a CDR repeats a call of the same linked id. An unanswered one does not stand for an answered one. */
function isRepeated(settings: Settings, call: CallRow, row: CallRow): boolean {
  const isSameParty = call.user_id === row.user_id && call.uniqueid !== row.uniqueid
  const isSameNumber = ratedDigits(call.dst, settings) === ratedDigits(row.dst, settings)
  const overlap =
    call.calldate <= row.calldate + row.duration && row.calldate <= call.calldate + call.duration
  return isSameParty && isSameNumber && overlap && (isAnswered(call) || !isAnswered(row))
}

const QUERIES_AT_ONCE = 16

/**
 * The linked CDRs that repeat a stored call, or another one of these: they bill nothing. The others are noted for the CDR
 * of the first channel, which may come later.
 */
export async function findRepeats(
  mediation: Mediation,
  linked: readonly UnresolvedVersion[],
): Promise<ReadonlySet<UnresolvedVersion['sourced']>> {
  const { store, settings, now } = mediation
  const named = (await resolved(mediation, linked)).map((version) => ({
    version,
    name: linkedNameOf(settings, version),
  }))
  const groups = [...groupBy(named, ({ name }) => JSON.stringify(name)).values()]
  const decided = await pMap(
    groups,
    async (group) => {
      const calls = group[0] ? await storedCallsOf(mediation, group[0].name) : []
      return repeatsOf(settings, calls, group)
    },
    { concurrency: QUERIES_AT_ONCE },
  )
  const repeats = new Set(decided.flat().map(({ version }) => version.sourced))
  const others = named.filter(({ version }) => !repeats.has(version.sourced) && isAnswered(version.row))
  await putLinkedCalls(
    store,
    others.map(({ name, version }) => [name, version.row]),
    now,
  )
  return repeats
}

interface NamedVersion {
  readonly version: OpenVersion
  readonly name: LinkedName
}

/** Of several CDRs with one name, the first answered one is the call. */
function repeatsOf(
  settings: Settings,
  stored: readonly CallRow[],
  group: readonly NamedVersion[],
): NamedVersion[] {
  const calls = [...stored]
  const answered = group.filter(({ version }) => isAnswered(version.row))
  const others = group.filter(({ version }) => !isAnswered(version.row))
  return [...answered, ...others].filter(({ version }) => {
    const repeats = calls.some((call) => isRepeated(settings, call, version.resolved))
    if (!repeats) calls.push(version.resolved)
    return repeats
  })
}

/** The stored calls of the first channel, and the noted call of this name. */
async function storedCallsOf({ store }: Mediation, name: LinkedName): Promise<readonly CallRow[]> {
  const [ofFirstChannel, noted] = await Promise.all([
    listCallsOfSwitch(store, name.source, name.linkedid),
    findLinkedCalls(store, [name]),
  ])
  const calls = await findCalls(
    store,
    noted.flatMap((identity) => identity ?? []),
  )
  return [...ofFirstChannel, ...calls].flatMap((call) => call ?? [])
}

/**
 * The CDR of a first channel becomes a version of the linked call that was stored before it. All other CDRs stay as they
 * are. A switch without such calls costs one read.
 */
export async function asStoredLinkedCalls(
  mediation: Mediation,
  versions: readonly UnresolvedVersion[],
): Promise<readonly UnresolvedVersion[]> {
  const { store, settings } = mediation
  const first = versions.filter(isOfFirstChannel)
  const sources = [...new Set(first.map(({ sourced }) => sourced.source))]
  const withLinked = await pMap(sources, (source) => hasLinkedCalls(store, source))
  const candidates = first.filter(({ sourced }) => withLinked[sources.indexOf(sourced.source)])
  if (candidates.length === 0) return versions
  const open = await resolved(mediation, candidates)
  const noted = await findLinkedCalls(
    store,
    open.map((version) => linkedNameOf(settings, version)),
  )
  const pairs = open.flatMap((version, index) => {
    const identity = noted[index]
    return identity ? [{ version, identity }] : []
  })
  const calls = await findCalls(
    store,
    pairs.map(({ identity }) => identity),
  )
  const linked = new Map(
    pairs.flatMap(({ version }, index) => {
      const call = calls[index]
      return call && isRepeated(settings, version.resolved, call) ? [[version.sourced, call] as const] : []
    }),
  )
  return versions.map((version) => {
    const call = linked.get(version.sourced)
    if (!call) return version
    const { uniqueid, source_part } = call
    return { ...version, row: { ...version.row, uniqueid, source_part }, isOfLinkedCall: true }
  })
}
