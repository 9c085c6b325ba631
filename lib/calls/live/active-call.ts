import { DAY_SECONDS, type Seconds } from '#lib/base/calendar.ts'
import { namesIn } from '#lib/base/collections.ts'
import { dateTime, id, optional, optionalId, type Row, text } from '#lib/table/columns.ts'

export const activeCallColumns = {
  id,
  start_time: dateTime,
  /** Blank while it rings. */
  answer_time: optional(dateTime),
  src: text(),
  user_id: optionalId,
  device_id: optionalId,
  localized_dst: text(),
  dst_user_id: optionalId,
  dst_device_id: optionalId,
  destination_name: text(),
  provider_name: text(),
  channel: text(),
}

export type ActiveCall = Row<typeof activeCallColumns>

/** The columns of a call that a message fills. */
export type Said = { readonly [C in keyof ActiveCall]?: Exclude<ActiveCall[C], undefined> }

/** The columns that are not blank. */
export const saidIn = (columns: Partial<ActiveCall>): Said =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined && value !== ''))

export interface CallEvent {
  readonly kind: 'started' | 'answered' | 'ended'
  readonly id: number
  readonly said: Said
  /** When it reached us. */
  readonly at: Seconds
}

/**
 * The state of a call after its events so far. A call that has ended is remembered, so that a `started` that
 * comes late does not put it into the list again.
 */
export interface KnownCall {
  readonly said: Said
  readonly ended: boolean
}

/** A call whose end never comes leaves the list after 24 hours (wire.md active_calls_get). */
export const LONGEST_CALL_SECONDS = DAY_SECONDS

/** The tolerated clock difference to a switch. Two starts within it are the same one. */
export const CLOCKS_APART_SECONDS = 300

/**
 * Events may come in any order and repeatedly; the same events give the same result. `ended` is final. A
 * start clearly later is another call under the same id (a switch whose ids start over), a clearly earlier
 * one belongs to the previous call. Returns `known` itself when the event adds nothing.
 */
export function afterEvent(known: KnownCall | undefined, event: CallEvent): KnownCall {
  const age = known ? startsApart(known, event) : LATER
  if (!known || age > CLOCKS_APART_SECONDS) return added({}, event)
  if (known.ended || age < -CLOCKS_APART_SECONDS) return known
  const after = added(known.said, event)
  return isSame(known, after) ? known : after
}

const LATER = Number.POSITIVE_INFINITY

/** Seconds from the start that is known to the one the event names; 0 when either names none. */
const startsApart = ({ said: { start_time } }: KnownCall, event: CallEvent): number =>
  start_time === undefined ? 0 : (event.said.start_time ?? start_time) - start_time

function added(said: Said, event: CallEvent): KnownCall {
  if (event.kind === 'ended') return { said: endedCall(said, event), ended: true }
  const startCameLast = event.kind === 'started' && said.answer_time !== undefined
  const both = startCameLast ? { ...event.said, ...said } : { ...said, ...event.said }
  return { said: { ...both, ...earliestAnswer(said, event) }, ended: false }
}

/** Only the start of an ended call matters. If no event has it, the time of the end is taken. */
const endedCall = (said: Said, event: CallEvent): Said => ({
  id: event.id,
  start_time: event.said.start_time ?? said.start_time ?? event.at,
})

/** An `answered` that does not say when was answered when it came. */
function earliestAnswer(
  said: Said,
  { kind, said: { answer_time }, at }: CallEvent,
): Pick<Said, 'answer_time'> {
  const named = answer_time ?? (kind === 'answered' ? at : undefined)
  const answers = [said.answer_time, named].filter((answer) => answer !== undefined)
  return answers.length > 0 ? { answer_time: Math.min(...answers) } : {}
}

function isSame(one: KnownCall, other: KnownCall): boolean {
  const columns = namesIn({ ...one.said, ...other.said })
  return one.ended === other.ended && columns.every((column) => one.said[column] === other.said[column])
}

/** A call older than 24 hours is hidden in any state (wire.md active_calls_get). */
export const hasLeft = (start: Seconds, now: Seconds): boolean => start < now - LONGEST_CALL_SECONDS

/** `HH:MM:SS`; a switch whose clock is ahead of ours counts from 0. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  return [whole / 3600, (whole / 60) % 60, whole % 60]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':')
}
