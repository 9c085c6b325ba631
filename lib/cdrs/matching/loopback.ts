import * as v from 'valibot'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import { findCalls } from '#lib/calls/call.ts'
import type { CarrierHints } from '#lib/rates/provider.ts'
import { keyForm } from '#lib/table/keys.ts'
import { findForEach } from '#lib/table/requests/query.ts'
import type { Cdr, LoopbackLeg, PartyHints, Problem } from '../formats/cdr.ts'
import { isSameNumber } from '../formats/fields.ts'
import {
  type CdrOutcomes,
  type CdrVersion,
  entryIdOfCdr,
  identityOf,
  isStoredOutcome,
  MATCHED_SECONDS,
  type MediationContext,
  newVersion,
} from '../mediation.ts'
import { listSuspendedAmong, removeSuspended } from '../suspense/suspense.ts'
import { takeBack } from './take-back.ts'

// FreeSWITCH's loopback reports a call by up to four legs (mod_loopback.c): the dialler, which has times and
// caller, two of the loopback, one of them with carrier and the dial string's account code, and the trunk.
// Each leg is noted before the others are read: of two runs, at least one finds both.

/** The legs of calls through FreeSWITCH's loopback, under each unique id that they name. */
export const loopbackLegKey = keyForm('LOOPBACK#<source>#<id>', '<leg>')

const notedLeg = v.object({ cdr: v.string() })

type LoopbackCdr = Cdr & { readonly loopback: LoopbackLeg }

/** A call that legs make: the leg that it is stored as, the others, and the CDR of all together. */
interface JoinedCall {
  readonly source: string
  readonly leg: LoopbackCdr
  readonly others: readonly LoopbackCdr[]
  readonly cdr: Cdr
}

const isOfLoopback = (cdr: Cdr): cdr is LoopbackCdr => cdr.loopback !== undefined

const nameOfLeg = ({ uniqueid, part }: Cdr): string => `${uniqueid} ${part}`

/** The versions to store, and what becomes of the incoming legs. */
interface Joined {
  readonly incoming: readonly CdrVersion[]
  readonly versions: readonly CdrVersion[]
  readonly calls: readonly JoinedCall[]
  /** The CDR whose outcome a CDR has; none for a leg whose call another leg represents. */
  readonly standsAs: ReadonlyMap<Cdr, Cdr>
}

/**
 * Joins the legs of each call with those that came earlier. A leg of a call that another leg represents is
 * left out. All CDRs without a loopback stay.
 */
export async function joinLoopbacks(
  mediation: MediationContext,
  incoming: readonly CdrVersion[],
): Promise<Joined> {
  const legs = incoming.filter(({ cdr }) => isOfLoopback(cdr))
  const bySource = [...Map.groupBy(legs, ({ source }) => source)]
  const joined = await findForEach(bySource, async ([source, some]) => {
    const known = await withNotedLegs(mediation, source, some.map(({ cdr }) => cdr).filter(isOfLoopback))
    return joinLegs(source, known)
  })
  const calls = joined.flat()
  const kept = new Map(calls.flatMap((call) => keptLegs(legs, call)))
  const stored = incoming.flatMap((version) => {
    const stands = isOfLoopback(version.cdr) ? kept.get(version) : version
    return stands ? [[version, stands] as const] : []
  })
  return {
    incoming,
    versions: stored.map(([, version]) => version),
    calls,
    standsAs: new Map(stored.map(([version, { cdr }]) => [version.cdr, cdr])),
  }
}

const nameOf = ({ source, cdr }: Pick<CdrVersion, 'source' | 'cdr'>): string => `${source} ${nameOfLeg(cdr)}`

const namesOfCall = ({ source, leg, others }: JoinedCall): string[] =>
  [leg, ...others].map((cdr) => nameOf({ source, cdr }))

