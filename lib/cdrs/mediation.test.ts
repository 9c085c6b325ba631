import { expect, test } from 'vitest'
import { BOBS_CDR } from '#test/mediation/versions.ts'
import type { Cdr } from './formats/cdr.ts'
import { contentDigest, identityOf, isStoredOutcome, storableNumber } from './mediation.ts'

const { party, provider } = BOBS_CDR
const CARRIER = { names: ['potomac'], addresses: ['192.0.2.200'], channels: ['PJSIP/potomac-1'] }

const CONTENTS: readonly Partial<Cdr>[] = [
  {},
  { start: BOBS_CDR.start + 1 },
  { src: '1001' },
  { dst: '442079460000' },
  { duration: 71 },
  { billsec: 61 },
  { disposition: 'BUSY' },
  { hangupcause: 17 },
  { party: { ...party, accountCode: 'dave' } },
  { party: { ...party, device: 'bob' } },
  { party: { ...party, sipUser: 'bob' } },
  { party: { ...party, did: 'bob' } },
  { party: { ...party, ip: 'bob' } },
  { party: { ...party, reached: 'bob' } },
  { party: { ...party, originator: 'bob' } },
  { provider: { ...provider, out: CARRIER } },
  { provider: { ...provider, in: CARRIER } },
  { provider: { ...provider, out: { ...CARRIER, names: [] } } },
  { provider: { ...provider, out: { ...CARRIER, addresses: [] } } },
  { provider: { ...provider, out: { ...CARRIER, channels: [] } } },
]

test('the digest of a content is another one for everything that resolution and rating read', () => {
  const digests = CONTENTS.map((change) => contentDigest({ ...BOBS_CDR, ...change }))

  expect(new Set(digests).size).toBe(CONTENTS.length)
  expect(digests).toEqual(digests.map(() => expect.stringMatching(/^[\w-]{22}$/)))
})

test('the identity of a CDR and its channel do not change the digest of its content', () => {
  const named = { ...BOBS_CDR, uniqueid: 'u2', part: '5', linkedid: 'u1', channel: 'PJSIP/bob-1' }

  expect(contentDigest(named)).toBe(contentDigest(BOBS_CDR))
})

test('a part that its column cannot hold is replaced by a digest of it', () => {
  const partOf = (part: string) => identityOf('gw', { ...BOBS_CDR, part }).source_part

  expect(partOf('x'.repeat(300))).toBe('x'.repeat(300))
  expect([partOf('x'.repeat(301)), partOf('\u0001')]).toEqual([MADE_PART, MADE_PART])
  expect(partOf('x'.repeat(301))).not.toBe(partOf('x'.repeat(302)))
})

const MADE_PART = expect.stringMatching(/^made-[0-9a-f]{64}$/)

test('a number as long as its column stays whole; a longer one loses its signs, and then its end', () => {
  expect(storableNumber('-'.repeat(80))).toBe('-'.repeat(80))
  expect(storableNumber(`+1 ${'2'.repeat(78)}`)).toBe(`+1${'2'.repeat(78)}`)
  expect(storableNumber(`*#é${'2'.repeat(90)}`)).toBe(`*#é${'2'.repeat(77)}`)
})

test('the table has the call of a CDR if it stored it, corrected it, or had it', () => {
  const outcomes = ['stored', 'duplicate', 'corrected', 'pending', 'skipped', 'suspended', undefined] as const

  expect(outcomes.filter(isStoredOutcome)).toEqual(['stored', 'duplicate', 'corrected'])
  expect(isStoredOutcome({ reason: 'unreadable', detail: '' })).toBe(false)
})
