import { formatDateTime, isMoment, timestampOf } from '#lib/base/calendar.ts'
import { isoMoment } from '#lib/base/iso-moment.ts'
import type { ParameterType } from './parameters.ts'

/** The format of timestamps in the description of the API, which the page reads. */
export const UNIX_TIME_FORMAT = 'unix-time'

export type Takes = Pick<ParameterType, 'kind' | 'words'>

/**
 * Why a method does not read a sent value, to follow a colon; `undefined` if it does. Dates are read in the
 * zone. The page of refused hashes, the explorer and commands share this rule.
 */
export function whyUnread({ kind, words }: Takes, sent: string, zone: string): string | undefined {
  const value = sent.trim()
  if (value === '') return undefined
  if (words) return words.includes(value.toLowerCase()) ? undefined : `it takes ${words.join(', ')}`
  if (kind === 'ignored') return 'it counts in the signature only'
  if (kind !== 'time' || timestampOf(value) !== undefined) return undefined
  return whyNoTimestamp(value, zone)
}

function whyNoTimestamp(value: string, zone: string): string {
  const date = isoMoment(value, zone)
  if (date !== undefined && isMoment(date))
    return `an ISO date; a timestamp is ${date} (${inZone(date, zone)})`
  const seconds = /^(\d{10})\d{3}$/.exec(value)?.[1]
  if (seconds !== undefined)
    return `milliseconds; a timestamp is ${seconds} (${inZone(Number(seconds), zone)})`
  return 'no Unix timestamp: the seconds since 1970, such as 1790812800'
}

const inZone = (moment: number, zone: string): string => `${formatDateTime(moment, zone)} ${zone}`
