import type { Seconds } from '#lib/base/calendar.ts'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import { memoize, paired } from '#lib/base/collections.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { type Call, findCalls } from '#lib/calls/call.ts'
import { writingOf } from '#lib/settings/intake.ts'
import type { DialogEvent } from '../formats/cdr.ts'
import { partOf } from '../formats/dialog.ts'
import { isFormat } from '../formats/formats.ts'
import { parse } from '../formats/parse.ts'
import { type MediationContext, type PartOf, placeOfEvent, storableId, storablePart } from '../mediation.ts'
import { suspenseKeys } from '../suspense/suspense.ts'
import type { PendingEvent } from './dialog-event.ts'

/** A dialog event as in its document. The events of one dialog have the same digest and call. */
export type EventPart = PartOf<'dialog_event'> & {
  /** When it came, if it was pending. */
  readonly arrived?: Seconds
}

/** When an event came. One that is retried has waited since it happened. */
export const arrivalOf = ({ arrived, order, isRetried, found }: EventPart): Seconds =>
  arrived ?? (order === undefined || isRetried ? found.event.at : suspenseKeys.moment(order))

/** A digest of proxy, Call-ID and tags, in 40 hexadecimal digits. */
export const dialogDigest = (source: string, event: DialogEvent): string =>
  hexDigest(`${source}\0${event.callId} ${partOf(event)}`).slice(0, 40)

export const dialogOf = memoize(({ document, found }: EventPart): string =>
  dialogDigest(document.source, found.event),
)

/** The identity of the call that an event's dialog makes: call control gives its hold the same unique id. */
export function identityOfDialog({ document: { source }, found: { event } }: EventPart): CallIdentity {
  const uniqueid = storableId(event.callId, `id\0${event.callId}`)
  return { source, uniqueid, source_part: storablePart(partOf(event)) }
}

/** The identity that earlier releases gave a Call-ID that cannot be stored; `undefined` for another one. */
function earlierIdentityOfDialog(part: EventPart): CallIdentity | undefined {
  const identity = identityOfDialog(part)
  const uniqueid = storableId(part.found.event.callId, `${identity.source}\0${dialogOf(part)}`)
  return uniqueid === identity.uniqueid ? undefined : { ...identity, uniqueid }
}

/** The stored calls of dialogs, each of which is given by its events, by dialog. */
export async function storedCallsOf(
  { store }: MediationContext,
  dialogs: Iterable<readonly EventPart[]>,
): Promise<ReadonlyMap<string, Call | undefined>> {
  const parts = [...dialogs].flatMap(([first]) => first ?? [])
  const earlier = parts.map(earlierIdentityOfDialog)
  const [calls, earlierCalls] = await Promise.all([
    findCalls(store, parts.map(identityOfDialog)),
    findCalls(
      store,
      earlier.flatMap((identity) => identity ?? []),
    ),
  ])
  const left = earlierCalls[Symbol.iterator]()
  const ofEarlier = earlier.map((identity) => identity && left.next().value)
  return paired(
    parts.map(dialogOf),
    calls.map((call, index) => call ?? ofEarlier[index]),
  )
}

/**
 * Whether a stored call covers these events of its dialog. An answered call covers all. A refused one only
 * covers refused INVITEs: another INVITE of the dialog may be answered, even if its event comes later.
 */
export const covers = (call: Pick<Call, 'disposition'> | undefined, events: readonly EventPart[]): boolean =>
  call !== undefined &&
  (call.disposition === 'ANSWERED' || events.every(({ found }) => found.event.kind === 'failed'))

/** An event as the table keeps it until its call is stored. */
export const pendingOf = memoize((part: EventPart): PendingEvent => {
  const { text: _, ...document } = part.document
  const { event } = part.found
  return {
    ...document,
    document: part.text(),
    dialog: dialogOf(part),
    place: placeOfEvent(event),
    at: event.at,
    arrived: arrivalOf(part),
  }
})

/**
 * A pending event is parsed again from the text that the proxy reported. One that a later version of Tollgate
 * wrote may have an unknown format: it stays pending.
 */
export function eventPartsOf({ document: text, ...pending }: PendingEvent): EventPart[] {
  const { format, source, at, arrived = at } = pending
  if (!isFormat(format)) return []
  const document = { ...writingOf(pending), format, source, text }
  return [...parse(document)].flatMap(({ found }) =>
    found.kind === 'dialog_event' ? [{ document, found, text: () => text, arrived }] : [],
  )
}
