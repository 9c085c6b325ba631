import { expect, test } from 'vitest'
import { suspenseOf } from '#test/dump.ts'
import { aWorld, type World } from '#test/world.ts'
import { dialogDigest } from '../dialogs/dialog-parts.ts'
import type { DialogEvent, Found, Problem } from '../formats/cdr.ts'
import type { CdrDocument } from '../formats/formats.ts'
import { arrivalOrder, contentDigest, entryIdOf, identityOf, type Part } from '../mediation.ts'
import { MAX_SUSPENDED_BYTES, suspendDocument, suspendParts } from './suspend.ts'
import { firstSeen, suspendedText } from './suspense.ts'

const START = Date.UTC(2026, 2, 10, 9) / 1000
const PARTY = { accountCode: 'zoe', device: '2010', sipUser: '2011', did: '1202', ip: '198.51.100.1' }
const CARRIER = { names: ['gw1'], addresses: ['192.0.2.1'], channels: ['DAHDI/i1/1'] }
const PROVIDER = { out: CARRIER, in: { ...CARRIER, names: [] } }

const CDR = {
  uniqueid: 'u1',
  part: '',
  start: START,
  src: '37060000001',
  dst: '12025550171',
  duration: 70,
  billsec: 60,
  disposition: 'ANSWERED',
  hangupcause: 16,
  channel: 'SIP/1',
  party: PARTY,
  provider: PROVIDER,
}

const EVENT: DialogEvent = {
  kind: 'answered',
  callId: 'd1',
  tags: ['b', 'a'],
  at: START,
  sipStatus: 200,
  src: '37060000001',
  dst: '12025550171',
  party: PARTY,
  provider: PROVIDER,
}

const document: CdrDocument = { format: 'csv', source: 'gw', zone: 'UTC', text: 'the document' }
const PROBLEM: Problem = { reason: 'unknown_account', detail: 'it names no account' }

const partOf = (found: Found, change: Partial<CdrDocument> = {}, text = 'the part'): Part => ({
  document: { ...document, ...change },
  found,
  text: () => text,
})

const cdr = (change: object = {}) => partOf({ kind: 'cdr', cdr: { ...CDR, ...change } })
const event = (change: object = {}) => partOf({ kind: 'dialog_event', event: { ...EVENT, ...change } })
const unreadable = (text: string, change: Partial<CdrDocument> = {}) =>
  partOf({ kind: 'problem', reason: 'unreadable', detail: 'x' }, change, text)

test('the ids of entries, and the digests of calls, are those that released versions have stored', () => {
  expect([cdr(), cdr({ part: '7' }), event(), unreadable('text')].map(entryIdOf)).toEqual([
    '38d840aa78b29a162c9ce81c',
    '3c00ededda5abffd58abeee2',
    '6e24c90a7295821f89701ed2',
    '26fbbf6e3f0e210fa46dd790',
  ])
  const withParty = (change: object) => ({ ...CDR, party: { ...PARTY, ...change } })
  expect(contentDigest(CDR)).toBe('nG7ySezYZSwEI0U37Fpic8')
  expect(contentDigest(withParty({ reached: '1003' }))).toBe('WSo6VVG8i8YYwOjxm6ackd')
  expect(contentDigest(withParty({ originator: 'u9' }))).toBe('TY5jsL8msyphU_rJ_yk6eO')
  expect(identityOf('gw', { ...CDR, uniqueid: '' })).toEqual({
    source: 'gw',
    uniqueid: 'made-ba3ad252b8a25f60ebd100540f8235f6',
    source_part: undefined,
  })
  expect(dialogDigest('sip1', EVENT)).toBe('a0edfdc808c2d1f34104b45b07edd72637183bed')
})

test.each(['', 'a b', ' a', 'a ', 'é', 'x'.repeat(151)])(
  'the unique id %j is replaced by one that a key can hold',
  (uniqueid) => {
    expect(identityOf('gw', { ...CDR, uniqueid }).uniqueid).toMatch(/^made-[0-9a-f]{32}$/)
  },
)

