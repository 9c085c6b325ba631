import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { signatureV2 } from '#lib/api/signature-v2.ts'
import { V2_HEADERS } from '#lib/api/v2-text.ts'
import { hexDigest } from '#lib/base/digest.ts'
import type { Request } from '#test/event.ts'
import { noted } from '#test/evidence/log-evidence.ts'
import { runs, shareOf } from '#test/sweep.ts'
import { SECRET_KEY, type World } from '#test/world.ts'
import {
  aWorldOfMethods,
  CHANGES,
  FORM,
  methodNamed,
  multipart,
  type Sent,
  sendCaptured,
  stateOf,
  WRITERS,
} from './captured-requests.ts'

/*
 * Replays captured requests in the other readings of their signature. Nothing may change unsigned or twice,
 * but a payment of the short order under another transaction or none (wire.md payment_create).
 */

const payment = methodNamed('payment_create')

const NAMES = [
  'user_id',
  'p_currency',
  'paymenttype',
  'tax_in_amount',
  'amount',
  'transaction',
  'payer_email',
]
const SHORT = ['user_id', 'p_currency', 'amount']

/** Cuts a text into the values of these names, at drawn places. */
const splitAt = (text: string, names: readonly string[], places: readonly number[]): Sent => {
  const cuts = [0, ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length]
  return Object.fromEntries(names.map((name, index) => [name, text.slice(cuts[index], cuts[index + 1])]))
}

const ofUser10 = (names: readonly string[], rest: string, places: readonly number[]): Sent => ({
  user_id: '10',
  p_currency: 'USD',
  ...splitAt(rest, names.slice(2), places.slice(0, names.length - 3)),
})

const digits = fc.stringMatching(/^[1-9]\d{0,7}$/)
const places = fc.array(fc.nat(20), { minLength: 6, maxLength: 6 })
const anyReading = { isShort: fc.boolean(), places }

const bookedIn = async (world: World) =>
  (await world.dump()).filter(({ PK, SK }) => PK === 'USER#10' && SK.startsWith('PAYMENT#')).length

/** A replay of a booked payment books again only with the signed values and another transaction or none. */
function modelOf(original: Sent): (split: Sent, transaction: string) => boolean {
  const valuesOf = (sent: Sent) => NAMES.map((name) => sent[name] ?? '').join('\0')
  const booked = new Set([original['transaction'] ?? ''])
  return (split, transaction) => {
    const isNew = transaction === '' || !booked.has(transaction)
    if (valuesOf(split) !== valuesOf(original) || !isNew) return false
    booked.add(transaction)
    return true
  }
}

const RUNS = runs(6, 20)

const counts = { captured: 0, replayed: 0, again: 0 }

async function replayPayment(
  first: { readonly isShort: boolean; readonly rest: string; readonly places: readonly number[] },
  replays: readonly (typeof first & { readonly how: string; readonly transaction: string })[],
): Promise<void> {
  const world = await aWorldOfMethods()
  const hash = createHash('sha1').update(`10USD${first.rest}${SECRET_KEY}`).digest('hex')
  const sendAs = (sent: Sent, how: string) => {
    world.now = new Date(world.now.getTime() + 1)
    return sendCaptured(world, payment, WRITERS[how]?.(noted({ u: 'admin', ...sent, hash })) ?? {})
  }
  const splitOf = ({ isShort, places: cuts }: Pick<typeof first, 'isShort' | 'places'>) =>
    ofUser10(isShort ? SHORT : NAMES, first.rest, cuts)
  const original = splitOf(first)
  fc.pre((await sendAs(original, 'form')).includes('<status>ok</status>'))
  const booksAgain = modelOf(original)
  let expected = await bookedIn(world)
  counts.captured += 1
  for (const one of replays) {
    const split = splitOf(one)
    const transaction = one.isShort ? one.transaction : (split['transaction'] ?? '')
    await sendAs(one.isShort && transaction ? { ...split, transaction } : split, one.how)
    const again = Number(booksAgain(split, transaction))
    expected += again
    counts.again += again
    counts.replayed += 1
    expect([original, split, one.how, await bookedIn(world)]).toEqual([original, split, one.how, expected])
  }
}

test('a captured payment books nothing else, in any split, order, media type and verb', async () => {
  const replay = fc.record({
    ...anyReading,
    rest: fc.constant(''),
    how: fc.constantFrom(...Object.keys(WRITERS)),
    transaction: fc.constantFrom('', 'T1', 'T2'),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.record({ ...anyReading, rest: digits }),
      fc.array(replay, { minLength: 8, maxLength: 8 }),
      replayPayment,
    ),
    { numRuns: RUNS, seed: 1773144000 },
  )
  expect(counts).toEqual({ captured: RUNS, replayed: 8 * RUNS, again: counts.again })
  expect(counts.again).toBeGreaterThan(0)
})

test.each(shareOf(CHANGES, 1))(
  'a captured $name with v2 changes nothing in any other reading, and nothing twice',
  async ({ method, sent, given }) => {
    const world = await aWorldOfMethods(given)
    const path = `/api/${method.name}`
    const [body, timestamp, nonce] = [
      multipart(sent, 'a'),
      String(world.now.getTime() / 1000),
      `nonce-of-${method.name}`,
    ]
    const mediaType = 'multipart/form-data; boundary=a'
    const signed = { verb: 'POST', path, query: [], mediaType, timestamp, nonce, bodyDigest: hexDigest(body) }
    const signature = noted({ hash: signatureV2(signed, SECRET_KEY) }).hash
    const headers = {
      'Content-Type': mediaType,
      [V2_HEADERS.timestamp]: timestamp,
      [V2_HEADERS.nonce]: nonce,
      [V2_HEADERS.signature]: signature,
    }
    const request: Request = { path, body, headers }
    const as = (type: string) => ({ ...headers, 'Content-Type': type })
    const others: readonly (readonly [Method, Request])[] = [
      ...[FORM, 'application/json', 'multipart/form-data; boundary=b', ''].map(
        (type) => [method, { ...request, headers: as(type) }] as const,
      ),
      [method, { ...request, method: 'GET' }],
      [method, { ...request, query: [['u', 'admin']] }],
      [method, { ...request, path: `/billing${path}` }],
      [method, { ...request, body: body.replace('--a--', '--a\r\n\r\n--a--') }],
      ...CHANGES.filter((other) => other.method !== method).map(
        (other) => [other.method, { ...request, path: `/api/${other.method.name}` }] as const,
      ),
    ]
    const before = await stateOf(world)
    for (const [other, reading] of others) await sendCaptured(world, other, reading)
    expect(await stateOf(world)).toEqual(before)

    await sendCaptured(world, method, request)
    const after = await stateOf(world)
    expect(after).not.toEqual(before)
    for (const [other, reading] of [...others, [method, request] as const])
      await sendCaptured(world, other, reading)
    expect(await stateOf(world)).toEqual(after)
  },
)
