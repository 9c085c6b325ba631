import pMap from 'p-map'
import { groupBy } from '#lib/domain/collections.ts'
import { ratedDigits } from '#lib/domain/rates/rating.ts'
import type { Settings } from '#lib/domain/settings.ts'
import { isSameCall } from '#lib/rating/call-decision.ts'
import { type Call, type CallRow, findCalls, listCallsOfSwitch } from '#lib/store/calls/call.ts'
import {
  hasLinkedCalls,
  type LinkedName,
  listLinkedCalls,
  putLinkedCalls,
} from '#lib/store/calls/linked-call.ts'
import type { Store } from '#lib/store/store.ts'
import { type CdrVersion, isAnswered, type OpenVersion, type SourcedCdr } from './decide-cdrs.ts'
import { type Mediation, storableId } from './mediation.ts'
import { resolveRows } from './resolve.ts'
import { takeBack } from './take-back.ts'

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

/** A linked CDR whose customer is known. */
export interface NamedVersion {
  readonly version: OpenVersion
  readonly name: LinkedName
}

export const namedVersions = async (
  mediation: Mediation,
  linked: readonly UnresolvedVersion[],
): Promise<NamedVersion[]> =>
  (await resolved(mediation, linked)).map((version) => ({
    version,
    name: linkedNameOf(mediation.settings, version),
  }))

/** The linked CDRs that repeat a stored call, or another one of these: they bill nothing. One that was stored is taken back. */
export async function findRepeats(
  mediation: Mediation,
  named: readonly NamedVersion[],
): Promise<ReadonlySet<SourcedCdr>> {
  const groups = [...groupBy(named, ({ name }) => JSON.stringify(name)).values()]
  const found = await pMap(
    groups,
    async (group) => {
      const stored = group[0] ? await storedCallsOf(mediation, group[0].name) : []
      return repeatsOf(mediation.settings, stored, group)
    },
    { concurrency: QUERIES_AT_ONCE },
  )
  const repeats = found.flat()
  await takeBack(
    mediation,
    repeats.map(({ version, call }) => ({ call: version.row, standing: call })),
  )
  return new Set(repeats.map(({ version }) => version.sourced))
}

/** Notes linked CDRs for that of the first channel, and for each other, before they are stored. */
export const noteLinked = ({ store, now }: Mediation, named: readonly NamedVersion[]): Promise<void> =>
  putLinkedCalls(
    store,
    named.flatMap(({ name, version }) => (isAnswered(version.row) ? [[name, version.row] as const] : [])),
    now,
  )

/** Of several CDRs with one name, the first answered one is the call. */
function repeatsOf(settings: Settings, stored: readonly CallRow[], group: readonly NamedVersion[]) {
  const calls = [...stored]
  const answered = group.filter(({ version }) => isAnswered(version.row))
  const others = group.filter(({ version }) => !isAnswered(version.row))
  return [...answered, ...others].flatMap(({ version }) => {
    const call = calls.find((one) => isRepeated(settings, one, version.resolved))
    if (!call) calls.push(version.resolved)
    return call ? [{ version, call }] : []
  })
}

/** The stored calls of the first channel, and the linked calls of this name. */
async function storedCallsOf({ store }: Mediation, name: LinkedName): Promise<readonly Call[]> {
  const [ofFirstChannel, linked] = await Promise.all([
    listCallsOfSwitch(store, name.source, name.linkedid),
    storedLinkedCalls(store, name),
  ])
  return [...ofFirstChannel, ...linked]
}

const storedLinkedCalls = async (store: Store, name: LinkedName): Promise<readonly Call[]> =>
  (await findCalls(store, await listLinkedCalls(store, name))).flatMap((call) => call ?? [])

/** The CDR of a first channel that is stored, or is about to be, and the stored calls that are the same call. */
interface FirstChannel {
  readonly own: Call | undefined
  readonly linked: readonly Call[]
}

/** The first channels with linked calls. A switch without such calls costs one read. */
async function findFirstChannels(
  mediation: Mediation,
  versions: readonly UnresolvedVersion[],
): Promise<ReadonlyMap<SourcedCdr, FirstChannel>> {
  const { store, settings } = mediation
  const first = versions.filter(isOfFirstChannel)
  const sources = [...new Set(first.map(({ sourced }) => sourced.source))]
  const withLinked = await pMap(sources, (source) => hasLinkedCalls(store, source))
  const candidates = first.filter(({ sourced }) => withLinked[sources.indexOf(sourced.source)])
  const named = candidates.length > 0 ? await namedVersions(mediation, candidates) : []
  const found = await pMap(
    named,
    async ({ name, version }) => {
      const calls = await storedLinkedCalls(store, name)
      const linked = calls.filter((call) => isRepeated(settings, version.resolved, call))
      const ofChannel =
        linked.length > 0 ? await listCallsOfSwitch(store, name.source, version.row.uniqueid) : []
      const own = ofChannel.find((call) => isSameCall(call, version.row))
      return [version.sourced, { own, linked }] as const
    },
    { concurrency: QUERIES_AT_ONCE },
  )
  return new Map(found)
}

/**
 * The CDR of a first channel becomes a version of the linked call that was stored before it. All other CDRs stay as they
 * are.
 */
export async function asStoredLinkedCalls(
  mediation: Mediation,
  versions: readonly UnresolvedVersion[],
): Promise<readonly UnresolvedVersion[]> {
  const channels = await findFirstChannels(mediation, versions)
  return versions.map((version) => {
    const { own, linked = [] } = channels.get(version.sourced) ?? {}
    const [call] = linked
    if (own || !call) return version
    const { uniqueid, source_part } = call
    return { ...version, row: { ...version.row, uniqueid, source_part }, isOfLinkedCall: true }
  })
}

/** Takes the linked calls back that were stored at the same moment as the CDRs of these first channels. */
export async function takeBackLinkedCalls(
  mediation: Mediation,
  versions: readonly UnresolvedVersion[],
): Promise<void> {
  const channels = [...(await findFirstChannels(mediation, versions)).values()]
  await takeBack(
    mediation,
    channels.flatMap(({ own, linked }) => (own ? linked.map((call) => ({ call, standing: own })) : [])),
  )
}
