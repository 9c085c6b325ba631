import * as v from 'valibot'
import { type Day, monthOf, type Period } from '#lib/base/calendar.ts'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import type { Scope } from '#lib/base/scope.ts'
import { type CallLists, isListedByMonth, PARTS_OF_DAY, partOfId, partsOfDay } from '#lib/base/shards.ts'
import {
  addedLater,
  type Column,
  dateTime,
  flag,
  id,
  integer,
  money,
  optional,
  optionalId,
  type Row,
  requiredText,
  textLike,
} from '#lib/table/columns.ts'
import { readMany } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { betweenMoments, isUnder, type Key, keyForm, listedIn, momentText } from '#lib/table/keys.ts'
import { pack, unpacker } from '#lib/table/packed-row.ts'
import type { Query } from '#lib/table/requests/query.ts'
import type { Store } from '#lib/table/store.ts'
import { ROW } from '#lib/table/table.ts'

/** Limits a price's digits: a hundred million prices add up within DynamoDB's 38 digits. */
export const isPrice = (amount: string): boolean => /^-?\d{1,15}(\.\d{1,15})?$/.test(amount)

const price: Column<string | undefined> = optional({
  ...money(),
  describes: 'decimal number of at most 15 digits before and 15 after the point',
  schema: v.pipe(v.string(), v.check(isPrice)),
})

const count: Column<number> = {
  ...integer(0),
  describes: 'whole number from 0',
  schema: v.pipe(integer(0).schema, v.minValue(0)),
}

const phoneNumber = textLike('at most 80 characters', /^.{0,80}$/s, '')

const UNIQUE_ID = /^[!-~]{1,150}$/

/** True for a call that the customer received. Its price is the charge for receiving it. */
const incoming = flag(false)

const columnsOfCdr = {
  uniqueid: textLike('1 to 150 visible ASCII characters', UNIQUE_ID),
  calldate: dateTime,
  src: phoneNumber,
  dst: phoneNumber,
  disposition: textLike('at most 40 characters', /^.{0,40}$/s, ''),
  duration: count,
  billsec: count,
  hangupcause: integer(0),
  user_id: id,
  device_id: optionalId,
  dst_user_id: optionalId,
  dst_device_id: optionalId,
  provider_id: optionalId,
  user_rate: price,
  user_price: price,
  provider_rate: price,
  provider_price: price,
  reseller_price: price,
  /** The name of the switch; absent for calls without a named switch. */
  source: optional(textLike('letters, digits, - and _, at most 40', /^[\w-]{1,40}$/)),
  /** Tells apart the CDRs that the switch writes under one id. */
  source_part: optional(textLike('at most 300 characters', /^.{1,300}$/s)),
  /** Digests of its CDRs' contents, newest last. A CDR with one of them is a duplicate, not a correction. */
  cdr_digests: optional(textLike('up to 8 digests of 22 characters', /^[\w-]{22}( [\w-]{22}){0,7}$/)),
}

const originsDecided = textLike('at most 83 characters', /^.{1,83}$/s)

const otherNumbers = {
  /** The dialled text, if `dst` is the number that the carrier was called with. */
  dialled_dst: optional(phoneNumber),
  /** The number that a known carrier was called with, if the CDR has it. */
  carrier_dst: optional(phoneNumber),
  /** The digits that the call is rated by, if `dst` does not have them. */
  rated_dst: optional(phoneNumber),
  /** The caller's number as the carrier was shown it, if it is not `src`. */
  carrier_src: optional(phoneNumber),
  /** The origin of the caller that decided what the customer pays (wire.md 7.7). */
  origin: optional(originsDecided),
  /** The origin of the caller that decided what the carrier charges. */
  provider_origin: optional(originsDecided),
}

export const callColumns = { ...columnsOfCdr, incoming, ...otherNumbers }

/** A call as a switch or a dataset brings it. */
export type CallRow = Row<typeof callColumns>

export const BLANK_CALL = {
  device_id: undefined,
  dst_user_id: undefined,
  dst_device_id: undefined,
  provider_id: undefined,
  user_rate: undefined,
  user_price: undefined,
  provider_rate: undefined,
  provider_price: undefined,
  reseller_price: undefined,
  source: undefined,
  source_part: undefined,
  cdr_digests: undefined,
  incoming: false,
  dialled_dst: undefined,
  carrier_dst: undefined,
  rated_dst: undefined,
  carrier_src: undefined,
  origin: undefined,
  provider_origin: undefined,
} as const satisfies Partial<CallRow>

