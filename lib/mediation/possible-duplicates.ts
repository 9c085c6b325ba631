import pMap from 'p-map'
import { dayOf } from '#lib/domain/calendar.ts'
import { groupBy } from '#lib/domain/collections.ts'
import { type CallRow, callsOfUserOn, identityName, readCall } from '#lib/store/calls/call.ts'
import { type IdentityKind, listIdentityKinds, noteIdentityKinds } from '#lib/store/calls/identity-kind.ts'
import { isAnswered, type OpenVersion, type SourcedCdr } from './decide-cdrs.ts'
import type { Cdr, Problem } from './formats/cdr.ts'
import { resolved, type UnresolvedVersion } from './linked-cdrs.ts'
import type { Mediation } from './mediation.ts'

// One switch may be read in two ways: Master.csv beside the JSON of cdr_custom, or before and after loguniqueid. The same
// call then has two identities, and would be billed twice.

export function identityKindOf({ uniqueid, part }: Pick<Cdr, 'uniqueid' | 'part'>): IdentityKind {
  if (uniqueid.trim() === '') return 'content'
  return part === '' ? 'id' : 'part'
}

/** The parts of calls of one channel are made of their start and numbers. */
function kindOfCall({ uniqueid, source_part, calldate, src, dst }: CallRow): IdentityKind {
  if (uniqueid.startsWith('made-')) return 'content'
  return source_part === undefined || source_part === `${calldate} ${src} ${dst}` ? 'id' : 'part'
}

/**
 * The answered CDRs that repeat a call of their switch under an identity of another kind. Calls are looked for only if the
 * switch has had several kinds, or none so far.
 */
export async function findPossibleDuplicates(
  mediation: Mediation,
  versions: readonly UnresolvedVersion[],
): Promise<ReadonlyMap<SourcedCdr, Problem>> {
  const known = versions.filter(({ sourced }) => sourced.hasIdentityKind)
  const bySource = [...groupBy(known, ({ sourced }) => sourced.source)]
  const mixed = await pMap(bySource, async ([source, some]) => {
    return (await hasSeveralKinds(mediation, source, some)) ? some : []
  })
  const answered = mixed.flat().filter(({ row }) => isAnswered(row))
  if (answered.length === 0) return new Map()
  const open = await resolved(mediation, answered)
  const groups = [...groupBy(open, ({ resolved: row }) => `${row.user_id} ${row.calldate}`).values()]
  const found = await pMap(groups, (some) => duplicatesAmong(mediation, some), {
    concurrency: QUERIES_AT_ONCE,
  })
  return new Map(found.flat())
}

const QUERIES_AT_ONCE = 16

async function hasSeveralKinds(
  { store }: Mediation,
  source: string,
  some: readonly UnresolvedVersion[],
): Promise<boolean> {
  const kinds = new Set(some.map(({ sourced }) => identityKindOf(sourced.cdr)))
  const known = await listIdentityKinds(store, source)
  const added = [...kinds].filter((kind) => !known.has(kind))
  if (added.length > 0) await noteIdentityKinds(store, source, added)
  return known.size === 0 || new Set([...known, ...kinds]).size > 1
}

/** Of CDRs of one customer that begin in one second: those that repeat a stored call, or one before them. */
async function duplicatesAmong(
  { store, settings }: Mediation,
  some: readonly OpenVersion[],
): Promise<[SourcedCdr, Problem][]> {
  const [first] = some
  if (!first) return []
  const { user_id, calldate } = first.resolved
  const day = dayOf(calldate, settings.Timezone)
  const calls: CallRow[] = []
  for (const query of callsOfUserOn(user_id, day, { from: calldate, till: calldate })) {
    calls.push(...(await store.list(query)).map(readCall))
  }
  return some.flatMap(({ sourced, resolved: row }): [SourcedCdr, Problem][] => {
    const isStored = calls.some((call) => identityName(call) === identityName(row))
    const repeated = calls.find((call) => isRepeated(call, row))
    if (!isStored && repeated) return [[sourced, possibleDuplicate(repeated)]]
    calls.push(row)
    return []
  })
}

const COMPARED = ['source', 'calldate', 'src', 'dst', 'billsec'] as const

function isRepeated(call: CallRow, row: CallRow): boolean {
  const [kind, other] = [kindOfCall(call), kindOfCall(row)]
  const isSameId = call.uniqueid === row.uniqueid || kind === 'content' || other === 'content'
  return kind !== other && isSameId && isAnswered(call) && COMPARED.every((name) => call[name] === row[name])
}

const possibleDuplicate = ({ uniqueid, source_part }: CallRow): Problem => ({
  reason: 'possible_duplicate',
  detail: `a call with the same start, numbers and seconds is stored as ${uniqueid}${source_part === undefined ? '' : ` (${source_part})`}: the switch is read in two ways`,
})
