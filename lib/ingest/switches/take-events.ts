import { createHash } from 'node:crypto'
import pMap from 'p-map'
import * as v from 'valibot'
import type { Seconds } from '#lib/domain/calendar.ts'
import { CLOCKS_APART_SECONDS, type Said } from '#lib/domain/calls/active-call.ts'
import type { LiveEvent } from '#lib/intake/record.ts'
import { activeCallColumns, addCallEvent } from '#lib/store/calls/active-call.ts'
import { rowSchema } from '#lib/store/columns.ts'
import { type CallOwner, findOwners } from './call-owner.ts'
import type { IntakeWorld } from './intake-world.ts'
import type { Taken } from './take-calls.ts'

const CALLS_AT_ONCE = 16

/**
 * Adds events of one switch to the calls in progress. A call of nobody that is known is one that admin sees. Answers what
 * came of each.
 */
export async function takeEvents(
  world: IntakeWorld,
  source: string,
  events: readonly LiveEvent[],
): Promise<Taken[]> {
  const parties = events.map(({ party }) => party)
  const owners = await findOwners(world, parties)
  const takeOne = (event: LiveEvent, place: number) =>
    takeEvent(world, event, { source, owner: owners[place] })
  return pMap(events, takeOne, { concurrency: CALLS_AT_ONCE })
}

interface Circumstances {
  readonly source: string
  readonly owner: CallOwner | undefined
}

async function takeEvent(
  { store, now }: IntakeWorld,
  event: LiveEvent,
  circumstances: Circumstances,
): Promise<Taken> {
  if ((event.at ?? now) > now + CLOCKS_APART_SECONDS) {
    return { reason: 'impossible time', detail: 'it is in the future' }
  }
  const id = idOf(circumstances.source, event.uniqueid)
  const said = saidBy(event, { id, now, ...circumstances })
  const { success, issues } = v.safeParse(storable, said)
  if (!success) return { reason: 'not of its format', detail: issues[0].message }
  const outcome = await addCallEvent(store, { kind: event.tells, id, said, at: now })
  return outcome === 'written' ? 'stored' : 'known'
}

const storable = v.partial(rowSchema(activeCallColumns))

interface Identified extends Circumstances {
  readonly id: number
  readonly now: Seconds
}

/** The end of a call is all that its last event says. */
function saidBy({ tells, at, src, dst, channel }: LiveEvent, { id, owner, now }: Identified): Said {
  if (tells === 'ended') return {}
  const { user_id, device_id } = owner ?? {}
  const moment = tells === 'started' ? { start_time: at ?? now } : { answer_time: at ?? now }
  return filled({ id, ...moment, src, localized_dst: dst, channel, user_id, device_id })
}

const filled = (said: Readonly<Record<string, number | string | undefined>>): Said =>
  Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined && value !== ''))

const ID_DIGITS_OF_HEX = 12

/** Calls in progress are known by a number: one of 48 bits is made of what the switch calls the call. */
const idOf = (source: string, uniqueid: string): number =>
  Number.parseInt(
    createHash('sha256').update(`${source}\0${uniqueid}`).digest('hex').slice(0, ID_DIGITS_OF_HEX),
    16,
  )
