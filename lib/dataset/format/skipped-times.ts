import { DAY_SECONDS, formatDateTime, momentAt, periodOfDay } from '#lib/domain/calendar.ts'
import { memoize } from '#lib/domain/collections.ts'
import type { Columns } from '#lib/store/columns.ts'
import type { RowEntry } from './row-format.ts'

/** A date and time without an offset. */
const LOCAL = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})$/

/** Counts rows with a time that the clocks of the zone never showed, because they were put forward. */
export function createSkippedTimes(columns: Columns, zone: string) {
  const names = Object.keys(columns).filter((name) => columns[name]?.moment === 'date-time')
  const isShortDay = memoize((day: string) => {
    const { from, till } = periodOfDay(day, zone)
    return till - from + 1 < DAY_SECONDS
  })
  const isSkipped = (cell: string): boolean => {
    const [, day = '', time = ''] = LOCAL.exec(cell) ?? []
    if (day === '' || !isShortDay(day)) return false
    const moment = momentAt(day, time, zone)
    return moment !== undefined && formatDateTime(moment, zone) !== `${day} ${time}`
  }
  let [count, example] = [0, '']
  return {
    add: (entries: readonly Pick<RowEntry<unknown>, 'cells'>[]): void => {
      for (const { cells } of entries) {
        const skipped = names.map((name) => cells[name] ?? '').find(isSkipped)
        if (skipped === undefined) continue
        count += 1
        example ||= skipped
      }
    },
    remarks: (): string[] => (count === 0 ? [] : [sentence(count, example, zone)]),
  }
}

const sentence = (count: number, example: string, zone: string): string =>
  `warning: ${count} rows have a time that ${zone} skipped when clocks went forward, such as ${example}: they are read as an hour later`
