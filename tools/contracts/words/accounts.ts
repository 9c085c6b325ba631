import { UNSUPPORTED_DETAILS } from '#lib/accounts/account-details.ts'
import { DEVICE_TYPES } from '#lib/devices/device.ts'
import { type MethodWords, optionalWords, type ParameterWords, requiredWords } from './words.ts'

const BALANCE_CURRENCY: ParameterWords = {
  says: "A code, or `USER` for the account's own currency; an unknown code is the default currency.",
  default: 'the default currency',
  example: 'EUR',
}

export const accountWords: MethodWords = {
  users_get: {
    p: {
      says: 'The password of the caller. A wrong one counts as a failed login.',
      required: 'without uniquehash',
      example: 'demo-northwind',
    },
    uniquehash: {
      says: 'The uniquehash of the caller, as user_login answers it. Read when p is blank.',
      required: 'without p',
      example: 'a3f1c0',
    },
  },
  user_details_get: {
    user_id: { says: 'The account.', required: 'without username', example: '20' },
    username: {
      says: 'The account, by its username. With user_id, both have to name one account.',
      required: 'without user_id',
      example: 'nw_bakery',
    },
  },
  user_balance_get: {
    u: {
      says: 'The username of the caller. Without it the key speaks for the installation.',
      default: 'every account may be named',
      example: 'admin',
    },
    username: requiredWords('The account, by its username.', 'carol'),
    currency: BALANCE_CURRENCY,
    user_currency: optionalWords(
      "1: answer in the account's own currency and name it; currency is then ignored.",
      '1',
    ),
  },
  user_balance_get_by_username: {
    id: requiredWords('The name of a device of the account. It may be the last part of the path.', '2010'),
    currency: BALANCE_CURRENCY,
  },
  user_simple_balance_get: {
    id: requiredWords(
      'The uniquehash of the account. It may be the last part of the path.',
      '2f5c08a41f5ba3c4612abdbdb4d3077a',
    ),
    currency: BALANCE_CURRENCY,
  },
  user_register: {
    email: requiredWords('The email address. No other account has it.', 'jane@example.com'),
    id: {
      says: 'The uniquehash of the owner: an admin, reseller or partner.',
      default: 'the owner is admin',
      example: '421ce4e1b54d4a9af04b767cd953621c',
    },
    lcr_id: optionalWords('An LCR of the owner. It is checked and not stored.', '3'),
    device_type: {
      says: 'The type of the device, in upper or lower case.',
      required: true,
      values: DEVICE_TYPES,
      example: 'SIP',
    },
    username: requiredWords('The name to log in with. No other account has it.', 'jane'),
    first_name: optionalWords('The first name. If it is sent, it must not be blank.', 'Jane'),
    last_name: optionalWords('The last name. If it is sent, it must not be blank.', 'Doe'),
    caller_id: {
      says: 'The caller identity of the device: a number of digits and dots, or a name.',
      default: 'none',
      example: '12025550199',
    },
    state: optionalWords('The state of the address.', 'Texas'),
    device_location_id: optionalWords('The location of the device: one of the owner.', '1'),
    password: requiredWords(
      'The password of the account, with at least as many characters as the settings say.',
      'Lighthouse-7',
    ),
    password2: requiredWords('The same password again.', 'Lighthouse-7'),
    country_id: requiredWords('The number of a country, from 1: stored as it is.', '80'),
    mob_phone: optionalWords('A mobile phone.', '447700900123'),
    phone: optionalWords('A phone.', '441632960123'),
    fax: optionalWords('A fax.', '441632960124'),
    client_id: optionalWords("The customer's number in your own books.", 'C-7'),
    vat_number: optionalWords('The VAT number.', 'GB123'),
    county: optionalWords('The county of the address.', 'Cornwall'),
    city: optionalWords('The city of the address.', 'Penzance'),
    postcode: optionalWords('The postcode of the address.', 'TR18 2AB'),
    address: optionalWords('The street of the address.', '1 Quarry Lane'),
  },
  user_details_update: {
    user_id: requiredWords('The account.', '20'),
    u0: optionalWords('The VAT number.', 'GB123'),
    u5: optionalWords("The tariff: one of the account's owner.", '3'),
    u9: optionalWords('The username. No other account has it.', 'nw_bakery'),
    u15: { says: 'Whether the account is blocked.', values: ['0', '1'], example: '1' },
    u17: optionalWords('The last name.', 'Bakery'),
    u19: optionalWords("The customer's number in your own books.", 'C-7'),
    u23: optionalWords('The first name.', 'Crumb & Crust'),
    u25: {
      says: '1: the account is postpaid; 0: prepaid, which also takes its credit away.',
      values: ['0', '1'],
      example: '1',
    },
    u27: optionalWords('The number of the agreement.', 'A-7'),
    u28: { says: 'Whether the account is hidden.', values: ['0', '1'], example: '0' },
    u18: optionalWords('The most calls at once; 0 or less is no limit.', '5'),
    u32: optionalWords(
      'The most that calls may cost in a day, in the default currency; 0 or less is no limit.',
      '50',
    ),
    u33: optionalWords('A comment.', 'Calls on weekdays'),
    ay: optionalWords('The year of the agreement; sent with am and ad.', '2026'),
    am: optionalWords('The month of the agreement.', '11'),
    ad: optionalWords('The day of the agreement.', '18'),
    pswd: optionalWords(
      'The new password, with at least as many characters as the settings say. It is stored as a digest.',
      'Lighthouse-7',
    ),
    credit: optionalWords(
      'How far below 0 the balance may go, in the default currency; -1 is unlimited. A prepaid account has 0.',
      '100',
    ),
    first_name: optionalWords('The first name, for clients that do not send u23.', 'Crumb & Crust'),
    last_name: optionalWords('The last name, for clients that do not send u17.', 'Bakery'),
    ...Object.fromEntries(
      UNSUPPORTED_DETAILS.map((name) => [name, optionalWords('Not stored: sent by clients in use.', '')]),
    ),
  },
}
