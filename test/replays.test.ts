import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signatureV2 } from '#lib/api/keys/signature-v2.ts'
import { V2_HEADERS } from '#lib/api/keys/v2-text.ts'
import type { Method } from '#lib/api/method.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { aContext, anEvent, type Request } from '#test/event.ts'
import { noted, noteSecretsOf } from '#test/evidence/log-evidence.ts'
import { billingCurrencies } from '#test/examples/billing-examples.ts'
import { everything } from '#test/examples/everything.ts'
import { aWorld, bodyOf, SECRET_KEY, type World } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { exampleOf } from '#tools/contracts/generated-files.ts'

/*
 * A model of captured requests: each is replayed in the other readings of its signature. Nothing may change otherwise than it was
 * signed, and nothing twice, but a payment of the short order under another transaction or none (wire.md payment_create).
 */

const methods = (await loadFunctionFiles()).map(({ method }) => method)
const payment = methodNamed('payment_create')

function methodNamed(name: string): Method {
  const method = methods.find((one) => one.name === name)
  if (!method) throw new Error(`There is no ${name}`)
  return method
}

type Sent = Readonly<Record<string, string>>

const FORM = 'application/x-www-form-urlencoded'

const multipart = (sent: Sent, boundary: string): string =>
  [...Object.entries(sent), ['', '']]
    .map(([name, value]) =>
      name === ''
        ? `--${boundary}--\r\n`
        : `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    .join('')

/** The ways in which a client may write parameters. */
const WRITERS: Readonly<Record<string, (sent: Sent) => Request>> = {
  form: (sent) => ({ body: String(new URLSearchParams(sent)) }),
  json: (sent) => ({ body: JSON.stringify(sent), headers: { 'Content-Type': 'application/json' } }),
  multipart: (sent) => ({
    body: multipart(sent, 'a'),
    headers: { 'Content-Type': 'multipart/form-data; boundary=a' },
  }),
  query: (sent) => ({ method: 'GET', query: Object.entries(sent) }),
}

let requests = 0

async function send(world: World, method: Method, request: Request): Promise<string> {
  requests += 1
  const context = { ...aContext(), awsRequestId: `request-${requests}` }
  const body = bodyOf(await serve(method, world.services)(anEvent(request), context))
  noteSecretsOf(request, body)
  return body
}

const SETTINGS = { API_allow_Payments: '1', API_allow_Registration: '1', Allow_GET_API: '1' }

const aWorldOfMethods = () => aWorld({ ...everything, currencies: billingCurrencies }, SETTINGS)

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

/** Tells whether a replay of a booked payment books again: only the values that were signed, under another transaction or none. */
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

const counts = { captured: 0, replayed: 0, again: 0 }

async function replayPayment(
  first: { readonly isShort: boolean; readonly rest: string; readonly places: readonly number[] },
  replays: readonly (typeof first & { readonly how: string; readonly transaction: string })[],
): Promise<void> {
  const world = await aWorldOfMethods()
  const hash = createHash('sha1').update(`10USD${first.rest}${SECRET_KEY}`).digest('hex')
  const sendAs = (sent: Sent, how: string) => {
    world.now = new Date(world.now.getTime() + 1)
    return send(world, payment, WRITERS[how]?.(noted({ u: 'admin', ...sent, hash })) ?? {})
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

test('a captured payment books nothing else, in any split, order, transaction, media type and verb', async () => {
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
    { numRuns: 20, seed: 1773144000 },
  )
  expect(counts).toEqual({ captured: 20, replayed: 160, again: counts.again })
  expect(counts.again).toBeGreaterThan(5)
})

const WRITING = methods.filter(({ access, callers }) => access === 'write' && callers !== 'public')

/** What a request with a v2 signature leaves behind beside its effect. */
const isOfSignature = ({ PK }: { readonly PK: string }) => /^(SIGNATURE|LOGINFAIL|RACES)#/.test(PK)

const stateOf = async (world: World) => (await world.dump()).filter((item) => !isOfSignature(item))

test.each(WRITING.map((method) => [method.name, method] as const))(
  'a captured %s with v2 changes nothing in any other reading, and nothing twice',
  async (name, method) => {
    const world = await aWorldOfMethods()
    const sent = { u: 'admin', ...exampleOf(name) }
    const path = `/api/${name}`
    const [body, timestamp, nonce] = [
      multipart(sent, 'a'),
      String(world.now.getTime() / 1000),
      `nonce-of-${name}`,
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
      ...WRITING.filter((other) => other !== method).map(
        (other) => [other, { ...request, path: `/api/${other.name}` }] as const,
      ),
    ]
    const before = await stateOf(world)
    for (const [other, reading] of others) await send(world, other, reading)
    expect(await stateOf(world)).toEqual(before)

    await send(world, method, request)
    const after = await stateOf(world)
    for (const [other, reading] of [...others, [method, request] as const]) await send(world, other, reading)
    expect(await stateOf(world)).toEqual(after)
  },
)
