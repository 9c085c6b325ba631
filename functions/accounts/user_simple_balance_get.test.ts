import { testPlainBalance } from '#test/plain-balances.ts'
import { method } from './user_simple_balance_get.ts'

testPlainBalance(method, {
  own: 'hash-of-bob',
  operators: 'hash-of-admin',
  unknown: 'hash-of-nobody',
  words: {
    disabled: 'Feature disabled',
    no_user: 'User was not found',
    wait: 'Please wait 10 seconds before trying again',
  },
})
