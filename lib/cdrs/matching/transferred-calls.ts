import { dayOf, HOUR_SECONDS } from '#lib/base/calendar.ts'
import { paired } from '#lib/base/collections.ts'
import { isZero } from '#lib/base/money.ts'
import { isLookupName } from '#lib/base/switch-names.ts'
import { type CallRow, listCallsOfSwitch, listCallsOfUserOn } from '#lib/calls/call.ts'
import { findIdsOfDevices } from '#lib/devices/device-stored.ts'
import { resolveProviders } from '#lib/rates/provider.ts'
import { findForEach } from '#lib/table/requests/query.ts'
import { isNamedByPeer } from '../formats/asterisk.ts'
import type { Problem } from '../formats/cdr.ts'
import { isPhoneNumber } from '../formats/fields.ts'
import {
  type CdrVersion,
  hasId,
  isAnswered,
  isResolved,
  type MediationContext,
  type ResolvedVersion,
  storableId,
} from '../mediation.ts'
import { findForwarders, resolveAccounts } from '../resolve.ts'

// Asterisk makes a CDR of the two channels that a transfer joins. A carrier's channel has the rest of the
// call that it was dialled for, under another number: an extension's, a DID, or none.

/** A CDR, and the channel of a carrier that was dialled for another call. */
interface Trunk {
  readonly version: CdrVersion
  readonly channel: string
  readonly provider_id: number
  /** An origination may have the linked id of another call without any transfer. */
  readonly isCertain: boolean
}

/** The call that continues over a trunk, if it is known. */
interface Continuation extends Trunk {
  readonly call: CallRow | undefined
}

/** Finds the calls that some of these CDRs continue, among the others and the stored calls. */
export async function findTransferred(mediation: MediationContext, versions: readonly CdrVersion[]) {
  const possible = versions.filter(({ cdr }) => cdr.transferred)
  const hints = possible.map(({ cdr }) => cdr.provider)
  const providers = await resolveProviders(mediation.store, hints)
  const providerOf = ({ cdr }: CdrVersion) => providers.get(cdr.provider) ?? {}
  const trunks = possible.flatMap((version) => trunkOf(version, providerOf(version)) ?? [])
  const rests = new Set(trunks.map(({ version }) => version))
  const calls = versions.filter(isResolved).filter((version) => !rests.has(version))
  const withCall = async (trunk: Trunk) => ({ ...trunk, call: await callBefore(mediation, trunk, calls) })
  const decided = withEarlierContinuations(await findForEach(trunks, withCall))
  const known = decided.filter(({ call, isCertain }) => call !== undefined || isCertain)
  const ofUnknown = await findUnknownPeers(
    mediation,
    possible.filter((version) => providerOf(version).provider_id === undefined),
  )
  const taken = new Set([...known, ...ofUnknown].map(({ version }) => version))
  return {
    continued: known.flatMap(({ version, call }) => (call ? [asContinued(version, call)] : [])),
    unknown: new Map([
      ...known.flatMap(({ version, channel, call }) =>
        call ? [] : [[version.cdr, unknownCall(channel)] as const],
      ),
      ...ofUnknown.map(({ version, peer }) => [version.cdr, unknownPeer(peer)] as const),
    ]),
    others: versions.filter((version) => !taken.has(version)),
  }
}

/** A peer that is neither provider nor device may be a phone, or a carrier that charges for the rest. */
async function findUnknownPeers({ store }: MediationContext, versions: readonly CdrVersion[]) {
  const named = versions
    .filter(({ row }) => isAnswered(row) && !isPhoneNumber(row.dst))
    .flatMap((version) => joinedPeers(version).map((peer) => ({ version, peer })))
  const peers = named.map(({ peer }) => peer)
  const ids = paired(peers, await findIdsOfDevices(store, peers))
  return named.filter(({ peer }) => ids.get(peer) === undefined)
}

/** The peers of the channels that a transfer joined, where a channel has the name of its peer. */
function joinedPeers({ cdr }: CdrVersion): string[] {
  const { transferred, provider } = cdr
  const sides = [transferred?.out ? provider.out : undefined, transferred?.in ? provider.in : undefined]
  return sides.flatMap((side) => (side?.channels.some(isNamedByPeer) ? side.names : [])).filter(isLookupName)
}

const unknownPeer = (peer: string): Problem => ({
  reason: 'unknown_account',
  detail: `${JSON.stringify(peer)} is neither a device nor a provider, and may be the carrier of a transferred call: add it, then retry`,
})

const unknownCall = (channel: string): Problem => ({
  reason: 'unknown_account',
  detail: `the call that ${channel} was dialled for is not stored yet: retry when it is`,
})

/** The rest of a call may be transferred, too: the next CDR of its trunk has the rest of that. */
function withEarlierContinuations(decided: readonly Continuation[]): Continuation[] {
  const known: Continuation[] = []
  for (const one of decided.toSorted(byStart)) {
    const ofChannel = known.filter(({ channel }) => channel === one.channel)
    const rests = ofChannel.flatMap(({ version, call }) =>
      call ? [asContinued(version, call).resolved] : [],
    )
    known.push({ ...one, call: one.call ?? oneCharge(rests.filter((call) => endsAtTransfer(call, one))) })
  }
  return known
}

const byStart = (one: Trunk, other: Trunk): number => one.version.row.calldate - other.version.row.calldate

/** The customer, device and carrier are those of the call that continues. */
function asContinued(version: CdrVersion, call: CallRow): ResolvedVersion {
  const { user_id, device_id, provider_id, dst, dialled_dst, carrier_dst } = call
  const row = { ...version.row, dst, dialled_dst, carrier_dst }
  return { ...version, row, resolved: { ...row, user_id, device_id, provider_id, incoming: false } }
}

