import type { Seconds } from '#lib/domain/calendar.ts'
import type { Clock } from './clock.ts'
import { DocumentRefused } from './record.ts'

/** What a record says about its times, each in the switch's own words and blank where it says nothing. */
export interface TimeTexts {
  readonly start: string
  readonly answer: string
  readonly end: string
  readonly duration: string
  readonly billsec: string
}

export interface Times {
  readonly start: Seconds
  readonly duration: number
  readonly billsec: number
  readonly isAnswered: boolean
}

/**
 * When a call began and how long it took. Seconds that are not said follow from the moments, and only then are the other
 * moments read; where nothing tells how long it took, that is as long as is billed. Throws DocumentRefused when there is no start, or when something is not a time or a number of seconds.
 */
export function timesOf(texts: TimeTexts, clock: Clock): Times {
  const start = clock(texts.start)
  if (start === undefined) throw new DocumentRefused('impossible time', 'it has no start')
  const billsec = secondsIn('billsec', texts.billsec) ?? between(clock(texts.answer), clock(texts.end)) ?? 0
  const duration = secondsIn('duration', texts.duration) ?? between(start, clock(texts.end)) ?? billsec
  return { start, duration, billsec, isAnswered: billsec > 0 || isMoment(texts.answer) }
}

function between(from: Seconds | undefined, till: Seconds | undefined): number | undefined {
  if (from === undefined || till === undefined) return undefined
  if (till < from) throw new DocumentRefused('impossible time', 'it ends before it begins')
  return till - from
}

const isMoment = (text: string): boolean => /[1-9]/.test(text)

/** A whole number of seconds; a second that has begun counts. */
function secondsIn(name: string, text: string): number | undefined {
  if (text === '') return undefined
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text))
  throw new DocumentRefused('not of its format', `${name} ${JSON.stringify(text)} is not a number of seconds`)
}
