import { kindOf, type Scope } from '#lib/domain/accounts/scope.ts'
import { type Tally, tallyOf } from '#lib/domain/calls/statistics.ts'
import { type Call, checkCall, keysOfCall } from '#lib/store/calls/call.ts'
import { callStatsKeys, ownersIn, readTally } from '#lib/store/calls/call-stats.ts'
import { scopesOf } from '#lib/store/calls/call-storage.ts'
import type { Item } from '#lib/store/items.ts'
import { accountKey, keyIn } from '#lib/store/keys.ts'
import { listed, present, type Rule, type Statement } from './statement.ts'

/** A call: its customer is there, it stands in its lists, and is counted for its customer, its owner and everyone. */
export const callRule: Rule = (item) => {
  const call = checkCall(item)
  const subject = `Call ${call.uniqueid}`
  const { PK: _, SK: __, ...index } = keysOfCall(call)
  return [
    present(accountKey(call.user_id), `${subject} is account ${call.user_id}'s, which is not there.`),
    ...listed(item, index, subject),
    ...sameVersion(item, call),
    ...scopesOf(call).flatMap((scope) => counted(call, scope)),
    {
      needs: ownerOn(call.day, call.owner_id),
      otherwise: `The calls of owner ${call.owner_id} on ${call.day} are not among everyone's.`,
    },
  ]
}

/** Conditions of writes name the version beside the row. */
const sameVersion = ({ version }: Item, call: Call): Statement[] =>
  version === call.version
    ? []
    : [{ wrong: `Call ${call.uniqueid} has version ${call.version} in its row and ${version} beside it.` }]

const counted = (call: Call, scope: Scope): Statement[] =>
  measures(tallyOf(call, kindOf(scope)), { list: callStatsKeys.of(scope), day: call.day }).map(
    ([of, adds]) => ({
      of,
      adds,
    }),
  )

/** A counter of a day: its part of what the calls come to. */
export const callStatsRule: Rule = (item) => {
  const { PK, SK } = keyIn(item)
  const day = callStatsKeys.dayIn(SK)
  return [
    ...measures(readTally(item), { list: PK, day }).map(([of, says]) => ({ of, says })),
    ...[...ownersIn(item)].map((owner) => ({ gives: ownerOn(day, owner) })),
  ]
}

const ownerOn = (day: string, ownerId: number): string => `owner ${ownerId} on ${day}`

const measures = (tally: Tally, { list, day }: { readonly list: string; readonly day: string }) =>
  Object.entries(tally).map(
    ([name, amount]) => [`${name} in ${list} on ${day}`, amount as string | number] as const,
  )
