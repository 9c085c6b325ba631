import pMap from 'p-map'
import * as v from 'valibot'
import type { Seconds } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { CLOCKS_APART_SECONDS, type Said, saidIn } from '#lib/calls/live/active-call.ts'
import { saidSchema } from '#lib/calls/live/active-call-stored.ts'
import { addCallEvent } from '#lib/calls/live/active-call-writing.ts'
import type { LiveEvent } from './formats/cdr.ts'
import { type MediationContext, type MediationOutcome, type PartOf, unstorable } from './mediation.ts'
import { type CallOwner, resolveAccounts } from './resolve.ts'

const CALLS_AT_ONCE = 16

type LivePart = PartOf<'live_event'>

/** Adds events to the calls in progress. A call whose account is unknown is visible to admin only. */
export async function trackCalls(
  mediation: MediationContext,
  parts: readonly LivePart[],
): Promise<Map<LivePart, MediationOutcome>> {
  const parties = parts.map(({ found }) => found.event.party)
  const accounts = await resolveAccounts(mediation, parties)
  const track = async (part: LivePart) =>
    [part, await trackCall(mediation, part, accounts.get(part.found.event.party))] as const
  return new Map(await pMap(parts, track, { concurrency: CALLS_AT_ONCE }))
}

async function trackCall(
  { store, settings, now }: MediationContext,
  { document, found: { event } }: LivePart,
  account: CallOwner | undefined,
): Promise<MediationOutcome> {
  if ((event.at ?? now) > now + CLOCKS_APART_SECONDS) {
    return { reason: 'impossible_time', detail: 'it is in the future' }
  }
  const id = idOf(document.source, event.uniqueid)
  const said = columnsOf(event, account, id, now)
  const { success, issues } = v.safeParse(saidSchema, said)
  if (!success) return unstorable(issues[0])
  const outcome = await addCallEvent(store, { kind: event.kind, id, said, at: now }, settings.shards)
  return outcome === 'written' ? 'stored' : 'duplicate'
}

/** The columns that an event gives. An end gives none: it only closes the call. */
function columnsOf(
  { kind, at, src, dst, channel }: LiveEvent,
  account: CallOwner | undefined,
  id: number,
  now: Seconds,
): Said {
  if (kind === 'ended') return {}
  const { user_id, device_id } = account?.isAmbiguous ? {} : (account ?? {})
  const moment = kind === 'started' ? { start_time: at ?? now } : { answer_time: at ?? now }
  return saidIn({ id, ...moment, src, localized_dst: dst, channel, user_id, device_id })
}

const ID_HEX_DIGITS = 12

/** The API identifies calls in progress by a number: 48 bits of a digest of switch and unique id. */
const idOf = (source: string, uniqueid: string): number =>
  Number.parseInt(hexDigest(`${source}\0${uniqueid}`).slice(0, ID_HEX_DIGITS), 16)
