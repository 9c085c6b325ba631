import { dayListKeys } from '#lib/store/calls/day-list.ts'
import { listKeysOf, readKept } from '#lib/store/calls/day-record.ts'
import type { Item } from '#lib/store/items.ts'
import { keyIn } from '#lib/store/keys.ts'
import { present, type Rule } from './statement.ts'

/** A record that is kept under its id, such as an internal call: every list that shows it has it. */
export const keptRecordRule: Rule = (item) => {
  const kept = readKept(item)
  const { PK } = keyIn(item)
  const day = dayListKeys.day(kept.at)
  return [
    ...listKeysOf(kept).map((key) => present(key, `${PK} is missing from the list ${key.PK}.`)),
    ...kept.lists.map((list) => ({ of: keptIn(dayListKeys.of(list, day)), adds: 1 })),
  ]
}

/** The copy in a list: as many as there are records that name the list. */
export const listedRecordRule =
  (check: (item: Item) => object): Rule =>
  (item) => {
    check(item)
    const { PK } = keyIn(item)
    return [
      { of: keptIn(PK), says: 1 },
      { of: recordsIn(PK), adds: 1 },
    ]
  }

const DAYS = '#DAYS'

/** How many records a list has on a day. */
export const dayCounterRule: Rule = (item) => {
  const { PK, SK } = keyIn(item)
  return [{ of: recordsIn(dayListKeys.of(PK.slice(0, -DAYS.length), SK)), says: Number(item['records']) }]
}

const keptIn = (list: string): string => `records listed in ${list}`
const recordsIn = (list: string): string => `records counted in ${list}`