function trunkOf(version: CdrVersion, { provider_id, provider_price }: Partial<CallRow>): Trunk | undefined {
  const { transferred, provider, channel } = version.cdr
  if (!transferred || provider_id === undefined) return undefined
  const [dstchannel = ''] = provider.out.channels
  const isTermination = provider_price === undefined
  if (isTermination) {
    return transferred.out ? { version, channel: dstchannel, provider_id, isCertain: true } : undefined
  }
  return transferred.in ? { version, channel, provider_id, isCertain: false } : undefined
}

/** The call that a carrier's channel was dialled for; `undefined` if unknown or ambiguous. */
async function callBefore(
  mediation: MediationContext,
  trunk: Trunk,
  together: readonly ResolvedVersion[],
): Promise<CallRow | undefined> {
  const isCallBefore = (call: CallRow) => endsAtTransfer(call, trunk)
  const ofChannel = together.filter(({ cdr }) => cdr.provider.out.channels[0] === trunk.channel)
  const beside = ofChannel.map(({ resolved }) => resolved).filter(isCallBefore)
  return oneCharge(beside.length > 0 ? beside : (await callsOfParties(mediation, trunk)).filter(isCallBefore))
}

/** The first of these calls, if all have the same customer and number. */
function oneCharge([first, ...others]: readonly CallRow[]): CallRow | undefined {
  const isSame = others.every((call) => call.user_id === first?.user_id && call.dst === first.dst)
  return isSame ? first : undefined
}

/** Asterisk rounds start and length of a CDR to seconds, each by itself. */
const MAX_ROUNDING_SECONDS = 1

function endsAtTransfer(call: CallRow, { version: { row }, provider_id }: Trunk): boolean {
  const gap = Math.abs(call.calldate + call.duration - row.calldate)
  const isOfTrunk = call.source === row.source && call.provider_id === provider_id && !isOrigination(call)
  return isOfTrunk && isPhoneNumber(call.dst) && isAnswered(call) && gap <= MAX_ROUNDING_SECONDS
}

/** An origination costs nothing at the carrier. */
const isOrigination = ({ incoming, provider_price }: CallRow): boolean =>
  incoming || (provider_price !== undefined && isZero(provider_price))

/** The calls of a customer are looked for among those that began in this time before the transfer. */
const WINDOW_SECONDS = HOUR_SECONDS

/** The calls of the channels that the CDR names, and those of their customers. */
async function callsOfParties(mediation: MediationContext, { version }: Trunk): Promise<CallRow[]> {
  const { store, settings } = mediation
  const { source, cdr } = version
  const ids = new Set([cdr.linkedid || cdr.uniqueid, cdr.uniqueid])
  const reached = { reached: cdr.dst }
  const [ofChannels, callers, called] = await Promise.all([
    findForEach(ids, (id) => listCallsOfSwitch(store, source, storableId(id, `id\0${id}`))),
    resolveAccounts(mediation, [cdr.party]),
    findForwarders(mediation, [reached]),
  ])
  const owners = [...ofChannels.flat(), ...callers.values(), ...called.values()]
  const users = new Set(owners.flatMap((owner) => owner?.user_id ?? []))
  const period = { from: cdr.start - WINDOW_SECONDS, till: cdr.start }
  const days = new Set([period.from, period.till].map((moment) => dayOf(moment, settings.Timezone)))
  const callDays = [...users].flatMap((user) => Array.from(days, (day) => ({ user, day, period })))
  const listDay = (wanted: (typeof callDays)[number]) => listCallsOfUserOn(store, wanted, settings)
  const ofCustomers = await findForEach(callDays, listDay)
  return [...ofChannels.flat(), ...ofCustomers.flat()]
}

// A phone that is called may transfer its caller by REFER. The caller's channel then goes to the new number
// before its first CDR has ended, so that both CDRs have this number (main/cdr.c: dst is the extension where
// the channel is). The first one is the call to the phone, which no carrier took.

/** The CDRs with the phone as their number, where the caller's channel then calls another number. */
export async function asCallsToPhones(
  { store }: MediationContext,
  versions: readonly CdrVersion[],
): Promise<readonly CdrVersion[]> {
  const groups = Map.groupBy(versions.filter(isToNumber), nameOfChannel).values()
  const referred = [...groups].flatMap((some) => some.filter((one) => endsWhereNumberIsCalled(one, some)))
  const ids = paired(referred, await findIdsOfDevices(store, referred.map(peerOf)))
  return versions.map((one) =>
    ids.get(one) === undefined
      ? one
      : { ...one, row: { ...one.row, dst: peerOf(one), dialled_dst: undefined, carrier_dst: undefined } },
  )
}

const isToNumber = ({ cdr, row }: CdrVersion): boolean =>
  hasId(cdr.uniqueid) && isAnswered(row) && isPhoneNumber(row.dst)

const peerOf = ({ cdr }: CdrVersion): string => cdr.dialledPeer ?? ''

const nameOfChannel = ({ source, cdr, row }: CdrVersion): string =>
  JSON.stringify([source, cdr.uniqueid, row.dst])

/** The CDR calls a peer, and ends where its channel begins another one that called the number itself. */
function endsWhereNumberIsCalled(version: CdrVersion, some: readonly CdrVersion[]): boolean {
  if (peerOf(version) === '') return false
  const end = version.row.calldate + version.row.duration
  const isNext = (other: CdrVersion) => Math.abs(other.row.calldate - end) <= MAX_ROUNDING_SECONDS
  return some.some((other) => calledNumber(other) && isNext(other))
}

/** A CDR of two calls that a transfer joined has the number of one of them. */
const calledNumber = ({ cdr }: CdrVersion): boolean =>
  cdr.dialledPeer === undefined && cdr.transferred === undefined
