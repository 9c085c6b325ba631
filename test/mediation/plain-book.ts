import type { Rate } from '#lib/domain/rates/rating.ts'
import { readSettings } from '#lib/domain/settings.ts'
import type { RateBook } from '#lib/rating/rate-book.ts'
import { readCaller } from '#lib/store/accounts/account.ts'
import { readTariff } from '#lib/store/rates/tariff.ts'
import { anyTimeRate } from '#test/examples/tariffs.ts'

const ADMIN = account(0, 'admin', 'admin')
const BOB = { ...account(10, 'bob', 'user'), tariff_id: 1 }

const TARIFF = readTariff({
  id: 1,
  version: 1,
  name: 'Retail',
  purpose: 'retail',
  currency: 'USD',
  owner_id: 0,
})

/**
 * A rate book without a table, for Bob: a minute costs 6, the first 10 seconds being billed in full. Numbers that begin
 * with 9 have no rate, and those that begin with 8 are blocked.
 */
export const plainBook = (change: Partial<RateBook> = {}): RateBook => ({
  settings: readSettings({}),
  accounts: async () => new Map([ADMIN, BOB].map((one) => [one.id, one])),
  internal: new Set(),
  provider: async () => undefined,
  tariff: async () => ({ tariff: TARIFF, exchangeRate: '1' }),
  rate: async (_, { digits }) => rateOf(digits),
  history: async () => ({ switches: [], versions: [] }),
  isInvoiced: async () => false,
  noteUnknownMargin: () => {},
  ...change,
})

function rateOf(digits: string): Rate | undefined {
  if (digits.startsWith('9')) return undefined
  return anyTimeRate({ prefix: digits.slice(0, 1), tariff_rate: digits.startsWith('8') ? '-1' : '6' })
}

function account(id: number, username: string, usertype: string) {
  const names = {
    first_name: '',
    last_name: '',
    currency: '',
    uniquehash: '',
    agreement_number: '',
    clientid: '',
  }
  const others = { owner_id: 0, blocked: false, permissions: '', password_hash: '' }
  return readCaller({ id, username, usertype, ...names, ...others })
}
