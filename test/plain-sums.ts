const SCALE = 15

/** Plain sums of whole 10^-15: no code in common with what is tested. */
export const exact = (amount: unknown): bigint => {
  const [, sign, whole = '0', part = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(String(amount || '0')) ?? []
  return BigInt(`${sign}${whole}${part.padEnd(SCALE, '0')}`)
}

type Sums = Map<string, bigint>

const plus = (sums: Sums, name: string, by: bigint) => sums.set(name, (sums.get(name) ?? 0n) + by)

/** The right counters for these calls. `owners` has each customer's; `0` is admin, without counters. */
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
      const further = furtherSums(scope, call, owner === '0')
      for (const [name, by] of [...further, ...usualSums(call, revenue, cost)])
        plus(sums, `${scope} ${day} ${name}`, by)
    }
  }
  return sums
}

type Further = readonly (readonly [name: string, by: bigint])[]

/** The sums of quickstats_get. */
const usualSums = (call: Readonly<Record<string, string>>, revenue: unknown, cost: unknown): Further => [
  ['calls', exact('1')],
  ...(call['hangupcause'] === '16'
    ? [
        ['answered', exact('1')] as const,
        ['billsec', exact(call['billsec'])] as const,
        ['revenue', exact(revenue)] as const,
        ['self_cost', exact(cost)] as const,
      ]
    : []),
]

/** The sums of a call beside those of quickstats_get. */
function furtherSums(scope: string, call: Readonly<Record<string, string>>, isDirect: boolean): Further {
  const { user_price, reseller_price, provider_price, billsec } = call
  if (scope.startsWith('STATS#OWNER#')) return [['charged', exact(reseller_price)]]
  const earned = isDirect ? user_price : reseller_price
  const isLoss = isLess(earned, provider_price) || (!isDirect && isLess(user_price, reseller_price))
  const below = ['below_cost', exact(isLoss ? '1' : '0')] as const
  if (scope === 'STATS#EVERYONE') return [below]
  return [
    below,
    ['charged', exact(user_price)],
    ['seconds', exact(billsec)],
    ['earned', exact(earned)],
    ['cost', exact(provider_price)],
  ]
}

/** A price that is not known is not less than any other one. */
const isLess = (one = '', other = ''): boolean => one !== '' && other !== '' && exact(one) < exact(other)

/** Sums that the rows of some models do not tell, beside the marks of hours. */
const UNTOLD = new Set(['changes', 'connected', 'unknown_cost', 'unknown_cost_revenue'])

/** The counters of a table, summed over all shards. */
export function counted(items: readonly Readonly<Record<string, unknown>>[]): Sums {
  const sums: Sums = new Map()
  for (const { PK, SK, ...tally } of items) {
    const [, list, day] = /^(STATS#.*)#\d+ DAY#(.*)$/.exec(`${PK} ${SK}`) ?? []
    if (list === undefined) continue
    const told = Object.entries(tally).filter(([name]) => !UNTOLD.has(name) && !/^h\d+$/.test(name))
    for (const [name, sum] of told) plus(sums, `${list} ${day} ${name}`, exact(sum))
  }
  return sums
}

export const withoutZeros = (sums: Sums) =>
  Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n).sort())