const words = textLike(
  'words with blanks between them',
  /^(user|reseller|provider|internal|incoming|feature_code|short_number)( (user|reseller|provider))*$/,
  '',
)

export const storedCallColumns = {
  ...columnsOfCdr,
  /** The customer's owner when the call was stored, even if the customer moves later. */
  owner_id: id,
  /** That owner was admin. */
  direct: flag(false),
  /** `YYYY-MM-DD` in the installation's zone. */
  day: requiredText,
  /** The digest of a dataset's row. A call of a CDR has the CDR's place in the order of arrivals instead. */
  digest: requiredText,
  /** The prices that were rated here. All others came with the call. */
  rated: words,
  /** Goes up with every change. A write names the version that was read. */
  version: integer(),
  incoming,
  /** Its prices are charged to its payers' balances: its day is not before Balance_From (wire.md 7.5). */
  charged: addedLater(optional(flag(false)), undefined),
  dialled_dst: addedLater(otherNumbers.dialled_dst, undefined),
  carrier_dst: addedLater(otherNumbers.carrier_dst, undefined),
  rated_dst: addedLater(otherNumbers.rated_dst, undefined),
  /**
   * When its holds were requested, in milliseconds, or `-` without one. It may release no other hold. Absent
   * for calls stored before this column existed, and for calls that could have none.
   */
  held_at: addedLater(optional(textLike('moments', /^(-|\d+( \d+)*)$/)), undefined),
  carrier_src: addedLater(otherNumbers.carrier_src, undefined),
  origin: addedLater(otherNumbers.origin, undefined),
  provider_origin: addedLater(otherNumbers.provider_origin, undefined),
}

export type Call = Row<typeof storedCallColumns>

export const readCall = unpacker(storedCallColumns)

/** The version is also an attribute of its own, which the conditions of writes name. */
export const itemOfCall = (call: Call, lists: CallLists) => ({
  ...keysOfCall(call, lists),
  [ROW]: pack(storedCallColumns, call),
  version: call.version,
})

/** The called number as reports look it up: the one that the call was rated by. */
export const ratedText = ({ dst, rated_dst }: Pick<Call, 'dst' | 'rated_dst'>): string =>
  rated_dst === undefined ? dst : `+${rated_dst}`

/** Calls by unique id; listed by day and time, in GSI1 for their customer and in GSI2 for the owner. */
export const callKeys = {
  withoutSwitch: keyForm('CALL#<uniqueid>', 'CALL'),
  ofSwitch: keyForm('CALL#<uniqueid>', 'CALL#<source>#<source_part>'),
  item: ({ uniqueid, source, source_part = '' }: CallIdentity): Key =>
    source === undefined
      ? callKeys.withoutSwitch(uniqueid)
      : callKeys.ofSwitch(uniqueid, source, source_part),
  ofMonth: keyForm('CALLS#USER#<user_id>#MONTH#<month>', '<day>#<moment>#<uniqueid>'),
  /** A customer's day in a table, or on a day, without lists of months. */
  ofUser: keyForm('CALLS#USER#<user_id>#<day>', '<moment>#<uniqueid>'),
  /** A further partition of a wholesale customer's day. */
  ofUserPart: keyForm('CALLS#USER#<user_id>#<day>#<part>', '<moment>#<uniqueid>'),
  ofOwner: keyForm('CALLS#OWNER#<owner_id>#<day>#<shard>', '<moment>#<uniqueid>'),
}

/** A text that identifies a call. It is unambiguous because a unique id has no blanks. */
export const identityName = (identity: CallIdentity): string => {
  const { PK, SK } = callKeys.item(identity)
  return `${PK} ${SK}`
}

const isOfSwitch = isUnder(callKeys.ofSwitch)
const isWithoutSwitch = isUnder(callKeys.withoutSwitch)

export const isCall = (item: Item): boolean => isWithoutSwitch(item) || isOfSwitch(item)

/** The lists of a day ascend by time, then unique id. */
export const sortKeyOfCall = ({ user_id, day, calldate, uniqueid }: Call): string =>
  callKeys.ofUser(user_id, day, momentText(calldate), uniqueid).SK

/** An owner's day is spread over four partitions, so that each takes a quarter of the writes. */
const SHARDS_OF_OWNER = PARTS_OF_DAY

/** One of the partitions of an owner's days. */
export interface OwnerShard {
  readonly owner_id: number
  readonly shard: number
}

/**
 * By customer: a small owner's few customers use few partitions, and a list queries no others. A wholesale
 * customer uses all.
 */
