import { add, isZero, type Money, subtract, ZERO } from '#lib/domain/money.ts'
import type { Left } from '#lib/rating/rerating.ts'
import type { Call } from '#lib/store/calls/call.ts'
import type { CallChange } from '#lib/store/calls/call-storage.ts'

/** What a customer's changed calls cost, before and after: it, its reseller, and what providers charge. */
interface Sums {
  readonly calls: number
  readonly before: Prices
  readonly after: Prices
}

type Prices = Readonly<Record<'user' | 'reseller' | 'provider', Money>>

const NOTHING: Prices = { user: ZERO, reseller: ZERO, provider: ZERO }

/** What pricing calls again changes. */
export interface Difference {
  readonly customers: Map<number, Sums>
  readonly left: Map<Left, number>
  /** Calls that cost what they did. */
  same: number
}

export const noDifference = (): Difference => ({ customers: new Map(), left: new Map(), same: 0 })

export function noteChange({ customers }: Difference, { before, after }: CallChange): void {
  const known = customers.get(after.user_id) ?? { calls: 0, before: NOTHING, after: NOTHING }
  customers.set(after.user_id, {
    calls: known.calls + 1,
    before: before ? sumOf(known.before, before) : known.before,
    after: sumOf(known.after, after),
  })
}

const sumOf = (sums: Prices, call: Call): Prices => ({
  user: add(sums.user, call.user_price ?? ZERO),
  reseller: add(sums.reseller, call.reseller_price ?? ZERO),
  provider: add(sums.provider, call.provider_price ?? ZERO),
})

/** The sums of all customers. */
export function totalOf({ customers }: Difference): Sums {
  const all = [...customers.values()]
  const over = (when: 'before' | 'after'): Prices => ({
    user: add(...all.map((sums) => sums[when].user)),
    reseller: add(...all.map((sums) => sums[when].reseller)),
    provider: add(...all.map((sums) => sums[when].provider)),
  })
  return {
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    before: over('before'),
    after: over('after'),
  }
}

/** A line for each customer, by name, then what stays as it is. */
export function differenceInWords(difference: Difference, nameOf: (user: number) => string): string[] {
  const customers = [...difference.customers].map(([user, sums]) => `${nameOf(user)}: ${inWords(sums)}`)
  const left = [...difference.left].map(
    ([reason, count]) => `${count} left as they are: ${reason}${UNLESS[reason] ?? ''}`,
  )
  return [
    ...customers.sort(),
    `in all: ${inWords(totalOf(difference))}`,
    `${difference.same} cost what they did`,
    ...left.sort(),
  ]
}

const inWords = ({ calls, before, after }: Sums): string => {
  const money = (['user', 'reseller', 'provider'] as const)
    .filter((payer) => payer === 'user' || before[payer] !== after[payer])
    .map(
      (payer) =>
        `${LABELS[payer]}${before[payer]} -> ${after[payer]} (${signed(subtract(after[payer], before[payer]))})`,
    )
  return `${calls} ${calls === 1 ? 'call' : 'calls'}, ${money.join(', ')}`
}

/** What an operator says to have them changed as well. */
const UNLESS: Partial<Record<Left, string>> = {
  invoiced: ' (without --include-invoiced)',
  'came priced': ' (without --include-priced)',
}

const LABELS = { user: '', reseller: 'reseller ', provider: 'provider ' } as const

const signed = (amount: Money): string => (amount.startsWith('-') || isZero(amount) ? amount : `+${amount}`)
