import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import type { HashOrder } from '#lib/api/signature.ts'
import type { Request } from '#test/event.ts'
import { noted } from '#test/evidence/log-evidence.ts'
import { runs, shareOf } from '#test/sweep.ts'
import { SECRET_KEY } from '#test/world.ts'
import { aWorldOfMethods, CHANGES, type Sent, sendCaptured, stateOf, WRITERS } from './captured-requests.ts'

/*
 * A hash stands for one text: the values of an order, joined. Captured requests of every writing method are
 * replayed in drawn readings: other splits, orders, methods, media types and verbs. Only a reading whose
 * values join to that text may change anything (wire.md 3.2). payments-and-v2.sweep.test.ts has payments.
 */

interface Reading {
  readonly method: Method
  readonly order: HashOrder
  /** A request that changes something. */
  readonly example: Sent
}

const READINGS: readonly Reading[] = CHANGES.flatMap(({ method, sent }) =>
  method.hashOrders.map((order) => ({ method, order, example: sent })),
)

const hashOf = (text: string): string =>
  createHash('sha1')
    .update(text + SECRET_KEY)
    .digest('hex')

const textIn = (sent: Sent, { signs }: HashOrder): string => signs.map((name) => sent[name] ?? '').join('')

/** The conditions of an order, written down a second time. */
function applies(sent: Sent, { when = {}, unless = {}, sent: oneOf, unlessSent = [] }: HashOrder): boolean {
  const has = ([name, value]: [string, string]) => sent[name] === value
  if (!Object.entries(when).every(has) || Object.entries(unless).some(has)) return false
  if (unlessSent.some((name) => name in sent)) return false
  return oneOf === undefined || oneOf.some((name) => (sent[name] ?? '') !== '')
}

const isSignedBy = (text: string, sent: Sent, { hashOrders }: Method): boolean =>
  hashOrders.some((order) => applies(sent, order) && textIn(sent, order) === text)

/** A request whose text is split at these places. Unsigned parameters are those of the example. */
function inReading(
  text: string,
  { example, order: { signs, when = {} } }: Reading,
  places: readonly number[],
): Sent {
  const names = signs.filter((name) => name !== 'u')
  const cuts = [...places.slice(1, names.length), 0].map((place) => place % (text.length + 1))
  const ends = [...cuts.sort((one, other) => one - other), text.length]
  const values = names.map((name, index) => [name, text.slice(ends[index], ends[index + 1])] as const)
  const wanted = values.filter(([, value]) => value !== '')
  const others = Object.entries(example).filter(([name]) => !signs.some((one) => one === name))
  return { ...Object.fromEntries([...others, ...wanted]), ...when }
}

const places = fc.array(fc.nat(20), { minLength: 12, maxLength: 12 })
const anyReading = {
  reading: fc.constantFrom(...READINGS),
  places,
  how: fc.constantFrom(...Object.keys(WRITERS)),
}
const pieces = fc.array(fc.constantFrom('1', '5', '10', '100', '11', '0.5', 'EUR', 'GBP', 'SIP', 'x'), {
  minLength: 1,
  maxLength: 4,
})
const texts = fc.oneof(
  pieces.map((all) => all.join('')),
  fc.constantFrom(...READINGS.map(({ example, order }) => textIn(example, order))),
)
const damages = fc.constantFrom('', '', '', '1', 'x')

const RUNS = runs(8, 30)

const counts = { captured: 0, replayed: 0, signed: 0, changed: 0 }

test('a hash signs one text, in any split, order, method, media type and verb', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ ...anyReading, text: texts }),
      fc.array(fc.record({ ...anyReading, damage: damages }), { minLength: 8, maxLength: 8 }),
      async ({ reading, text, places: cuts, how }, replays) => {
        const world = await aWorldOfMethods()
        const captured = inReading(text, reading, cuts)
        const signed = textIn(captured, reading.order)
        const hash = noted({ hash: hashOf(signed) }).hash
        await sendCaptured(world, reading.method, WRITERS[how]?.({ ...captured, hash }) ?? {})
        counts.captured += 1
        let before = await stateOf(world)
        for (const replay of replays) {
          world.now = new Date(world.now.getTime() + 1)
          const { method } = replay.reading
          const sent = inReading(signed + replay.damage, replay.reading, replay.places)
          await sendCaptured(world, method, WRITERS[replay.how]?.({ ...sent, hash }) ?? {})
          const isSigned = isSignedBy(signed, sent, method)
          const after = await stateOf(world)
          counts.replayed += 1
          counts.signed += Number(isSigned)
          if (!isSigned) expect([captured, sent, after]).toEqual([captured, sent, before])
          else counts.changed += Number(!isDeepStrictEqual(after, before))
          before = after
        }
      },
    ),
    { numRuns: RUNS, seed: 1773144000 },
  )
  expect(counts).toMatchObject({ captured: RUNS, replayed: 8 * RUNS })
  expect(counts.replayed - counts.signed).toBeGreaterThan(2 * RUNS)
  expect(counts.changed).toBeGreaterThan(0)
})

/** The values drawn for each account and device: they differ between worlds. */
const DRAWN = /(?<="(?:password_hash|uniquehash|secret|pin)":")[^"]*|(?<=<(?:password|pin)>)[^<]*/g

/** The answer of a request, and the items that it leaves in a new table. */
async function resultOf({ method, given }: (typeof CHANGES)[number], request: Request): Promise<unknown> {
  const world = await aWorldOfMethods(given)
  const body = await sendCaptured(world, method, request)
  const items = (await stateOf(world)).filter(({ PK }) => !PK.startsWith('UNIQUEHASH#'))
  return JSON.parse(JSON.stringify([body, items]).replace(DRAWN, 'drawn'))
}

test.each(shareOf(CHANGES, 0))(
  'a captured $name means the same in every media type and verb',
  async (change) => {
    const { method, sent } = change
    const order = method.hashOrders.find((one) => applies(sent, one)) ?? { signs: [] }
    const hash = noted({ hash: hashOf(textIn(sent, order)) }).hash
    const [asForm, ...others] = await Promise.all(
      Object.values(WRITERS).map((write) => resultOf(change, write({ ...sent, hash }))),
    )
    for (const other of others) expect(other).toEqual(asForm)
  },
)
