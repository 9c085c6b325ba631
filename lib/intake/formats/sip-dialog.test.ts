import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Half } from '#lib/intake/record.ts'
import { dialogOf, joined } from './sip-dialog.ts'

const START = 1_773_122_410
const patience = { now: START + 4000, hours: 24 }
const tomorrow = { now: START + 86_400 + 101, hours: 24 }

const NOBODY = { names: [], addresses: [], channels: [] }

const half = (tells: Half['tells'], seconds: number, change: Partial<Half> = {}): Half => ({
  tells,
  callId: '83f6@203.0.113.30',
  tags: ['a', 'b'],
  at: START + seconds,
  sipStatus: 200,
  src: '2030',
  dst: '12025550164',
  party: { accountCode: '', device: '2030', sipUser: '2030', did: '12025550164', ip: '203.0.113.30' },
  provider: { out: NOBODY, in: NOBODY },
  ...change,
})

const invite = half('answered', 0)
const bye = half('ended', 100)

test('an INVITE and its BYE are a call, from the answer to the end', () => {
  expect(joined([invite, bye], patience)).toEqual({
    kind: 'call',
    call: {
      uniqueid: '83f6@203.0.113.30',
      part: 'a b',
      start: START,
      duration: 100,
      billsec: 100,
      src: '2030',
      dst: '12025550164',
      disposition: 'ANSWERED',
      hangupcause: 16,
      channel: '',
      party: invite.party,
      provider: invite.provider,
    },
  })
})

test.each<[string, Half[]]>([
  ['the BYE first', [bye, invite]],
  ['the called side hung up', [invite, { ...bye, tags: ['b', 'a'], src: '12025550164', dst: '2030' }]],
  ['a later INVITE put it on hold', [invite, half('answered', 50), bye]],
  ['the later INVITE came first', [half('answered', 50), bye, invite]],
  ['the called side sent the later INVITE', [invite, half('answered', 50, { tags: ['b', 'a'] }), bye]],
  ['a later INVITE was refused', [half('failed', 50, { sipStatus: 488 }), invite, bye]],
  ['everything came twice', [invite, bye, invite, bye]],
  ['both sides hung up', [invite, bye, half('ended', 101, { tags: ['b', 'a'], sipStatus: 481 })]],
])('%s: the same call', (_case, halves) => {
  expect(joined(halves, patience)).toEqual(joined([invite, bye], patience))
})

test('in whatever order, and however often they come, the reports of a dialog are one call', () => {
  const all = [invite, bye, half('answered', 50), half('ended', 101), half('failed', 20, { sipStatus: 491 })]
  const delivered = fc.shuffledSubarray([...all, ...all], { minLength: 10 })

  fc.assert(
    fc.property(delivered, (halves) => {
      expect(joined(halves, patience)).toEqual(joined([invite, bye], patience))
    }),
  )
})

test('the branches of a fork are dialogs of their own', () => {
  expect(dialogOf(invite)).not.toBe(dialogOf(half('answered', 0, { tags: ['a', 'c'] })))
  expect(dialogOf(invite)).toBe(dialogOf(half('ended', 9, { tags: ['b', 'a'] })))
})

test.each([
  [486, 'BUSY', 17],
  [487, 'NO ANSWER', 16],
  [480, 'NO ANSWER', 18],
  [408, 'NO ANSWER', 102],
  [404, 'FAILED', 1],
  [503, 'FAILED', 41],
  [699, 'FAILED', 127],
])('an INVITE that got %i is a call by itself', (sipStatus, disposition, hangupcause) => {
  expect(joined([half('failed', 0, { sipStatus })], patience)).toMatchObject({
    kind: 'call',
    call: { billsec: 0, duration: 0, disposition, hangupcause },
  })
})

test('the one end waits for the other as long as it may', () => {
  expect([joined([invite], patience), joined([bye], patience)]).toEqual([
    { kind: 'waiting' },
    { kind: 'waiting' },
  ])
  expect([joined([invite], tomorrow), joined([bye], tomorrow)]).toEqual([
    { kind: 'no end' },
    { kind: 'no start' },
  ])
})

test('a BYE that comes late still ends its call', () => {
  expect(joined([invite, half('ended', 86_400 + 100)], tomorrow)).toMatchObject({
    kind: 'call',
    call: { billsec: 86_500 },
  })
})

test('a BYE that crossed with the answer bills nothing', () => {
  expect(joined([invite, half('ended', -1)], patience)).toMatchObject({ call: { billsec: 0, start: START } })
})
