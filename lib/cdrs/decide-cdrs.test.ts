import { expect, test } from 'vitest'
import { readPayer } from '#lib/accounts/limits.ts'
import type { Day } from '#lib/base/calendar.ts'
import type { Call } from '#lib/calls/call.ts'
import type { Rate } from '#lib/rates/rating.ts'
import { readTariff } from '#lib/rates/tariff.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { anyTimeRate } from '#test/examples/tariffs.ts'
import { BOBS_CDR, version } from '#test/mediation/versions.ts'
import { type CorrectionBook, decideCdrs } from './decide-cdrs.ts'
import type { Cdr, Problem } from './formats/cdr.ts'
import type { CdrVersion } from './mediation.ts'

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
 * A rate book without a table, for Bob: a minute costs 6, the first 10 seconds being billed in full. Numbers
 * that begin with 9 have no rate, and those that begin with 8 are blocked.
 */
const plainBook = (change: Partial<CorrectionBook> = {}): CorrectionBook => ({
  settings: readSettings({}),
  accounts: async () => new Map([ADMIN, BOB].map((one) => [one.id, one])),
  internal: new Set(),
  provider: async () => undefined,
  digitRules: async () => [],
  device: async () => undefined,
  tariff: async () => ({ tariff: TARIFF, exchangeRate: '1' }),
  rate: async (_, { digits }) => rateOf(digits),
  history: async () => ({ switches: [], versions: [] }),
  isInvoiced: async () => false,
  noteUnknownMargin: () => {},
  noteOldestVersion: () => {},
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
  return readPayer({ id, username, usertype, ...names, ...others, version: 1 })
}

const UNANSWERED = { billsec: 0, disposition: 'NO ANSWER', hangupcause: 19 }

const NOBODY: Problem = { reason: 'unknown_account', detail: 'it names no account and no device' }

async function decided(input: readonly CdrVersion[], before?: Call, change = {}) {
  const call = { identity: { uniqueid: 'u1', calldate: 0 }, input, before }
  const decision = await decideCdrs(plainBook(change), call)
  const outcomes = input.map((one) => decision.outcomes.get(one))
  return {
    outcomes: outcomes.map((outcome) => (typeof outcome === 'object' ? outcome.reason : outcome)),
    details: outcomes.map((outcome) => (typeof outcome === 'object' ? outcome.detail : undefined)),
    after: decision.change?.after,
  }
}

/** The version from a switch whose ids name something else, or from suspense. */
const sourced = (change: Partial<CdrVersion>, one: CdrVersion = version()): CdrVersion => ({
  ...one,
  ...change,
})

/** The version that came first at this place in the order of suspense, and is mediated again. */
const retried = (arrival: string, one: CdrVersion): CdrVersion => sourced({ arrival, isRetried: true }, one)

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
  [
    'an attempt before the answer',
    [version(UNANSWERED), version()],
    ['stored', 'corrected'],
    { billsec: 60, disposition: 'ANSWERED' },
  ],
  [
    'an attempt after the answer',
    [version(UNANSWERED), version(), version({ ...UNANSWERED, duration: 71 })],
    ['stored', 'corrected', 'already_answered'],
    { billsec: 60, disposition: 'ANSWERED' },
  ],
  [
    'an attempt of a channel after the answer',
    [sourced({ idNames: 'channel' }), sourced({ idNames: 'channel' }, version(UNANSWERED))],
    ['stored', 'skipped'],
    { billsec: 60 },
  ],
  [
    'an attempt after an answer of no length',
    [version({ billsec: 0 }), version(UNANSWERED)],
    ['stored', 'already_answered'],
    { disposition: 'ANSWERED' },
  ],
  [
    'an attempt after a length without an answer',
    [version({ disposition: 'NO ANSWER' }), version(UNANSWERED)],
    ['stored', 'already_answered'],
    { billsec: 60 },
  ],
  [
    'an attempt after an answer that cannot be rated',
    [version({ dst: '999999' }), version({ ...UNANSWERED, dst: '999999' })],
    ['unknown_rate', 'stored'],
    { billsec: 0, disposition: 'NO ANSWER' },
  ],
  [
    'two attempts after an answer that cannot be rated',
    [
      version({ dst: '999999' }),
      version({ ...UNANSWERED, dst: '999999' }),
      version({ ...UNANSWERED, dst: '999999', duration: 71 }),
    ],
    ['unknown_rate', 'stored', 'corrected'],
    { duration: 71 },
  ],
])('%s', async (_case, came, outcomes, after) => {
  expect(await decided(came)).toMatchObject({ outcomes, after })
})