test.each(['x'.repeat(150), '!~'])('the unique id %j is stored as it is', (uniqueid) => {
  expect(identityOf('gw', { ...CDR, uniqueid, part: '7' })).toEqual({
    source: 'gw',
    uniqueid,
    source_part: '7',
  })
})

test('a CDR has one entry in any document; another content, switch or part has another one', () => {
  const others = [
    cdr({ uniqueid: 'u2' }),
    cdr({ part: '7' }),
    cdr({ billsec: 61 }),
    partOf({ kind: 'cdr', cdr: CDR }, { source: 'other' }),
    event(),
    event({ tags: ['a', 'c'] }),
    event({ at: START + 1 }),
    event({ kind: 'ended' }),
    event({ sipStatus: 202 }),
    event({ callId: 'd2' }),
    unreadable('one'),
    unreadable('another'),
    unreadable('one', { source: 'other' }),
    unreadable('one', { format: 'live' }),
    unreadable('', { object: 'bucket/one' }),
    unreadable('', { object: 'bucket/another' }),
  ]

  expect(new Set([cdr(), ...others].map(entryIdOf)).size).toBe(others.length + 1)
  const again = { format: 'asterisk-json', text: 'another text' } as const
  expect(entryIdOf(partOf({ kind: 'cdr', cdr: { ...CDR, channel: 'SIP/2' } }, again))).toBe(entryIdOf(cdr()))
  expect(entryIdOf(event({ tags: ['a', 'b'] }))).toBe(entryIdOf(event()))
})

const access = ({ store }: World) => ({ store, order: arrivalOrder(new Date(START * 1000)) })

const suspend = (world: World, ...parts: readonly Part[]) =>
  suspendParts(
    access(world),
    parts.map((part) => ({ part, problem: PROBLEM })),
  )

test('an entry has the columns of the call, and its text instead of the place of the document', async () => {
  const world = await aWorld()
  const long = 'x'.repeat(100)
  await suspend(world, cdr({ src: long, dst: long }))
  const object = 'bucket/key'
  await suspend(world, partOf({ kind: 'dialog_event', event: EVENT }, { object }), unreadable('', { object }))

  const entries = await suspenseOf(world)
  expect(entries.map(({ start, src, dst }) => ({ start, src, dst }))).toEqual(
    expect.arrayContaining([
      { start: START, src: expect.stringMatching(/^x{79}/), dst: expect.stringMatching(/^x{79}/) },
      { start: START, src: '37060000001', dst: '12025550171' },
      { start: undefined, src: undefined, dst: undefined },
    ]),
  )
  expect(entries.map(({ src = '' }) => src.length).sort()).toEqual([0, 11, 80])
  expect(entries.map((entry) => entry.object ?? 'none').sort()).toEqual(['bucket/key', 'none', 'none'])
  expect(entries.map(firstSeen)).toEqual([START, START, START])
})

test('a reason has at most 1000 characters', async () => {
  const world = await aWorld()
  const detail = 'y'.repeat(2000)
  await suspendParts(access(world), [{ part: cdr(), problem: { ...PROBLEM, detail } }])

  expect((await suspenseOf(world)).map((entry) => entry.detail.length)).toEqual([1000])
})

test('of a text that is too large, only its length and the place of the document are kept', async () => {
  const world = await aWorld()
  const text = 'z'.repeat(MAX_SUSPENDED_BYTES)
  const whole = { ...document, object: 'bucket/key' }
  await suspendDocument(access(world), { ...whole, text }, PROBLEM)
  await suspendDocument(access(world), { ...whole, text: `${text}z` }, PROBLEM)

  const entries = (await suspenseOf(world)).toSorted((one, other) => (one.bytes ?? 0) - (other.bytes ?? 0))
  expect(entries).toMatchObject([
    { bytes: MAX_SUSPENDED_BYTES, reason: PROBLEM.reason },
    { bytes: MAX_SUSPENDED_BYTES + 1, object: 'bucket/key' },
  ])
  expect(entries[0]?.object).toBeUndefined()
  const texts = await Promise.all(entries.map((entry) => suspendedText(world.store, entry)))
  expect(texts.map(({ length }) => length)).toEqual([MAX_SUSPENDED_BYTES, 0])
})
