import {
  findByUniquehash,
  findWholeAccount,
  type WholeAccount,
  type WholeCaller,
} from '#lib/accounts/whole-account.ts'
import { ownsCustomers } from '#lib/base/account-types.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { isZero, moneyOf, ONE, ZERO } from '#lib/base/money.ts'
import { ADMIN_ACCOUNT, actsFor } from '#lib/base/scope.ts'
import { newDocumentId } from '#lib/billing/document.ts'
import { newPayment } from '#lib/billing/new-payment.ts'
import type { Payment } from '#lib/billing/payment.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { tariffKey } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

/** The account that a new customer belongs to. A customer of admin belongs to account 0. */
export interface CustomerOwner {
  readonly id: number
  readonly account: WholeAccount
}

/** The owner by uniquehash; blank is account 0. Undefined if the account can own no customers now. */
export async function findOwner(store: Store, uniquehash: string): Promise<CustomerOwner | undefined> {
  const account = await (uniquehash === ''
    ? findWholeAccount(store, ADMIN_ACCOUNT)
    : findByUniquehash(store, uniquehash))
  if (!account || account.blocked || !ownsCustomers(account)) return undefined
  return { id: actsFor(account) ?? account.id, account }
}

export type CustomerTerms = Pick<WholeCaller, 'tariff_id' | 'credit' | 'postpaid'>

/**
 * The tariff comes from the settings for admin's customers, otherwise from the owner, who also precedes them
 * for credit and kind of payment. Prepaid accounts have no credit. Undefined without a default tariff.
 */
export async function findTerms(
  store: Store,
  settings: Settings,
  { id, account }: CustomerOwner,
): Promise<CustomerTerms | undefined> {
  const tariff_id = id === ADMIN_ACCOUNT ? settings.Default_User_Tariff : account.default_tariff_id
  if (tariff_id === undefined || !(await store.get(tariffKey(tariff_id)))) return undefined
  const postpaid = account.default_postpaid ?? settings.Default_User_Postpaid
  const credit = account.default_credit ?? moneyOf(settings.Default_User_Credit) ?? ZERO
  return { tariff_id, postpaid, credit: postpaid ? credit : ZERO }
}

/** Books the balance that settings give a new customer; undefined for 0 (wire.md user_register). */
export function initialPayment(
  settings: Settings,
  { id: user_id }: Pick<WholeCaller, 'id'>,
  { now, lostRaces }: { readonly now: Date; readonly lostRaces: number },
): Payment | undefined {
  const amount = moneyOf(settings.Default_User_Balance) ?? ZERO
  if (isZero(amount)) return undefined
  const currency = settings.Default_Currency
  const said = {
    user_id,
    amount,
    currency,
    date: secondsOf(now),
    type: 'Initial balance',
    transaction_id: '',
    comments_for_user: '',
    completed: true,
  }
  const books = { settings, rates: new Map([[currency, ONE]]) }
  return newPayment(newDocumentId(now.getTime(), lostRaces), said, books)
}
