import { chargesOf } from '#lib/base/balance.ts'
import type { Day } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { add, ZERO } from '#lib/base/money.ts'
import { ADMIN_ACCOUNT, type Scope } from '#lib/base/scope.ts'
import type { Store } from '#lib/table/store.ts'
import type { Call } from '../call.ts'
import { countersOn } from '../counters/call-stats.ts'
import { addTallies, NOTHING, TALLIED, type Tally, tallyOf } from '../counters/statistics.ts'
import type { CustomerSums, Manifest } from './manifest.ts'

export type DaySums = Pick<Manifest, 'everyone' | 'owners' | 'customers' | 'charged'>

const NO_CALLS: CustomerSums = {
  calls: 0,
  answered: 0,
  billsec: 0,
  user_price: ZERO,
  reseller_price: ZERO,
  provider_price: ZERO,
}

export const NO_SUMS: DaySums = { everyone: NOTHING, owners: {}, customers: {}, charged: {} }

const byId = <T>(sums: Readonly<Record<string, T>>) =>
  new Map(Object.entries(sums).map(([id, sum]) => [Number(id), sum]))

/** Adds calls of a day to sums, in memory for each customer. */
export function createDaySums(earlier: DaySums) {
  let everyone = earlier.everyone
  const owners = byId(earlier.owners)
  const charged = byId(earlier.charged)
  const customers = byId(earlier.customers)
  return {
    add: (call: Call): void => {
      const { owner_id, user_id } = call
      everyone = addTallies(everyone, tallyOf(call, 'everyone'))
      customers.set(user_id, withCall(customers.get(user_id) ?? NO_CALLS, call))
      for (const [account, price] of chargesOf(call))
        charged.set(account, add(charged.get(account) ?? ZERO, price))
      if (owner_id === ADMIN_ACCOUNT) return
      owners.set(owner_id, addTallies(owners.get(owner_id) ?? NOTHING, tallyOf(call, 'owner')))
    },
    total: (): DaySums => ({
      everyone,
      owners: Object.fromEntries(owners),
      customers: Object.fromEntries(customers),
      charged: Object.fromEntries(charged),
    }),
  }
}

function withCall(sums: CustomerSums, call: Call): CustomerSums {
  const { answered, billsec } = tallyOf(call, 'user')
  return {
    calls: sums.calls + 1,
    answered: sums.answered + answered,
    billsec: sums.billsec + billsec,
    user_price: add(sums.user_price, call.user_price ?? ZERO),
    reseller_price: add(sums.reseller_price, call.reseller_price ?? ZERO),
    provider_price: add(sums.provider_price, call.provider_price ?? ZERO),
  }
}

/** The scopes of a day and what the archive has of them. Amounts of a customer are in no counter. */
export const talliesIn = ({
  everyone,
  owners,
  customers,
}: Omit<DaySums, 'charged'>): (readonly [Scope, Tally])[] => [
  ['everyone', everyone],
  ...Object.entries(owners).map(([id, tally]) => [{ owner: Number(id) }, tally] as const),
  ...Object.entries(customers).map(
    ([id, { calls, answered, billsec }]) =>
      [{ user: Number(id) }, { ...NOTHING, calls, answered, billsec }] as const,
  ),
]

/** Scopes whose counters are read together. */
const SCOPES_AT_ONCE = 100

/** A sentence for each counter of the day that the sums do not equal. */
export async function differencesFromCounters(store: Store, day: Day, sums: DaySums): Promise<string[]> {
  const differences: string[] = []
  for (const some of slices(talliesIn(sums), SCOPES_AT_ONCE)) {
    const counters = await countersOn(
      store,
      day,
      some.map(([scope]) => scope),
    )
    for (const [index, [scope, tally]] of some.entries()) {
      const counted = counters[index]?.tally ?? NOTHING
      differences.push(...differencesOf(scope, day, { counted, tally }))
    }
  }
  return differences
}

const differencesOf = (
  scope: Scope,
  day: Day,
  { counted, tally }: { readonly counted: Tally; readonly tally: Tally },
): string[] =>
  TALLIED.filter((name) => String(counted[name]) !== String(tally[name])).map(
    (name) =>
      `${day}: the counter ${name} of ${nameOf(scope)} is ${counted[name]}, but its calls sum up to ${tally[name]}`,
  )

function nameOf(scope: Scope): string {
  if (scope === 'everyone') return scope
  return 'user' in scope ? `account ${scope.user}` : `owner ${scope.owner}`
}
