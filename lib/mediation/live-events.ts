import { createHash } from 'node:crypto'
import pMap from 'p-map'
import * as v from 'valibot'
import type { Seconds } from '#lib/domain/calendar.ts'
import { CLOCKS_APART_SECONDS, type Said } from '#lib/domain/calls/active-call.ts'
import { activeCallColumns, addCallEvent } from '#lib/store/calls/active-call.ts'
import { rowSchema } from '#lib/store/columns.ts'
import type { LiveEvent } from './formats/cdr.ts'
import type { Mediation, Outcome, PartOf } from './mediation.ts'
import { type CallOwner, resolveAccounts } from './resolve.ts'

const CALLS_AT_ONCE = 16

type LivePart = PartOf<'live_event'>

/** Adds events to the calls in progress. A call of an unknown account is one that admin sees. */
export async function trackCalls(
  mediation: Mediation,
  parts: readonly LivePart[],
): Promise<Map<LivePart, Outcome>> {
  const accounts = await resolveAccounts(
    mediation,
    parts.map(({ found }) => found.event.party),
  )
  const track = async (part: LivePart, place: number) =>
    [part, await trackCall(mediation, part, accounts[place])] as const
  return new Map(await pMap(parts, track, { concurrency: CALLS_AT_ONCE }))
}

async function trackCall(
  { store, now }: Mediation,
  { document, found: { event } }: LivePart,
  account: CallOwner | undefined,
): Promise<Outcome> {
  if ((event.at ?? now) > now + CLOCKS_APART_SECONDS) {
    return { reason: 'impossible_time', detail: 'it is in the future' }
  }
  const id = idOf(document.source, event.uniqueid)
  const said = saidBy(event, account, { id, now })
  const { success, issues } = v.safeParse(storable, said)
  if (!success) return { reason: 'unreadable', detail: issues[0].message }
  const outcome = await addCallEvent(store, { kind: event.tells, id, said, at: now })
  return outcome === 'written' ? 'stored' : 'duplicate'
}

const storable = v.partial(rowSchema(activeCallColumns))

/** The end of a call is all that its last event says. */
function saidBy(
  { tells, at, src, dst, channel }: LiveEvent,
  account: CallOwner | undefined,
  { id, now }: { readonly id: number; readonly now: Seconds },
): Said {
  if (tells === 'ended') return {}
  const { user_id, device_id } = account ?? {}
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
