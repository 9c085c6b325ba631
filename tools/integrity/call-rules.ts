import type { Day } from '#lib/base/calendar.ts'
import { type Scope, scopeKindOf } from '#lib/base/scope.ts'
import { archivedDayKey } from '#lib/calls/archived-day.ts'
import { type Call, callKeys, keysOfCall, type OwnerShard, ownerShardOf } from '#lib/calls/call.ts'
import { scopesOf } from '#lib/calls/counted-change.ts'
import { callStatsKeys, readFurther, readTally } from '#lib/calls/counters/call-stats.ts'
import { busyNamesKey, dayGroupsKey, hourGroupsKey } from '#lib/calls/counters/day-groups.ts'
import { ownerOfDayKey } from '#lib/calls/counters/owners-of-days.ts'
import { furtherSumsOf, type Sums, type Tally, tallyOf } from '#lib/calls/counters/statistics.ts'
import { dayListKeys, dayOfUtc } from '#lib/calls/day-list.ts'
import { listKeysOf, readKept } from '#lib/calls/day-record.ts'
import { activeCallKeys, isListedCall, readStored } from '#lib/calls/live/active-call-stored.ts'
import { localCallKeys } from '#lib/calls/local-call.ts'
import { queueLogKeys } from '#lib/calls/queue-log.ts'
import { hasFurtherSums, isArchivedDay } from '#lib/calls/retention.ts'
import { id, integer, rowReader } from '#lib/table/columns.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, inList, type KeyValues, keyIn, keyReader } from '#lib/table/keys.ts'
import { table } from '#lib/table/table.ts'
import { expectCharges } from './balance-rules.ts'
import { checkCall, checkListedCall, checkQueueLogEntry } from './checked-rows.ts'
import {
  alone,
  type Circumstances,
  type Expectation,
  expectItem,
  expectPlaces,
  type FormRule,
  type Rule,
  under,
} from './expectation.ts'

/** An item of a call that is in the archive, too, and only waits for DynamoDB to remove it. */
export const isLeaving = (item: Item): boolean => table.timeToLive in item

/** The account of a call exists. The call is listed, and counted for its account, its owner and everyone. */
const callRule: Rule = (item, circumstances) => {
  const call = checkCall(item)
  const subject = `Call ${call.uniqueid}`
  const { settings } = circumstances
  const { PK: _, SK: __, ...places } = keysOfCall(call, settings)
  return [
    expectItem(
      accountKey(call.user_id),
      `${subject} belongs to account ${call.user_id}, which does not exist.`,
    ),
    ...expectPlaces(item, places, subject),
    ...expectSameVersion(item, call),
    ...(isCounted(item, call, circumstances) ? addsToDay(sumsOfCall(call, circumstances), call.day) : []),
    ...expectCharges(call, circumstances, isCounted(item, call, circumstances)),
    {
      needs: ownerOn(call.day, ownerShardOf(call, settings)),
      otherwise: `The calls of owner ${call.owner_id} on ${call.day} are missing from the owners of that day.`,
    },
  ]
}

/** The packed row has the version, and so has an attribute of its own, which conditions of writes name. */
const expectSameVersion = ({ version }: Item, call: Call): Expectation[] =>
  version === call.version
    ? []
    : [{ wrong: `Call ${call.uniqueid} has version ${call.version} in its row and ${version} beside it.` }]

/** A call that leaves the table counts in the archive. Without the bucket, archived days do not count. */
const isCounted = (item: Item, { day }: Call, { settings, bucket }: Circumstances): boolean =>
  !isArchivedDay(day, settings) || (bucket !== undefined && !isLeaving(item))

/** The amounts that some calls add to the counters of their day. */
export const addsToDay = (sums: readonly (readonly [Scope, Sums])[], day: Day): Expectation[] =>
  sums.flatMap(([scope, ofScope]) =>
    totalsOfDay(ofScope, callStatsKeys.of(scope), day).map(([total, adds]) => ({ total, adds })),
  )

/** The further sums of a day are counted until it is archived: manifests do not have them. */
const countsFurther = (day: Day, { settings }: Circumstances): boolean =>
  hasFurtherSums(day, settings) && !isArchivedDay(day, settings)

const sumsOfCall = (call: Call, circumstances: Circumstances): (readonly [Scope, Sums])[] =>
  talliesOfCall(call).map(([scope, tally]) => [
    scope,
    { ...tally, ...(countsFurther(call.day, circumstances) && furtherSumsOf(call, scopeKindOf(scope))) },
  ])

const talliesOfCall = (call: Call): readonly [Scope, Tally][] =>
  scopesOf(call).map((scope) => [scope, tallyOf(call, scopeKindOf(scope))] as const)

