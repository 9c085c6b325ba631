import type autocannon from 'autocannon'
import type { Method } from '#lib/api/method.ts'
import { DAY_SECONDS } from '#lib/domain/calendar.ts'
import { generatedRates, seeded } from '#test/examples/generated-rates.ts'
import { findFunctionFile } from '#tools/contracts/function-files.ts'
import { type SentParameters, signedParameters } from '#tools/contracts/signed-call.ts'
import { customerAt, type Size, TARIFF } from './datasets.ts'
import { accountName, KEY } from './installation.ts'

/** Signed calls of one method. A load sends them in turn. */
export interface SignedCalls {
  readonly name: string
  readonly method: Method
  readonly params: readonly SentParameters[]
}

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

const MOST_PREFIXES = 500

/** Some of the prefixes that have rates. */
function ratedPrefixes({ rates }: Size): string[] {
  const step = Math.ceil(rates / MOST_PREFIXES)
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

export const requestsOf = ({ method, params }: SignedCalls): autocannon.Request[] =>
  params.map((sent) => ({
    method: 'POST',
    path: `/api/${method.name}`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(sent).toString(),
  }))
