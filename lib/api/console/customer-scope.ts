import { asOf } from '#lib/accounts/account-history.ts'
import { findPayer, type PayerAccount } from '#lib/accounts/limits.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { seesAccount } from '#lib/base/scope.ts'
import { unknownThing } from './refusals.ts'
import type { ConsoleRequest } from './resource.ts'

/** The account of an id. A hidden account is refused in the same words as a missing one. */
export async function visibleCustomer(
  { store, caller, clock }: Pick<ConsoleRequest, 'store' | 'caller' | 'clock'>,
  id: number,
): Promise<PayerAccount> {
  const account = await findPayer(store, id)
  if (!account || !seesAccount(caller, account)) throw unknownThing('customer', id)
  return asOf(account, secondsOf(clock()))
}
