import { type MethodWords, requiredWords } from './words.ts'

export const rateWords: MethodWords = {
  rate_get: {
    prefix: requiredWords(
      'A number as it is dialled, or a prefix. Characters other than digits are skipped.',
      '+370 612 34567',
    ),
    username: {
      says: 'The account whose tariff is searched; a plain user always sees its own rate.',
      required: 'unless a plain user calls',
      example: 'nw_bakery',
    },
    src: {
      says: 'The number that calls: the rate of a tariff with origins is the one for this caller, as a sum.',
      default: 'a caller of no origin',
      example: '212612345678',
    },
  },
  tariff_rates_get: {
    user_id: { says: 'The account whose tariff is listed.', default: 'the caller', example: '20' },
    tariff_id: {
      says: 'The tariff; ignored if user_id is sent and is not 0.',
      default: 'the one assigned to the account',
      example: '3',
    },
    origins: {
      says: '1 lists the rates for origins of callers, too, with origin and adds.',
      default: 'the rates of every caller',
      example: '1',
    },
  },
  exchange_rate_update: {
    currency: requiredWords('A currency that is not on automatic updates.', 'EUR'),
    rate: requiredWords(
      'Units of it for one unit of the default currency: a positive decimal of at most 30 digits.',
      '0.9250',
    ),
  },
}