test.each<[string, CdrVersion, string, object | undefined]>([
  ['the same CDR is a duplicate', version(), 'duplicate', undefined],
  ['it stays one without its account', version({}, NOBODY), 'duplicate', undefined],
  ['another length is a correction', version({ billsec: 61 }), 'corrected', { billsec: 61, version: 2 }],
  ['another number is another call', version({ dst: '12025550172' }), 'id_used', undefined],
  [
    'a length is not a correction without a rate',
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
  expect(await decided(versions, before)).toMatchObject({
    outcomes: ['duplicate', 'duplicate'],
    after: undefined,
  })
})

test('a call remembers the contents of its last eight versions', async () => {
  const lengths = Array.from({ length: 10 }, (_, index) => version({ billsec: 60 + index }))
  const before = await storedCall(...lengths.slice(0, 9))
  const contents = lengths.map(({ content }) => content)

  expect(before.cdr_digests).toBe(contents.slice(1, 9).join(' '))
  const { after } = await decided(lengths.slice(9), before)
  expect(after?.cdr_digests).toBe(contents.slice(2).join(' '))
  const earlier = retried('177313320000#000', version({ billsec: 20 }))
  const arrived = { ...before, digest: '177313320000#001' }
  expect((await decided([earlier], arrived)).after?.cdr_digests).toBe(contents.slice(1, 9).join(' '))
})

test.each<[string, Partial<CdrVersion>, Partial<Cdr>, unknown]>([
  ['an attempt contradicts it', {}, UNANSWERED, 'already_answered'],
  ['an attempt of its channel tells nothing', { idNames: 'channel' }, UNANSWERED, 'skipped'],
  ['another start is another call', {}, { start: BOBS_CDR.start + 1 }, 'id_used'],
  ['another caller is another call', {}, { src: '37060000002' }, 'id_used'],
  [
    'another start in its dialog is a correction',
    { idNames: 'dialog' },
    { start: BOBS_CDR.start + 1 },
    'corrected',
  ],
])('to a stored answered call: %s', async (_case, change, cdr, outcome) => {
  const came = sourced(change, version(cdr))
  expect((await decided([came], await storedCall(version()))).outcomes).toEqual([outcome])
})

test('a CDR with the identity of a linked call is a correction, although its start is another', async () => {
  const came = { ...version({ start: BOBS_CDR.start + 1 }), isOfLinkedCall: true }
  expect(await decided([came], await storedCall(version()))).toMatchObject({ outcomes: ['corrected'] })
})

test("a call is stored with its CDR's place in the order of arrivals, without leading zeros", async () => {
  const came = retried('177313320000#000.000000000000012', version())
  expect((await storedCall(came)).digest).toBe('177313320000#000.12')
  expect((await storedCall(version())).digest).toBe(version().content)
})

/** A call whose CDR came at a place, and a retried CDR of another length from another place. */
test.each<[string, string, string, 'duplicate' | 'corrected']>([
  ['an earlier second', '177313320001#000', '177313320000#999', 'duplicate'],
  ['a later second', '177313320000#999', '177313320001#000', 'corrected'],
  ['an earlier CDR of its document', '177313320000#000.10', '177313320000#000.000000000000009', 'duplicate'],
  ['a later CDR of its document', '177313320000#000.9', '177313320000#000.000000000000010', 'corrected'],
  ['the first CDR of its document', '177313320000#000.1', '177313320000#000', 'duplicate'],
  ['the second CDR of its document', '177313320000#000', '177313320000#000.000000000000001', 'corrected'],
  ['the same place', '177313320000#000', '177313320000#000', 'corrected'],
  ['an earlier second than a row of a dataset', 'a'.repeat(24), '177313320000#000', 'corrected'],
  [
    'an earlier second than what only begins like a place',
    '177313320001#0000',
    '177313320000#000',
    'corrected',
  ],
  [
    'an earlier second than what only ends like a place',
    '9177313320001#000',
    '177313320000#000',
    'corrected',
  ],
])('a retried CDR from %s', async (_case, digest, arrival, outcome) => {
  const before = { ...(await storedCall(version())), digest }
  const came = retried(arrival, version({ billsec: 61 }))
  const { outcomes, after } = await decided([came], before)

  expect(outcomes).toEqual([outcome])
  expect(after).toMatchObject({
    version: 2,
    billsec: outcome === 'duplicate' ? 60 : 61,
    cdr_digests:
      outcome === 'duplicate'
        ? `${came.content} ${version().content}`
        : `${version().content} ${came.content}`,
  })
})

test('only a retried CDR of the same call and the same answer counts as an earlier version', async () => {
  const before = { ...(await storedCall(version())), digest: '177313320001#000' }
  const attempt = { ...(await storedCall(version(UNANSWERED))), digest: '177313320001#000' }
  const arrival = '177313320000#000'
  const longer = version({ billsec: 61 })

  expect(await decided([sourced({ arrival }, longer)], before)).toMatchObject({ outcomes: ['corrected'] })
  expect(await decided([sourced({ isRetried: true }, longer)], before)).toMatchObject({
    outcomes: ['corrected'],
  })
  expect(await decided([retried(arrival, longer)], attempt)).toMatchObject({ outcomes: ['corrected'] })
  const otherStart = sourced({ idNames: 'dialog' }, version({ start: BOBS_CDR.start + 1 }))
  expect(await decided([retried(arrival, otherStart)], before)).toMatchObject({ outcomes: ['corrected'] })
})

test('earlier versions beside a correction are remembered before the others, each once', async () => {
  const before = { ...(await storedCall(version())), digest: '177313320001#000' }
  const earlier = retried('177313320000#000', version({ billsec: 59 }))
  const again = retried('177313320000#001', version({ billsec: 59 }))
  const correction = retried('177313320002#000', version({ billsec: 61 }))
  const contents = [earlier, version(), correction].map(({ content }) => content)

  expect(await decided([earlier, again, correction], before)).toMatchObject({
    outcomes: ['duplicate', 'duplicate', 'corrected'],
    after: { billsec: 61, version: 2, cdr_digests: contents.join(' ') },
  })
  expect(await decided([earlier, version()], before)).toMatchObject({
    outcomes: ['duplicate', 'duplicate'],
    after: { billsec: 60, version: 2, cdr_digests: contents.slice(0, 2).join(' ') },
  })
})

test('a call of a dataset, which has no digests, is compared by its columns', async () => {
  const before = { ...(await storedCall(version())), cdr_digests: undefined }

  expect(await decided([version()], before)).toMatchObject({ outcomes: ['duplicate'], after: undefined })
  for (const change of [
    { duration: 71 },
    { billsec: 61 },
    { hangupcause: 17 },
    { disposition: 'FAILED' as const },
  ])
    expect(await decided([version(change)], before)).toMatchObject({
      outcomes: ['corrected'],
      after: { cdr_digests: version(change).content },
    })
})

test('a dialog cannot take its call from an archived day', async () => {
  const before = await storedCall(version())
  const dayBefore = sourced({ idNames: 'dialog' }, version({ start: BOBS_CDR.start - 86_400 }))
  const outcomesWith = async (archivedBefore: Day) =>
    (await decided([dayBefore], before, { settings: { ...readSettings({}), archivedBefore } })).outcomes

  expect(await outcomesWith('2026-03-10')).toEqual(['corrected'])
  expect(await outcomesWith('2026-03-11')).toEqual(['id_used'])
})

test('a correction of an invoiced call, or of one that came with its price, is refused', async () => {
  const before = await storedCall(version())
  const longer = [version({ billsec: 61 })]

  expect(await decided(longer, before, { isInvoiced: async () => true })).toMatchObject({
    outcomes: ['invoiced'],
  })
  const isNewInvoiced = async ({ version: ofCall }: Call) => ofCall === 2
  expect(await decided(longer, before, { isInvoiced: isNewInvoiced })).toMatchObject({
    outcomes: ['invoiced'],
  })
  expect(await decided(longer, { ...before, rated: '' })).toMatchObject({ outcomes: ['came_priced'] })
})

test('an internal call stays one in a correction, although its number is no longer an extension', async () => {
  const { after: before } = await decided([version()], undefined, { internal: new Set([BOBS_CDR.dst]) })

  expect(before).toMatchObject({ rated: 'internal', user_price: '0' })
  expect(await decided([version({ billsec: 61 })], before)).toMatchObject({ after: { rated: 'internal' } })
})

test('a correction without a rate is refused before its invoices are looked up', async () => {
  const before = { ...(await storedCall(version())), dst: '999999' }
  const isInvoiced = async (call: Call) => call.billsec > 1000

  expect(await decided([version({ billsec: 61, dst: '999999' })], before, { isInvoiced })).toMatchObject({
    outcomes: ['unknown_rate'],
  })
})

test('a refusal says why', async () => {
  const before = await storedCall(version())
  const longer = [version({ billsec: 61 })]
  const dayBefore = [sourced({ idNames: 'dialog' }, version({ start: BOBS_CDR.start - 86_400 }))]
  const archived = { ...readSettings({}), archivedBefore: '2026-03-11' }
  const refused = [
    await decided([version({ dst: '12025550172' })], before),
    await decided([version(UNANSWERED)], before),
    await decided(longer, { ...before, rated: '' }),
    await decided(longer, before, { isInvoiced: async () => true }),
    await decided(dayBefore, before, { settings: archived }),
  ]

  expect(refused.flatMap(({ details }) => details)).toEqual([
    'id used by another call: the stored one has another start or other numbers',
    'this CDR says that the call was not answered, and an earlier one that it was',
    'the stored call came with its prices',
    'its day 2026-03-10 is on an invoice of a payer',
    'id used by another call: the stored one is archived under another day',
  ])
})
