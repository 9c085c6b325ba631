import { testPlainBalance } from '#test/plain-balances.ts'
import { method } from './user_balance_get_by_username.ts'

testPlainBalance(method, {
  own: 'bobs-phone',
  operators: 'operators-phone',
  unknown: '1001',
  words: {
    disabled: 'Feature disabled',
    no_user: 'User was not found',
    wait: 'Please wait 10 seconds before trying again',
  },
})
