import { expect, test } from 'vitest'
import type { Rate } from '#lib/domain/rates/rating.ts'
import { readSettings } from '#lib/domain/settings.ts'
import type { RateBook } from '#lib/rating/rate-book.ts'
import { readCaller } from '#lib/store/accounts/account.ts'
import { BLANK_CALL, type Call, type CallRow } from '#lib/store/calls/call.ts'
import { readTariff } from '#lib/store/rates/tariff.ts'
import { anyTimeRate } from '#test/examples/tariffs.ts'
import { type CdrVersion, decideCdrs } from './decide-cdrs.ts'
import type { Cdr, Problem } from './formats/cdr.ts'
import { contentDigest } from './mediation.ts'

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
const plainBook = (change: Partial<RateBook> = {}): RateBook => ({
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

const CARRIER = { names: [], addresses: [], channels: [] }

const CDR: Cdr = {
  uniqueid: 'u1',
  part: '',
  start: Date.UTC(2026, 2, 10, 9) / 1000,
  src: '37060000001',
  dst: '12025550171',
  duration: 70,
  billsec: 60,
  disposition: 'ANSWERED',
  hangupcause: 16,
  channel: '',
  party: { accountCode: 'bob', device: '', sipUser: '', did: '', ip: '' },
  provider: { out: CARRIER, in: CARRIER },
}

const NOBODY: Problem = { reason: 'unknown_account', detail: 'it names no account and no device' }

function version(change: Partial<Cdr> = {}, resolved: Partial<CallRow> | Problem = {}): CdrVersion {
  const cdr = { ...CDR, ...change }
  const { start: calldate, src, dst, duration, billsec, disposition, hangupcause } = cdr
  const columns = { calldate, src, dst, duration, billsec, disposition, hangupcause }
  const row: CallRow = { ...BLANK_CALL, uniqueid: 'u1', source: 'gw', user_id: 0, ...columns }
  return {
    sourced: { source: 'gw', cdr, idNames: 'call' },
    content: contentDigest(cdr),
    row,
    resolved: 'reason' in resolved ? resolved : { ...row, user_id: 10, ...resolved },
  }
}

async function decided(came: readonly CdrVersion[], before?: Call, change = {}) {
  const decision = await decideCdrs(plainBook(change), {
    identity: { uniqueid: 'u1', calldate: 0 },
    came,
    before,
  })
  const outcomes = came.map((one) => decision.outcomes.get(one))
  return {
    outcomes: outcomes.map((outcome) => (typeof outcome === 'object' ? outcome.reason : outcome)),
    after: decision.change?.after,
  }
}

/** The call that these versions make. */
async function storedCall(...came: readonly CdrVersion[]): Promise<Call> {
  const { after } = await decided(came)
  if (!after) throw new Error('No version was stored')
  return after
}

test.each<[string, readonly CdrVersion[], readonly unknown[], object | undefined]>([
  ['one CDR', [version()], ['stored'], { billsec: 60, user_price: '6', rated: 'user', version: 1 }],
  ['two equal CDRs', [version(), version()], ['stored', 'duplicate'], { billsec: 60 }],
  [
    'three versions of a call',
    [version(), version({ billsec: 61 }), version({ billsec: 62 })],
    ['stored', 'corrected', 'corrected'],
    { billsec: 62, version: 1 },
  ],
  [
    'versions of which the last has no account',
    [version(), version({ billsec: 61 }, NOBODY)],
    ['stored', 'unknown_account'],
    { billsec: 60 },
  ],
  [
    'two calls under one id',
    [version(), version({ dst: '12025550172' })],
    ['stored', 'id_used'],
    { dst: '12025550171' },
  ],
  [
    'two calls, of which the first cannot be rated',
    [version({ dst: '999999' }), version()],
    ['unknown_rate', 'stored'],
    { dst: '12025550171' },
  ],
  ['a blocked destination', [version({ dst: '888888' })], ['blocked_destination'], undefined],
])('%s', async (_case, came, outcomes, after) => {
  expect(await decided(came)).toMatchObject({ outcomes, after })
})

test.each<[string, CdrVersion, string, object | undefined]>([
  ['the same CDR is a duplicate', version(), 'duplicate', undefined],
  ['it stays one without its account', version({}, NOBODY), 'duplicate', undefined],
  ['another length is a correction', version({ billsec: 61 }), 'corrected', { billsec: 61, version: 2 }],
  ['another number is another call', version({ dst: '12025550172' }), 'id_used', undefined],
  [
    'a length is no correction without a rate',
    version({ billsec: 61 }, NOBODY),
    'unknown_account',
    undefined,
  ],
])('to a stored call: %s', async (_case, came, outcome, after) => {
  expect(await decided([came], await storedCall(version()))).toMatchObject({ outcomes: [outcome], after })
})

test('a call remembers the contents of all of its versions', async () => {
  const versions = [version(), version({ billsec: 61 })]
  const before = await storedCall(...versions)

  expect(before.cdr_digests).toBe(versions.map(({ content }) => content).join(' '))
  expect(await decided(versions, before)).toEqual({ outcomes: ['duplicate', 'duplicate'], after: undefined })
})

test('a correction of an invoiced call, or of one that came with its price, is refused', async () => {
  const before = await storedCall(version())
  const longer = [version({ billsec: 61 })]

  expect(await decided(longer, before, { isInvoiced: async () => true })).toMatchObject({
    outcomes: ['invoiced'],
  })
  expect(await decided(longer, { ...before, rated: '' })).toMatchObject({ outcomes: ['came_priced'] })
})

test('an internal call stays one in a correction, although its number is no extension any more', async () => {
  const { after: before } = await decided([version()], undefined, { internal: new Set([CDR.dst]) })

  expect(before).toMatchObject({ rated: 'internal', user_price: '0' })
  expect(await decided([version({ billsec: 61 })], before)).toMatchObject({ after: { rated: 'internal' } })
})
