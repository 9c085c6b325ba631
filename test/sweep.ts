/** Set by vitest.sweep.config.ts. */
export const isSweep = process.env['TOLLGATE_SWEEP'] !== undefined

/** Set by nightly.yml: all cases are tried. */
export const isNight = process.env['TOLLGATE_NIGHT'] !== undefined

/** A sweep of many similar cases tries every tenth of them, at night all. */
export const SHARE = isNight ? 1 : 10

/** One of each kind: public, answered in plain text, a long list, and what writes money, a row and a copy. */
const BY_DAY: readonly string[] = [
  ...['user_login', 'user_balance_get', 'user_calls_get', 'payment_create', 'device_create'],
  'location_rule_copy',
]

/** The methods that a test over all of them tries: six by day, at night all. */
export const methodsToTry = <M extends { readonly name: string }>(methods: Iterable<M>): M[] =>
  [...methods].filter(({ name }) => isNight || BY_DAY.includes(name))

/** The runs of a test in both `npm test` and `npm run sweep`; all are made at night. */
export const runs = (inTest: number, atNight: number): number =>
  isSweep ? Math.max(inTest, Math.ceil(atNight / SHARE)) : inTest

/**
 * The share of the cases that a sweep tries. Another turn takes others, so that each case has its turn
 * somewhere. The places move on, so that of cases that repeat in tens not always the same one is tried.
 */
export const shareOf = <T>(cases: readonly T[], turn: number): T[] =>
  cases.filter((_case, index) => (index + Math.floor(index / SHARE)) % SHARE === turn % SHARE)
