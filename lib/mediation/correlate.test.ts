import fc from 'fast-check'
import { expect, test } from 'vitest'
import { correlated, dialogDigest } from './correlate.ts'
import type { DialogEvent } from './formats/cdr.ts'

const START = 1_773_122_410
const patience = { now: START + 4000, hours: 24 }
const tomorrow = { now: START + 86_400 + 101, hours: 24 }

const NOBODY = { names: [], addresses: [], channels: [] }

const event = (
  tells: DialogEvent['tells'],
  seconds: number,
  change: Partial<DialogEvent> = {},
): DialogEvent => ({
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

const invite = event('answered', 0)
const bye = event('ended', 100)

test('an INVITE and its BYE are a call, from the answer to the end', () => {
  expect(correlated([invite, bye], patience)).toEqual({
    kind: 'cdr',
    cdr: {
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

test.each<[string, DialogEvent[]]>([
  ['the BYE first', [bye, invite]],
  ['the called side hung up', [invite, { ...bye, tags: ['b', 'a'], src: '12025550164', dst: '2030' }]],
  ['a later INVITE put it on hold', [invite, event('answered', 50), bye]],
  ['the later INVITE came first', [event('answered', 50), bye, invite]],
  ['the called side sent the later INVITE', [invite, event('answered', 50, { tags: ['b', 'a'] }), bye]],
  ['a later INVITE was refused', [event('failed', 50, { sipStatus: 488 }), invite, bye]],
  ['everything came twice', [invite, bye, invite, bye]],
  ['both sides hung up', [invite, bye, event('ended', 101, { tags: ['b', 'a'], sipStatus: 481 })]],
])('%s: the same call', (_case, events) => {
  expect(correlated(events, patience)).toEqual(correlated([invite, bye], patience))
})

test('in whatever order, and however often they come, the events of a dialog are one call', () => {
  const all = [
    invite,
    bye,
    event('answered', 50),
    event('ended', 101),
    event('failed', 20, { sipStatus: 491 }),
  ]
  const delivered = fc.shuffledSubarray([...all, ...all], { minLength: 10 })

  fc.assert(
    fc.property(delivered, (events) => {
      expect(correlated(events, patience)).toEqual(correlated([invite, bye], patience))
    }),
  )
})

test('the branches of a fork are dialogs of their own', () => {
  const dialogOf = (one: DialogEvent) => dialogDigest('sip1', one)

  expect(dialogOf(invite)).not.toBe(dialogOf(event('answered', 0, { tags: ['a', 'c'] })))
  expect(dialogOf(invite)).toBe(dialogOf(event('ended', 9, { tags: ['b', 'a'] })))
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
  expect(correlated([event('failed', 0, { sipStatus })], patience)).toMatchObject({
    kind: 'cdr',
    cdr: { billsec: 0, duration: 0, disposition, hangupcause },
  })
})

test('a dialog event is pending as long as it may be', () => {
  expect([correlated([invite], patience), correlated([bye], patience)]).toEqual([
    { kind: 'pending' },
    { kind: 'pending' },
  ])
  expect([correlated([invite], tomorrow), correlated([bye], tomorrow)]).toEqual([
    { kind: 'no_end' },
    { kind: 'no_start' },
  ])
})

test('a BYE that comes late still ends its call', () => {
  expect(correlated([invite, event('ended', 86_400 + 100)], tomorrow)).toMatchObject({
    kind: 'cdr',
    cdr: { billsec: 86_500 },
  })
})

test('a BYE that crossed with the answer bills nothing', () => {
  expect(correlated([invite, event('ended', -1)], patience)).toMatchObject({
    cdr: { billsec: 0, start: START },
  })
})