/** The incoming legs that the call is stored as, otherwise another one, with the CDR of all. */
function keptLegs(incoming: readonly CdrVersion[], call: JoinedCall): (readonly [CdrVersion, CdrVersion])[] {
  const named = namesOfCall(call).map((name) => incoming.filter((one) => nameOf(one) === name))
  const [first = []] = named.filter(({ length }) => length > 0)
  const { cdr, others } = call
  const leg = others.length > 0 ? call.leg : undefined
  return first.map((version) => [version, newVersion({ ...version, cdr, leg })] as const)
}

/** Notes these legs, and returns them with the noted legs of the same calls. */
async function withNotedLegs(
  { store, now }: MediationContext,
  source: string,
  legs: readonly LoopbackCdr[],
): Promise<LoopbackCdr[]> {
  const certain = legs.filter(({ loopback }) => !loopback.isUncertain)
  const notes = certain.flatMap((cdr) => {
    const noted = { cdr: JSON.stringify(cdr), expires_at: now + MATCHED_SECONDS }
    return cdr.loopback.ids.map((id) => ({ ...loopbackLegKey(source, id, nameOfLeg(cdr)), ...noted }))
  })
  await store.putBatch(notes)
  const ids = new Set(legs.flatMap(({ loopback }) => loopback.ids))
  const items = (await findForEach(ids, (id) => store.list(loopbackLegKey.range(source, id)))).flat()
  const known = [...items.map((item) => JSON.parse(v.parse(notedLeg, item).cdr) as LoopbackCdr), ...legs]
  return [...new Map(known.map((cdr) => [nameOfLeg(cdr), cdr])).values()]
}

const ROLES = ['dialler', 'trunk', 'inner'] as const

/**
 * The calls that legs make, in any order. A call is stored as its dialler, otherwise as the trunk that goes
 * on without its loopback, otherwise as the leg of the loopback.
 */
function joinLegs(source: string, legs: readonly LoopbackCdr[]): JoinedCall[] {
  const taken = new Set<LoopbackCdr>()
  const ordered = legs.toSorted(
    (one, other) => ROLES.indexOf(one.loopback.role) - ROLES.indexOf(other.loopback.role),
  )
  return ordered.flatMap((leg) => {
    if (taken.has(leg)) return []
    const others = ordered.filter((other) => !taken.has(other) && isOfCall(leg, other, legs))
    if (!leg.loopback.billsAlone && (leg.loopback.role !== 'dialler' || others.length === 0)) return []
    for (const one of [leg, ...others]) taken.add(one)
    return [{ source, leg, others, cdr: joinedCdr(leg, others) }]
  })
}

/** Legs of one call share an id, or share one with a third leg, and called one number at one time. */
function isOfCall(leg: LoopbackCdr, other: LoopbackCdr, all: readonly LoopbackCdr[]): boolean {
  if (leg === other || other.loopback.role === 'dialler' || !isSameCalled(leg, other)) return false
  const isLinked = (third: LoopbackCdr) => sharesId(leg, third) && sharesId(third, other)
  return sharesId(leg, other) || all.some(isLinked)
}

const sharesId = ({ loopback }: LoopbackCdr, other: LoopbackCdr): boolean =>
  loopback.ids.some((id) => other.loopback.ids.includes(id))

function isSameCalled(one: LoopbackCdr, other: LoopbackCdr): boolean {
  const [number, called] = [one.loopback.number, other.loopback.number]
  const isSame = isSameNumber(number, called, true) || isSameNumber(called, number, true)
  const overlap = one.start <= other.start + other.duration && other.start <= one.start + one.duration
  return isSame && overlap
}

/** The times are those of the leg, the carrier and the account code those of the others. */
function joinedCdr(leg: LoopbackCdr, others: readonly LoopbackCdr[]): Cdr {
  const carriers = [...others.filter(({ loopback }) => loopback.role === 'inner'), ...others]
  const { provider, carrierDst, carrierSrc } = carriers.find((one) => isNamed(one.provider.out)) ?? leg
  return {
    ...leg,
    carrierDst,
    carrierSrc: carrierSrc ?? leg.carrierSrc,
    party: joinedParty(leg, others),
    provider: { ...leg.provider, out: provider.out },
  }
}

