import { randomInt } from 'node:crypto'
import { scopeKindOf } from '#lib/domain/accounts/scope.ts'
import { chargesOf } from '#lib/domain/billing/balance.ts'
import type { CallIdentity } from '#lib/domain/calls/call-identity.ts'
import { negative, tallyOf } from '#lib/domain/calls/statistics.ts'
import { isZero, subtract, ZERO } from '#lib/domain/money.ts'
import { chargedInBalance } from '#lib/store/billing/balance-item.ts'
import { is, present } from '#lib/store/requests/changes.ts'
import { hasWritten } from '#lib/store/requests/retries.ts'
import { type Call, callKeys } from './call.ts'
import { countedInStats } from './call-stats.ts'
import { type CallTable, scopesOf } from './call-storage.ts'

/**
 * Removes a call with its counters and charges, because another stored call stands for it. Returns false, and changes
 * nothing, if that one is gone or the call has changed: of two calls that stand for each other, one stays.
 */
export function removeRepeatedCall(
  { store, settings }: CallTable,
  call: Call,
  standing: CallIdentity,
): Promise<boolean> {
  const turn = randomInt(1024)
  const counters = scopesOf(call).map((scope) =>
    countedInStats(
      { scope, day: call.day, tally: negative(tallyOf(call, scopeKindOf(scope))) },
      turn,
      settings.shards,
    ),
  )
  const charges = chargesOf(call).filter(([, price]) => !isZero(price))
  return hasWritten(
    store.transact([
      { remove: callKeys.item(call), when: { version: is(call.version) } },
      { check: callKeys.item(standing), when: { PK: present } },
      ...counters,
      ...charges.map(([account, price]) => chargedInBalance(account, subtract(ZERO, price), turn)),
    ]),
  )
}