/** One part of the counters of a day. */
const callStatsRule: Rule = (item, circumstances) => {
  const { settings, bucket } = circumstances
  const { list = '', day = '' } = readStatsKey(item) ?? {}
  if (isArchivedDay(day, settings) && !bucket) return []
  const { changes: _, ...further } = readFurther(item)
  const sums = { ...readTally(item), ...(countsFurther(day, circumstances) && further) }
  return totalsOfDay(sums, list, day).map(([total, counts]) => ({ total, counts }))
}

const readStatsKey = keyReader(callStatsKeys.item)

/** A partition of an owner that has calls on a day. */
const ownerOfDayRule: Rule<KeyValues<typeof ownerOfDayKey>> = (_item, _circumstances, values) => [
  { gives: ownerOn(values.day, { owner_id: Number(values.owner), shard: Number(values.shard) }) },
]

const ownerOn = (day: string, { owner_id, shard }: OwnerShard): string =>
  `owner ${owner_id} on ${day} in part ${shard}`

/** The totals that the counters of a day have, by name. */
const totalsOfDay = (sums: Sums, partition: string, day: string) =>
  Object.entries(sums).map(
    ([name, amount]) => [`${name} in ${partition} on ${day}`, amount as string | number] as const,
  )

const readExpiry = rowReader({ id, expires_at: integer() })

/** A started call in progress is listed for everyone, with a second item if its parties have two places. */
const activeCallRule: Rule = (item, { now }) => {
  if (readExpiry(item).expires_at <= now) return []
  const { places, said, ended } = readStored(item)
  const isListed = !ended && said.start_time !== undefined
  const misplaced = isListed === isListedCall(item) ? [] : [{ wrong: `${item['PK']} is in a wrong list.` }]
  return [...misplaced, secondItem(Number(said.id), places.length === 2)]
}

const secondItem = (callId: number, exists: boolean): Expectation => ({
  at: activeCallKeys.second(callId),
  finds: (item) => (item !== undefined) === exists,
  otherwise: `Call ${callId} in progress has ${exists ? 'no' : 'a'} second item.`,
})

/** The call of a second item exists and has two places. */
const secondPartyRule: Rule = (item, { now }) => {
  const { id: callId, expires_at } = readExpiry(item)
  if (expires_at <= now) return []
  return [
    {
      at: activeCallKeys.item(callId),
      finds: (call) => call !== undefined && readStored(call).places.length === 2,
      otherwise: `The second item of call ${callId} in progress belongs to no call of two parties.`,
    },
  ]
}

// Internal calls and the queue log, which are listed by day

/** Every list that a record names has a copy of it. */
const keptRecordRule: Rule = (item) => {
  const kept = readKept(item)
  const { PK } = keyIn(item)
  const day = dayOfUtc(kept.at)
  return [
    ...listKeysOf(kept).map((key) => expectItem(key, `${PK} is missing from the list ${key.PK}.`)),
    ...kept.lists.map((list) => ({ total: recordsListed(dayListKeys.record.partition(list, day)), adds: 1 })),
  ]
}

/** A list has as many copies as there are records that name it. */
const listedRecordRule =
  (check: (item: Item) => object): Rule =>
  (item) => {
    check(item)
    const { PK } = keyIn(item)
    return [
      { total: recordsListed(PK), counts: 1 },
      { total: recordsCounted(PK), adds: 1 },
    ]
  }

const dayCounterRule: Rule = (item) => {
  const { list = '', day = '' } = readCounterKey(item) ?? {}
  const partition = dayListKeys.record.partition(list, day)
  return [{ total: recordsCounted(partition), counts: Number(item['records']) }]
}

const readCounterKey = keyReader(dayListKeys.counter)

const recordsListed = (partition: string): string => `records listed in ${partition}`
const recordsCounted = (partition: string): string => `records counted in ${partition}`

const LOCAL_CALL_LISTS = [localCallKeys.lists.user.text, localCallKeys.lists.owner.text]

export const rulesOfCalls: readonly FormRule[] = [
  ...alone(archivedDayKey, dayGroupsKey, busyNamesKey, hourGroupsKey),
  under(callKeys.withoutSwitch, callRule),
  under(callKeys.ofSwitch, callRule),
  ...Object.values(callStatsKeys.lists).map(({ text }) =>
    under(inList(callStatsKeys.item, text), callStatsRule),
  ),
  under(ownerOfDayKey, ownerOfDayRule),
  under(activeCallKeys.item, activeCallRule),
  under(activeCallKeys.second, secondPartyRule),
  under(localCallKeys.item, keptRecordRule),
  under(queueLogKeys.item, keptRecordRule),
  ...[...LOCAL_CALL_LISTS, queueLogKeys.all].map((list) =>
    under(inList(dayListKeys.counter, list), dayCounterRule),
  ),
  ...LOCAL_CALL_LISTS.map((list) =>
    under(inList(dayListKeys.record, list), listedRecordRule(checkListedCall)),
  ),
  under(inList(dayListKeys.record, queueLogKeys.all), listedRecordRule(checkQueueLogEntry)),
]