const isNamed = ({ names, addresses }: CarrierHints): boolean => names.length > 0 || addresses.length > 0

/** An account code that is not the dialler's own was set for the call through the loopback. */
function joinedParty({ party, loopback }: LoopbackCdr, others: readonly LoopbackCdr[]): PartyHints {
  const codes = others.map((other) => other.party.accountCode).filter((code) => code !== '')
  if (loopback.role === 'dialler') {
    const [payer] = codes.filter((code) => code !== party.accountCode)
    return payer === undefined ? party : { ...party, payer }
  }
  const inner = others.find((other) => other.loopback.role === 'inner')?.party ?? party
  return { ...inner, accountCode: inner.accountCode || party.accountCode }
}

/** A suspended leg waits for the one that represents its call, because nothing else is known of it. */
const WAITS_FOR_LEGS: Problem = {
  reason: 'unknown_account',
  detail: 'it is a leg of a loopback, and the leg that dialled the loopback has not come: retry when it has',
}

/**
 * Takes back the calls of legs that were stored before the leg that represents the call, or at the same
 * moment, and removes legs from suspense that waited for it. Returns the outcomes of the incoming CDRs.
 */
export async function settleLegs(
  mediation: MediationContext,
  { incoming, calls, standsAs }: Joined,
  outcomes: CdrOutcomes,
): Promise<CdrOutcomes> {
  const outcomeOf = ({ cdr }: CdrVersion) => outcomes.get(standsAs.get(cdr) ?? cdr)
  const uncertain = incoming.filter((one) => one.cdr.loopback?.isUncertain && isStoredOutcome(outcomeOf(one)))
  const again = await joinLoopbacks(mediation, uncertain)
  const known = [...calls, ...again.calls].filter(({ others }) => others.length > 0)
  if (known.length > 0) await takeBackOthers(mediation, known)
  const names = new Set(calls.flatMap(namesOfCall))
  return new Map(
    incoming.map((one) => {
      const { cdr } = one
      const isRepeat = uncertain.includes(one) && nameOfLeg(again.standsAs.get(cdr) ?? cdr) !== nameOfLeg(cdr)
      return [
        cdr,
        isRepeat ? 'skipped' : (outcomeOf(one) ?? (isWaiting(one, names) ? WAITS_FOR_LEGS : 'skipped')),
      ]
    }),
  )
}

const isWaiting = (one: CdrVersion, names: ReadonlySet<string>): boolean =>
  !names.has(nameOf(one)) && one.cdr.loopback?.role !== 'dialler' && one.cdr.billsec > 0

async function takeBackOthers(mediation: MediationContext, calls: readonly JoinedCall[]): Promise<void> {
  const { store } = mediation
  const entries = calls.flatMap(({ source, others }) => others.map((cdr) => entryIdOfCdr(source, cdr)))
  await removeSuspended(store, await listSuspendedAmong(store, entries, 'strong'))
  const repeats = calls.flatMap(({ source, leg, others }) => {
    const kept = identityOfLeg(source, leg)
    const ofIds = leg.loopback.ids.map((uniqueid) => ({ source, uniqueid, source_part: undefined }))
    const ofLegs = [...others.map((other) => identityOfLeg(source, other)), ...ofIds]
    return ofLegs.filter(({ uniqueid }) => uniqueid !== kept.uniqueid).map((call) => ({ call, kept }))
  })
  const identities = repeats.map(({ call }) => call)
  const stored = await findCalls(store, identities)
  await takeBack(
    mediation,
    repeats.filter((_, index) => stored[index]),
  )
}

const identityOfLeg = (source: string, leg: Cdr): CallIdentity => identityOf(source, leg)
