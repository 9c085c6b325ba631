import { DAY_SECONDS, secondsOf } from '#lib/base/calendar.ts'
import { CommandError } from '../machine/terminal.ts'

/** Refuses a document that equals a stored one: a command whose answer is lost is run again. */
export async function refuseRepeated<T>(
  stored: AsyncIterable<readonly T[]>,
  isEqual: (one: T) => boolean,
  nameOf: (one: T) => string,
): Promise<void> {
  for await (const page of stored) {
    const equal = page.find(isEqual)
    if (equal === undefined) continue
    throw new CommandError(`${nameOf(equal)} was recorded within a day: pass --again to record another one`)
  }
}

/** The last day, in Unix seconds. */
export const lastDay = (now: Date) => ({ from: secondsOf(now) - DAY_SECONDS + 1, till: secondsOf(now) })
