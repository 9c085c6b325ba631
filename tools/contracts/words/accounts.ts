import { DEVICE_TYPES } from '#lib/domain/devices/device.ts'
import type { MethodWords, ParameterWords } from './words.ts'

const note = (says: string, example: string): ParameterWords => ({ says, example })

export const accountWords: MethodWords = {
  users_get: {
    p: {
      says: 'The password of the caller. A wrong one counts as a failed login.',
      required: 'without uniquehash',
      example: 'demo-northwind',
    },
    uniquehash: {
      says: 'The uniquehash of the caller, as user_login answers it. It is read when p is blank.',
      required: 'without p',
      example: 'a3f1c0',
    },
  },
  user_details_get: {
    user_id: { says: 'The account, by its id.', required: 'or username', example: '20' },
    username: {
      says: 'The account, by its username. With user_id, both have to name one account.',
      required: 'or user_id',
      example: 'nw_bakery',
    },
  },
  user_register: {
    email: {
      says: 'The email address. No other account has it.',
      required: true,
      example: 'jane@example.com',
    },
    id: {
      says: 'The uniquehash of the owner: an admin, reseller or partner.',
      default: 'the owner is admin',
      example: '421ce4e1b54d4a9af04b767cd953621c',
    },
    lcr_id: note('An LCR of the owner, by its id. It is checked and not stored.', '3'),
    device_type: {
      says: 'The type of the device, in upper or lower case.',
      required: true,
      values: DEVICE_TYPES,
      example: 'SIP',
    },
    username: {
      says: 'The name to log in with. No other account has it.',
      required: true,
      example: 'jane',
    },
    first_name: note('The first name. If it is sent, it must not be blank.', 'Jane'),
    last_name: note('The last name. If it is sent, it must not be blank.', 'Doe'),
    caller_id: {
      says: 'The caller identity of the device: a number of digits and dots, or a name.',
      default: 'none',
      example: '12025550199',
    },
    state: note('The state of the address.', 'Texas'),
    device_location_id: note('The location of the device, by its id: one of the owner.', '1'),
    password: {
      says: 'The password of the account, with at least as many characters as the settings say.',
      required: true,
      example: 'Lighthouse-7',
    },
    password2: { says: 'The same password again.', required: true, example: 'Lighthouse-7' },
    country_id: {
      says: 'The number of a country, from 1: stored as it is.',
      required: true,
      example: '80',
    },
    mob_phone: note('A mobile phone.', '447700900123'),
    phone: note('A phone.', '441632960123'),
    fax: note('A fax.', '441632960124'),
    client_id: note("The customer's number in your own books.", 'C-7'),
    vat_number: note('The VAT number.', 'GB123'),
    county: note('The county of the address.', 'Cornwall'),
    city: note('The city of the address.', 'Penzance'),
    postcode: note('The postcode of the address.', 'TR18 2AB'),
    address: note('The street of the address.', '1 Quarry Lane'),
  },
}
