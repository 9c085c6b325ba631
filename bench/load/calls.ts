import type autocannon from 'autocannon'
import type { Method } from '#lib/api/method.ts'
import { DAY_SECONDS } from '#lib/domain/calendar.ts'
import { generatedRates, seeded } from '#test/examples/generated-rates.ts'
import { findFunctionFile } from '#tools/contracts/function-files.ts'
import { type SentParameters, signedParameters } from '#tools/contracts/signed-call.ts'
import { customerAt, type Size, TARIFF } from './datasets.ts'
import { accountName, KEY } from './installation.ts'
import { ownerAt } from './written-calls.ts'

/** Signed calls of one method. A load sends them in turn. */
export interface SignedCalls {
  readonly name: string
  readonly method: Method
  readonly params: readonly SentParameters[]
}

const METHODS = ['devices_get', 'rate_get', 'quickstats_get', 'user_calls_get', 'device_create'] as const

type Name = (typeof METHODS)[number]

const DRAWS = 500

/** Draws parameters over all customers, the same for the same seed. */
export function drawsFrom(size: Size, seed: number) {
  const random = seeded(seed)
  const below = (bound: number) => Math.floor(random() * bound)
  const prefixes = ratedPrefixes(size)
  return {
    below,
    rate: () => ({
      username: accountName(customerAt(below(size.customers), size)),
      prefix: `${prefixes[below(prefixes.length)]}12345`,
    }),
    calls: (start: number, days: number) => ({
      s_user: String(customerAt(below(size.customers), size)),
      period_start: String(start),
      period_end: String(start + days * DAY_SECONDS - 1),
    }),
  }
}

/** Their owners manage devices. The last calls are all for one customer. */
export async function largeCalls(size: Size): Promise<SignedCalls[]> {
  const { below, rate, calls } = drawsFrom(size, 25)
  const customerOfOwner = () => {
    const position = below(size.customers)
    return { u: accountName(ownerAt(position, size.owners)), user_id: String(customerAt(position, size)) }
  }
  const draws: Readonly<Record<Name, () => SentParameters>> = {
    devices_get: customerOfOwner,
    rate_get: rate,
    quickstats_get: () => ({}),
    user_calls_get: () => calls(size.start + below(size.days - 1) * DAY_SECONDS, 1),
    device_create: customerOfOwner,
  }
  const drawn = METHODS.map((name) => signedCalls(name, name, times(DRAWS, draws[name])))
  const ofOne = signedCalls('device_create, all for one customer', 'device_create', [draws.device_create()])
  return Promise.all([...drawn, ofOne])
}

/** Some of the prefixes that have rates. */
function ratedPrefixes({ rates }: Size): string[] {
  const step = Math.ceil(rates / DRAWS)
  const prefixes: string[] = []
  let at = 0
  for (const { prefix = '' } of generatedRates(TARIFF, rates)) if (at++ % step === 0) prefixes.push(prefix)
  return prefixes
}

export const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

/** Calls of a method, signed as admin if they do not name another account in `u`. */
export async function signedCalls(
  name: string,
  methodName: string,
  params: readonly SentParameters[],
): Promise<SignedCalls> {
  const { method } = await findFunctionFile(methodName)
  return {
    name,
    method: method as Method,
    params: params.map((sent) => signedParameters(method, { u: 'admin', ...sent }, KEY)),
  }
}

/** Of a hundred requests of the mix, so many are of each method: what is written grows little. */
const MIX: Readonly<Record<Name, number>> = {
  devices_get: 25,
  rate_get: 30,
  quickstats_get: 15,
  user_calls_get: 25,
  device_create: 5,
}

export const MIX_TEXT = Object.entries(MIX)
  .map(([name, share]) => `${share} % ${name}`)
  .join(', ')

/** Requests of all methods in the shares of the mix, in a drawn order. */
export function mixedRequests(calls: readonly SignedCalls[]): autocannon.Request[] {
  const random = seeded(26)
  const shares = Object.entries(MIX).flatMap(([name, share]) =>
    requestsOf(calls.find((one) => one.name === name) as SignedCalls).slice(0, 5 * share),
  )
  return shares
    .map((request) => ({ request, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ request }) => request)
}

export const requestsOf = ({ method, params }: SignedCalls): autocannon.Request[] =>
  params.map((sent) => ({
    method: 'POST',
    path: `/api/${method.name}`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(sent).toString(),
  }))
