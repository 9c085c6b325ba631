import { createHash } from 'node:crypto'
import { safeParse } from 'valibot'
import type { Seconds } from '#lib/domain/calendar.ts'
import { slices } from '#lib/domain/collections.ts'
import { ZERO } from '#lib/domain/money.ts'
import { ID_USED, type Outcome } from '#lib/domain/row-refused.ts'
import { type Problem, problemOf } from '#lib/intake/check.ts'
import { uniqueIdOf } from '#lib/intake/identity.ts'
import type { SwitchCall } from '#lib/intake/record.ts'
import { type CallRecord, writeCalls } from '#lib/rating/call-writing.ts'
import { type CallRow, callColumns } from '#lib/store/calls/call.ts'
import { rowSchema } from '#lib/store/columns.ts'
import { type CallOwner, findOwners } from './call-owner.ts'
import { type CallProvider, findCarriers } from './call-provider.ts'
import type { IntakeWorld } from './intake-world.ts'

/** What came of a record: stored now, stored before, waiting for the other end of its call, or why it cannot be stored. */
export type Taken = 'stored' | 'known' | 'waiting' | Problem

/** A call, and the text that it was read from. */
export interface ReportedCall {
  readonly call: SwitchCall
  readonly document: string
}

const CALLS_AT_ONCE = 500

/** Stores calls of one switch, each for its customer and rated. Answers what came of each. */
export async function takeCalls(
  world: IntakeWorld,
  source: string,
  reported: readonly ReportedCall[],
): Promise<Taken[]> {
  const taken: Taken[] = []
  for (const some of slices(reported, CALLS_AT_ONCE)) taken.push(...(await takeSome(world, source, some)))
  return taken
}

async function takeSome(
  world: IntakeWorld,
  source: string,
  reported: readonly ReportedCall[],
): Promise<Taken[]> {
  const { store, now } = world
  const calls = reported.map(({ call }) => call)
  const [owners, carriers] = await Promise.all([
    findOwners(
      world,
      calls.map(({ party }) => party),
    ),
    findCarriers(
      store,
      calls.map(({ provider }) => provider),
    ),
  ])
  const prepared = reported.map((one, place) =>
    recordOf(one, { source, owner: owners[place], carrier: carriers[place], now }),
  )
  const outcomes = (await writeCalls(store, prepared.filter(isRecord))).values()
  return prepared.map((one) => (isRecord(one) ? takenOf(outcomes.next().value) : one))
}

const isRecord = (prepared: CallRecord | Problem): prepared is CallRecord => 'row' in prepared

interface Circumstances {
  readonly source: string
  readonly owner: CallOwner | undefined
  readonly carrier: CallProvider | undefined
  readonly now: Seconds
}

function recordOf(
  reported: ReportedCall,
  { source, owner, carrier, now }: Circumstances,
): CallRecord | Problem {
  const problem = problemOf(reported.call, now)
  if (problem) return problem
  if (!owner) return { reason: 'nobody’s call', detail: `no account or device is ${whoSays(reported.call)}` }
  const row = { ...rowOf(reported, source, owner), ...chargedBy(carrier) }
  const { success, issues } = safeParse(storable, row)
  if (success) return { row, digest: digestOf(`${source}\0${reported.document}`) }
  const [{ path = [], message }] = issues
  return {
    reason: 'not of its format',
    detail: `${path.map(({ key }) => String(key)).join('.')}: ${message}`,
  }
}

const storable = rowSchema(callColumns)

function whoSays({ party: { accountCode, device, sipUser, ip } }: SwitchCall): string {
  const names = [...new Set([accountCode, device, sipUser, ip])].filter((name) => name !== '')
  return names.length === 0 ? 'named' : names.map((name) => JSON.stringify(name)).join(' or ')
}

function rowOf({ call, document }: ReportedCall, source: string, owner: CallOwner): CallRow {
  return {
    ...NOT_SAID,
    ...owner,
    uniqueid: uniqueIdOf(call.uniqueid, source, document),
    source,
    source_part: call.part === '' ? undefined : call.part,
    calldate: call.start,
    src: call.src,
    dst: call.dst,
    disposition: call.disposition,
    duration: call.duration,
    billsec: call.billsec,
    hangupcause: call.hangupcause,
  }
}

const NOT_SAID = {
  dst_user_id: undefined,
  dst_device_id: undefined,
  provider_id: undefined,
  user_rate: undefined,
  user_price: undefined,
  provider_rate: undefined,
  provider_price: undefined,
  reseller_price: undefined,
}

/** A carrier charges for what goes out to it; a call that comes in from it costs nothing there. */
function chargedBy(carrier: CallProvider | undefined): Partial<CallRow> {
  if (!carrier) return {}
  const { provider_id, way } = carrier
  return way === 'out' ? { provider_id } : { provider_id, provider_price: ZERO }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

function takenOf(outcome: Outcome | undefined): Taken {
  if (outcome === 'new' || outcome === 'changed') return 'stored'
  if (outcome === undefined || outcome === 'unchanged') return 'known'
  const { refused } = outcome
  return refused === ID_USED
    ? { reason: ID_USED, detail: 'it has another start or other numbers' }
    : { reason: 'not rated', detail: refused }
}
