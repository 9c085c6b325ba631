import { dayOf } from '#lib/base/calendar.ts'
import { type CallRow, identityName, listCallsOfSwitch, listCallsOfUserOn } from '#lib/calls/call.ts'
import { isSameCall } from '#lib/calls/rating/change-calls.ts'
import { calledUser } from '#lib/rates/numbers/called-text.ts'
import { type DiallingPrefixes, ratedDigits } from '#lib/rates/rating.ts'
import { findForEach } from '#lib/table/requests/query.ts'
import type { Cdr, Problem } from '../formats/cdr.ts'
import {
  answeredAmong,
  type CdrVersion,
  hasId,
  isAnswered,
  type MediationContext,
  type ResolvedVersion,
} from '../mediation.ts'
import { type IdentityKind, itemsOfSwitch, kindsAmong, notedKind } from './identity-kinds.ts'
import { takeBack } from './take-back.ts'

// One switch may be read in two ways: Master.csv and the JSON of cdr_custom, or before and after
// loguniqueid. The same call then has two identities, and would be billed twice.

function identityKindOf({ uniqueid, part }: Cdr): IdentityKind {
  if (!hasId(uniqueid)) return 'content'
  return part === '' ? 'id' : 'part'
}

/** The parts of calls of one channel are made of their start and numbers. */
function kindOfCall({ uniqueid, source_part, calldate, src, dst }: CallRow): IdentityKind {
  if (uniqueid.startsWith('made-')) return 'content'
  return source_part === undefined || source_part === `${calldate} ${src} ${dst}` ? 'id' : 'part'
}

/**
 * The answered CDRs that repeat a call under an identity of another kind, or without a unique id in another
 * spelling or from another source. One that was stored is taken back. Calls are looked for if the CDR has no
 * unique id, and if the switch has had several kinds, or none so far. Calls without a unique id that were
 * stored before stay; `written` has the CDRs that were stored now.
 */
export async function refusePossibleDuplicates(
  mediation: MediationContext,
  versions: readonly CdrVersion[],
  written: ReadonlySet<Cdr> = new Set(),
): Promise<{
  readonly open: readonly CdrVersion[]
  readonly outcomes: ReadonlyMap<Cdr, Problem | 'duplicate'>
}> {
  const known = versions.filter(({ hasIdentityKind }) => hasIdentityKind)
  const bySource = [...Map.groupBy(known, ({ source }) => source)]
  const mixed = await findForEach(bySource, async ([source, some]) =>
    (await hasSeveralKinds(mediation, source, some)) ? some : [],
  )
  const compared = new Set([
    ...mixed.flat(),
    ...versions.filter(({ cdr }) => identityKindOf(cdr) === 'content'),
  ])
  const groups = [...Map.groupBy(answeredAmong([...compared]), nameOfGroup).values()]
  const found = await findForEach(groups, async (some) =>
    repeatsAmong(await storedCallsOf(mediation, some), some, mediation.settings),
  )
  const repeats = found
    .flat()
    .filter(({ cdr, own, call }) => !own || written.has(cdr) || !areContents(own, call))
  const stored = repeats.flatMap(({ own, call }) => (own ? [{ call: own, kept: call }] : []))
  const taken = await takeBack(mediation, stored)
  const refused = repeats.filter(({ own }) => !own || taken.has(own))
  const outcomes = new Map(refused.map(({ cdr, row, call }) => [cdr, outcomeBeside(row, call)]))
  return { open: versions.filter(({ cdr }) => !outcomes.has(cdr)), outcomes }
}

/** Notes the kinds of these CDRs. */
async function hasSeveralKinds(
  { store, switchItems }: MediationContext,
  source: string,
  some: readonly CdrVersion[],
): Promise<boolean> {
  const kinds = new Set(some.map(({ cdr }) => identityKindOf(cdr)))
  const early = switchItems?.get(source)
  // Another read shows the CDRs that were stored meanwhile.
  switchItems?.delete(source)
  const known = kindsAmong(early ?? (await itemsOfSwitch(store, source)))
  const added = [...kinds].filter((kind) => !known.has(kind))
  await store.putBatch(added.flatMap((kind) => notedKind(source, kind)))
  return known.size === 0 || new Set([...known, ...kinds]).size > 1
}

