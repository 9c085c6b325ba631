const SCALE = 15

/** Plain sums of whole 10^-15: no code in common with what is tested. */
export const exact = (amount: unknown): bigint => {
  const [, sign, whole = '0', part = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(String(amount || '0')) ?? []
  return BigInt(`${sign}${whole}${part.padEnd(SCALE, '0')}`)
}

type Sums = Map<string, bigint>

const plus = (sums: Sums, name: string, by: bigint) => sums.set(name, (sums.get(name) ?? 0n) + by)

/** The right counters for these calls. `owners` has the owner of each customer; `0` is admin, who has no counters. */
export function referenceSums(
  owners: Readonly<Record<string, string>>,
  calls: readonly Readonly<Record<string, string>>[],
): Sums {
  const sums: Sums = new Map()
  for (const call of calls) {
    const day = String(call['calldate']).slice(0, 10)
    const owner = owners[String(call['user_id'])]
    const amounts: Record<string, [unknown, unknown]> = {
      [`STATS#USER#${call['user_id']}`]: ['0', '0'],
      [`STATS#OWNER#${owner}`]: [call['user_price'], call['reseller_price']],
      'STATS#EVERYONE': [owner === '0' ? call['user_price'] : call['reseller_price'], call['provider_price']],
    }
    const { 'STATS#OWNER#0': _, ...counting } = amounts
    for (const [scope, [revenue, cost]] of Object.entries(counting)) {
      const answered = call['hangupcause'] === '16'
      plus(sums, `${scope} ${day} calls`, exact('1'))
      if (!answered) continue
      plus(sums, `${scope} ${day} answered`, exact('1'))
      plus(sums, `${scope} ${day} billsec`, exact(call['billsec']))
      plus(sums, `${scope} ${day} revenue`, exact(revenue))
      plus(sums, `${scope} ${day} self_cost`, exact(cost))
    }
  }
  return sums
}

/** The counters of a table, summed over all shards. */
export function counted(items: readonly Readonly<Record<string, unknown>>[]): Sums {
  const sums: Sums = new Map()
  for (const { PK, SK, ...tally } of items) {
    const [, list, day] = /^(STATS#.*)#\d+ DAY#(.*)$/.exec(`${PK} ${SK}`) ?? []
    if (list === undefined) continue
    for (const [name, sum] of Object.entries(tally)) plus(sums, `${list} ${day} ${name}`, exact(sum))
  }
  return sums
}

export const withoutZeros = (sums: Sums) =>
  Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n).sort())
