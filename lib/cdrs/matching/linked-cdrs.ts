import * as v from 'valibot'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import { memoize, paired } from '#lib/base/collections.ts'
import { type Call, type CallRow, findCalls, identityName, listCallsOfSwitch } from '#lib/calls/call.ts'
import { isSameCall } from '#lib/calls/rating/change-calls.ts'
import { ratedDigits } from '#lib/rates/rating.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { keyForm } from '#lib/table/keys.ts'
import { findForEach } from '#lib/table/requests/query.ts'
import type { Store } from '#lib/table/store.ts'
import type { Cdr } from '../formats/cdr.ts'
import {
  answeredAmong,
  type CdrVersion,
  isAnswered,
  isResolved,
  MATCHED_SECONDS,
  type MediationContext,
  type ResolvedVersion,
  storableId,
  withColumns,
} from '../mediation.ts'
import { takeBack } from './take-back.ts'

// A Local channel of Asterisk that is not optimised away makes a second CDR of its call, with a unique id of
// its own and the linked id of the call (main/core_local.c, main/cdr.c). CDRs of one linked id are one call
// if they have the same account and the same rated number, and overlap.

/** Calls of CDRs that name another channel as their call's first, by what they have in common. */
export const linkedCallKey = keyForm('LINKED#<source>', '<user_id>#<number>#<linkedid>#<uniqueid>')

/** The fields that several CDRs of one call share. */
interface LinkedName {
  readonly source: string
  readonly user_id: number
  /** The digits that are rated. */
  readonly number: string
  readonly linkedid: string
}

const schema = v.object({ uniqueid: v.string(), source_part: v.optional(v.string()) })

/** Returns whether a switch has any such call: that saves a read for each of its CDRs. */
const hasLinkedCalls = async (store: Store, source: string): Promise<boolean> =>
  (await store.firstPage({ partition: linkedCallKey.partition(source), pageSize: 1 })).length > 0

/** The identities of the calls with this name. Some of them may not be stored, or not yet. */
async function listLinkedCalls(store: Store, name: LinkedName): Promise<CallIdentity[]> {
  const { source, user_id, number, linkedid } = name
  const items = await store.list(linkedCallKey.range(source, user_id, number, linkedid))
  return items.map((item) => ({ ...v.parse(schema, item), source }))
}

const linkedIdOf = ({ cdr }: CdrVersion): string => cdr.linkedid ?? ''

/** Returns whether a CDR names another channel as the first one of its call. */
export const isLinked = (version: CdrVersion): boolean =>
  linkedIdOf(version) !== '' && linkedIdOf(version) !== version.cdr.uniqueid

function linkedNameOf(settings: Settings, version: ResolvedVersion): LinkedName {
  const { user_id, dst } = version.resolved
  const linkedid = linkedIdOf(version)
  return {
    source: version.source,
    user_id,
    number: ratedDigits(dst, settings),
    linkedid: storableId(linkedid, `id\0${linkedid}`),
  }
}

/** Whether a CDR repeats a call of its linked id. An unanswered one does not repeat an answered one. */
function isRepeated(settings: Settings, call: CallRow, row: CallRow): boolean {
  const isSameParty = call.user_id === row.user_id && call.uniqueid !== row.uniqueid
  const isSameNumber = ratedDigits(call.dst, settings) === ratedDigits(row.dst, settings)
  const overlap =
    call.calldate <= row.calldate + row.duration && row.calldate <= call.calldate + call.duration
  return isSameParty && isSameNumber && overlap && (isAnswered(call) || !isAnswered(row))
}

/** Linked CDRs that repeat a stored call or another one of these: not billed, and taken back if stored. */
export async function findRepeats(
  mediation: MediationContext,
  linked: readonly CdrVersion[],
): Promise<ReadonlySet<Cdr>> {
  const { store, settings } = mediation
  const nameOf = (version: ResolvedVersion) => linkedNameOf(settings, version)
  const byName = Map.groupBy(linked.filter(isResolved), (version) => JSON.stringify(nameOf(version)))
  const groups = [...byName.values()].flatMap((some) => (some[0] ? [{ some, name: nameOf(some[0]) }] : []))
  const names = groups.map(({ name }) => name)
  const callsOfFirstChannel = ({ source, linkedid }: LinkedName) => listCallsOfSwitch(store, source, linkedid)
  const [ofFirstChannels, ofLinked] = await Promise.all([
    findForEach(names, callsOfFirstChannel).then((calls) => paired(names, calls)),
    storedLinkedCalls(mediation, names),
  ])
  const repeats = groups.flatMap(({ name, some }) =>
    repeatsOf(settings, [...(ofFirstChannels.get(name) ?? []), ...(ofLinked.get(name) ?? [])], some),
  )
  const repeated = repeats.map(({ version, call }) => ({ call: version.row, kept: call }))
  await takeBack(mediation, repeated)
  return new Set(repeats.map(({ version }) => version.cdr))
}

