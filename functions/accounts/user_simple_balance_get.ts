import { keyOfUniquehash } from '#lib/accounts/whole-account.ts'
import { defineMethod } from '#lib/api/method.ts'
import { answerPlainBalance, PLAIN_BALANCE } from '#lib/api/plain-balance.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import type { Store } from '#lib/table/store.ts'

export const method = defineMethod(
  {
    name: 'user_simple_balance_get',
    aliases: ['simple_balance'],
    summary: 'The balance of the account with a uniquehash, as plain text.',
    ...PLAIN_BALANCE,
  },
  (request) => answerPlainBalance(request, findAccountOfHash),
)

export const handler = lambda(method)

async function findAccountOfHash(store: Store, uniquehash: string): Promise<number | undefined> {
  const holder = uniquehash === '' ? undefined : await store.get(keyOfUniquehash(uniquehash))
  return holder && Number(holder['id'])
}
