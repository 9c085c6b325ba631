import { OWN_CURRENCY, printedBalance, showsBalances } from '#lib/api/balances.ts'
import { accountByName } from '#lib/api/loads.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import type { Actor } from '#lib/base/account-types.ts'
import { seesAccount } from '#lib/base/scope.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { element } from '#lib/xml/element.ts'

const contract = defineContract({
  name: 'user_balance_get',
  aliases: ['balance'],
  summary: 'The balance of an account.',
  callers: 'signed',
  params: { u: textParam, username: textParam, currency: textParam, user_currency: textParam },
  hashOrders: [{ signs: ['username', 'currency'] }],
  errors: { disabled: 'Feature disabled', no_user: 'User was not found' },
  envelope: 'rootStatus',
  access: 'read',
  loads: { named: accountByName('username') },
})

export const method = defineMethod(contract, async (request) => {
  const { params, settings, store, loaded, refuse } = request
  if (!showsBalances(settings)) throw refuse('disabled')
  const isVisible = loaded.named && maySee(request, loaded.named)
  const found = isVisible ? await findBalance(store, loaded.named.id) : undefined
  if (!found) throw refuse('no_user')
  const isOwn = params.user_currency?.trim() === '1'
  const { amount, currency } = await printedBalance(request, found, isOwn ? OWN_CURRENCY : params.currency)
  return [element('balance', amount), isOwn ? element('currency', currency) : undefined]
})

export const handler = lambda(method)

/** Without `u` the key speaks for the installation. */
function maySee({ params, namedAccount }: RequestTo<typeof contract>, account: Actor): boolean {
  if (params.u === undefined) return true
  return namedAccount !== undefined && !namedAccount.blocked && seesAccount(namedAccount, account)
}
