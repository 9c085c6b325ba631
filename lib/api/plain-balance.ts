import type { AccountType } from '#lib/base/account-types.ts'
import { findBalance } from '#lib/billing/balance.ts'
import type { Store } from '#lib/table/store.ts'
import { printedBalance, showsBalances } from './balances.ts'
import { balanceCounter, countedWork } from './login.ts'
import type { RequestTo } from './method.ts'
import { textParam } from './parameters.ts'

/** Methods that print one account's balance as plain text, unsigned (wire.md user_simple_balance_get). */
export const PLAIN_BALANCE = {
  callers: 'public',
  params: { id: textParam, currency: textParam },
  inPath: 'id',
  hashOrders: [],
  errors: {
    disabled: 'Feature disabled',
    wait: 'Please wait 10 seconds before trying again',
    no_user: 'User was not found',
  },
  envelope: 'plain',
  access: 'write',
  loads: balanceCounter,
} as const

const OPERATORS: readonly AccountType[] = ['admin', 'accountant']

type PlainBalanceRequest = RequestTo<
  typeof PLAIN_BALANCE & { readonly name: string; readonly summary: string }
>

/**
 * Answers with the balance of the account that the parameter `id` leads to, but not with the operator's. Each
 * request counts for its address, whether the name exists or not.
 */
export async function answerPlainBalance(
  request: PlainBalanceRequest,
  findAccountId: (store: Store, id: string) => Promise<number | undefined>,
): Promise<string> {
  const { params, settings, store, refuse } = request
  if (!showsBalances(settings) || !settings.Balances_Without_Signature) throw refuse('disabled')
  const balance = await countedWork(request, async () => {
    const accountId = await findAccountId(store, params.id?.trim() ?? '')
    const found = accountId === undefined ? undefined : await findBalance(store, accountId)
    if (!found || OPERATORS.includes(found.account.usertype)) throw refuse('no_user')
    return printedBalance(request, found, params.currency)
  })
  if (balance === 'wait') throw refuse('wait')
  return balance.amount
}