/** Notes linked CDRs for that of the first channel, and for each other, before they are stored. */
export const noteLinked = (
  { store, settings, now }: MediationContext,
  linked: readonly CdrVersion[],
): Promise<void> =>
  store.putBatch(
    answeredAmong(linked).map((version) => {
      const { uniqueid, source_part } = version.row
      const key = linkedCallKey.of({ ...linkedNameOf(settings, version), uniqueid })
      return { ...key, uniqueid, source_part, expires_at: now + MATCHED_SECONDS }
    }),
  )

/** The CDRs of one name that repeat a call. The first answered one is the call. */
export function repeatsOf(settings: Settings, stored: readonly CallRow[], group: readonly ResolvedVersion[]) {
  const calls = [...stored]
  const answered = group.filter(({ row }) => isAnswered(row))
  const others = group.filter(({ row }) => !isAnswered(row))
  return [...answered, ...others].flatMap((version) => {
    const call = calls.find((one) => isRepeated(settings, one, version.resolved))
    if (!call) calls.push(version.resolved)
    return call ? [{ version, call }] : []
  })
}

async function storedLinkedCalls(
  { store }: MediationContext,
  names: readonly LinkedName[],
): Promise<ReadonlyMap<LinkedName, readonly Call[] | undefined>> {
  const noted = await findForEach(names, (name) => listLinkedCalls(store, name))
  const found = await findCalls(store, noted.flat())
  const stored = new Map(found.flatMap((call) => (call ? [[identityName(call), call] as const] : [])))
  const calls = noted.map((some) => some.flatMap((identity) => stored.get(identityName(identity)) ?? []))
  return paired(names, calls)
}

/**
 * The CDRs of first channels, the call that each has made, and the stored calls that are the same call. A
 * switch without such calls costs one read.
 */
async function findFirstChannels(mediation: MediationContext, versions: readonly CdrVersion[]) {
  const { store, settings } = mediation
  const first = versions.filter(isResolved).filter((version) => linkedIdOf(version) !== '')
  const hasLinked = memoize((source: string) => hasLinkedCalls(store, source))
  const named = await findForEach(first, async (version) => {
    const isCandidate = await hasLinked(version.source)
    return isCandidate ? [{ version, name: linkedNameOf(settings, version) }] : []
  })
  const candidates = named.flat()
  const names = candidates.map(({ name }) => name)
  const calls = await storedLinkedCalls(mediation, names)
  const channels = candidates.map(({ version, name }) => ({
    version,
    linked: (calls.get(name) ?? []).filter((call) => isRepeated(settings, version.resolved, call)),
  }))
  return findForEach(
    channels.filter(({ linked }) => linked.length > 0),
    async ({ version, linked }) => {
      const ofChannel = await listCallsOfSwitch(store, version.source, version.row.uniqueid)
      return { version, linked, own: ofChannel.find((call) => isSameCall(call, version.row)) }
    },
  )
}

/**
 * The CDR of a first channel becomes a version of the linked call that was stored before it. All other CDRs
 * stay as they are.
 */
export async function asStoredLinkedCalls(
  mediation: MediationContext,
  versions: readonly CdrVersion[],
): Promise<readonly CdrVersion[]> {
  const channels = await findFirstChannels(mediation, versions)
  const callOf = new Map<CdrVersion, Call | undefined>(
    channels.map(({ version, own, linked }) => [version, own ? undefined : linked[0]]),
  )
  return versions.map((version) => {
    const call = callOf.get(version)
    if (!call) return version
    const { uniqueid, source_part } = call
    return { ...withColumns(version, { uniqueid, source_part }), isOfLinkedCall: true }
  })
}

/** Takes the linked calls back that were stored at the same moment as the CDRs of these first channels. */
export async function takeBackLinkedCalls(
  mediation: MediationContext,
  versions: readonly CdrVersion[],
): Promise<void> {
  const channels = await findFirstChannels(mediation, versions)
  await takeBack(
    mediation,
    channels.flatMap(({ own, linked }) => (own ? linked.map((call) => ({ call, kept: own })) : [])),
  )
}