export const ownerShardOf = (call: PlacedCall, lists: CallLists): OwnerShard => ({
  owner_id: call.owner_id,
  shard: (call.user_id + partOfCall(call, lists)) % SHARDS_OF_OWNER,
})

/** The columns that decide the partitions of a call. */
export type PlacedCall = Pick<Call, 'owner_id' | 'user_id' | 'day' | 'uniqueid'>

/** The partition of the customer's day, from 0. */
const partOfCall = ({ user_id, day, uniqueid }: PlacedCall, lists: CallLists): number =>
  partOfId(uniqueid, partsOfDay(lists, user_id, day))

export function keysOfCall(call: Call, lists: CallLists): Key & Item {
  const part = partOfCall(call, lists)
  const ofDay = part === 0 ? callKeys.ofUser : callKeys.ofUserPart
  const form = isListedByMonth(lists, call.user_id, call.day) ? callKeys.ofMonth : ofDay
  const [moment, month] = [momentText(call.calldate), monthOf(call.day)]
  const values = { ...call, ...ownerShardOf(call, lists), part, moment, month }
  return {
    ...callKeys.item(call),
    ...listedIn('GSI1', form.of(values)),
    ...listedIn('GSI2', callKeys.ofOwner.of(values)),
  }
}

/** In the order of the identities. */
export const findCalls = (store: Store, identities: readonly CallIdentity[]): Promise<(Call | undefined)[]> =>
  readMany(store, identities.map(callKeys.item), readCall)

/** The calls of a unique id, of all switches, in time order. */
export async function listCallsWithId(store: Store, uniqueid: string): Promise<Call[]> {
  if (!UNIQUE_ID.test(uniqueid)) return []
  const items = await store.list({ partition: callKeys.withoutSwitch.partition(uniqueid), rowOnly: true })
  return items.map(readCall).sort((one, other) => one.calldate - other.calldate)
}

export async function listCallsOfSwitch(store: Store, source: string, uniqueid: string): Promise<Call[]> {
  const items = await store.list({ ...callKeys.ofSwitch.range(uniqueid, source), rowOnly: true })
  return items.map(readCall)
}

/** The queries for the calls of a customer on one day, each in time order. */
export function callsOfUserOn(lists: CallLists, user: number, day: Day, { from, till }: Period): Query[] {
  const [first, last] = betweenMoments(from, till)
  if (isListedByMonth(lists, user, day)) return [inMonth(user, day, [`${day}#${first}`, `${day}#${last}`])]
  return Array.from({ length: partsOfDay(lists, user, day) }, (_, part) => ({
    index: 'GSI1',
    partition:
      part === 0 ? callKeys.ofUser.partition(user, day) : callKeys.ofUserPart.partition(user, day, part),
    between: [first, last],
    rowOnly: true,
  }))
}

const inMonth = (user: number, day: Day, between: readonly [from: string, to: string]): Query => ({
  index: 'GSI1',
  partition: callKeys.ofMonth.partition(user, monthOf(day)),
  between,
  rowOnly: true,
})

/** The calls of a customer that began in a period of one day, in time order within a partition. */
export async function listCallsOfUserOn(
  store: Store,
  { user, day, period }: { readonly user: number; readonly day: Day; readonly period: Period },
  lists: CallLists,
): Promise<Call[]> {
  const found = callsOfUserOn(lists, user, day, period).map((query) => store.list(query))
  return (await Promise.all(found)).flat().map(readCall)
}

/** The partitions of an owner's days. */
const shardsOfOwner = (ownerId: number): OwnerShard[] =>
  Array.from({ length: SHARDS_OF_OWNER }, (_, shard) => ({ owner_id: ownerId, shard }))

/** The queries for the calls of these partitions on one day, each in time order. */
export const callsOfOwnersOn = (shards: readonly OwnerShard[], day: Day, { from, till }: Period): Query[] =>
  shards.map(({ owner_id, shard }) => ({
    index: 'GSI2',
    partition: callKeys.ofOwner.partition(owner_id, day, shard),
    between: betweenMoments(from, till),
    rowOnly: true,
  }))

/** The lists of a scope's calls on a day: everyone's by owners with calls, a customer's by their parts. */
export function callsOfScopeOn(
  scope: Scope,
  day: Day,
  period: Period,
  { owners = [], lists }: { readonly owners?: readonly OwnerShard[] | undefined; readonly lists: CallLists },
): Query[] {
  if (scope === 'everyone') return callsOfOwnersOn(owners, day, period)
  return 'user' in scope
    ? callsOfUserOn(lists, scope.user, day, period)
    : callsOfOwnersOn(shardsOfOwner(scope.owner), day, period)
}