const nameOfGroup = ({ resolved: { user_id, calldate } }: ResolvedVersion): string => `${user_id} ${calldate}`

/**
 * The CDRs of one customer and second that repeat a stored call, or a CDR before them. `own` is the stored
 * call that such a CDR made, `call` the one that it repeats.
 */
export function repeatsAmong(
  stored: readonly CallRow[],
  some: readonly ResolvedVersion[],
  prefixes: DiallingPrefixes,
) {
  const calls = [...stored]
  return some.flatMap(({ cdr, resolved: row }) => {
    const own = calls.find((call) => isVersionOf(call, row) && isAnswered(call))
    const call = calls.find((one) => isRepeated(one, row, prefixes))
    if (!call) calls.push(row)
    return call ? [{ cdr, row, own, call }] : []
  })
}

/** An index may be out of date: the calls of the unique ids are read from the table. */
async function storedCallsOf(
  { store, settings }: MediationContext,
  some: readonly ResolvedVersion[],
): Promise<CallRow[]> {
  const [first] = some
  if (!first) return []
  const { user_id, calldate } = first.resolved
  const day = dayOf(calldate, settings.Timezone)
  // Unique ids are those of one switch: two switches may use the same ones.
  const ids = new Map(
    some.map(({ source, row: { uniqueid } }) => [`${source} ${uniqueid}`, { source, uniqueid }]),
  )
  const [ofCustomer, ofIds] = await Promise.all([
    listCallsOfUserOn(store, { user: user_id, day, period: { from: calldate, till: calldate } }, settings),
    findForEach(ids.values(), ({ source, uniqueid }) => listCallsOfSwitch(store, source, uniqueid)),
  ])
  return [...ofIds.flat(), ...ofCustomer]
}

/** Several calls of a channel have one unique id, and are told apart by their start and numbers. */
function isVersionOf(call: CallRow, row: CallRow): boolean {
  if (identityName(call) === identityName(row)) return true
  const isOfOneKind = kindOfCall(call) === 'id' && kindOfCall(row) === 'id'
  return isOfOneKind && call.source === row.source && call.uniqueid === row.uniqueid && isSameCall(call, row)
}

const COMPARED = ['source', 'calldate', 'src', 'dst', 'billsec'] as const

function isRepeated(call: CallRow, row: CallRow, prefixes: DiallingPrefixes): boolean {
  const [kind, other] = [kindOfCall(call), kindOfCall(row)]
  if (areContents(call, row))
    return identityName(call) !== identityName(row) && isAnswered(call) && isSameContent(call, row, prefixes)
  const isSameId = call.uniqueid === row.uniqueid || kind === 'content' || other === 'content'
  return kind !== other && isSameId && isAnswered(call) && COMPARED.every((name) => call[name] === row[name])
}

const areContents = (...calls: readonly CallRow[]): boolean =>
  calls.every((call) => kindOfCall(call) === 'content')

const LENGTHS = ['calldate', 'duration', 'billsec'] as const

/** Two CDRs without a unique id have the same moment and lengths, and the same numbers however spelled. */
const isSameContent = (call: CallRow, row: CallRow, prefixes: DiallingPrefixes): boolean =>
  LENGTHS.every((name) => call[name] === row[name]) &&
  isSameNumber(call.src, row.src, prefixes) &&
  isSameNumber(call.dst, row.dst, prefixes)

function isSameNumber(one: string, other: string, prefixes: DiallingPrefixes): boolean {
  if (one === other) return true
  const digits = ratedDigits(calledUser(one), prefixes)
  return digits !== '' && digits === ratedDigits(calledUser(other), prefixes)
}

/** Without a unique id, the same call of one switch is a duplicate. Elsewhere the operator decides. */
function outcomeBeside(row: CallRow, call: CallRow): Problem | 'duplicate' {
  const { uniqueid, source, source_part } = call
  const isOfOneSwitch = source === row.source
  if (isOfOneSwitch && areContents(call, row)) return 'duplicate'
  const why = isOfOneSwitch ? 'the switch is read in two ways' : `it came from ${source ?? 'a dataset'}, too`
  const detail = `a call with the same start, numbers and seconds is stored as ${uniqueid}${source_part === undefined ? '' : ` (${source_part})`}: ${why}`
  return { reason: 'possible_duplicate', detail }
}
