/** Words that say nothing about which column it is. */
const NOISE = new Set(
  'per min minute in the of usd eur gbp cent cents ct cts pence voice sec second'.split(' '),
)

/** `Rate (USD/min)`, `rate per minute` and `RATES` are all `rate`; a unit alone is what it was. */
export function plainName(heading: string): string {
  const all = heading
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .split(' ')
  const words = all
    .filter((word, position) => !isNoise(word, position))
    .map((word) => word.replace(/(?<=\w{3})s$/, ''))
  if (words.length > 0) return words.join(' ')
  return all.length > 1 ? 'rate' : all.join(' ')
}

const CURRENCIES: ReadonlySet<string> = new Set(
  Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()),
)

/** In front, `min` is a minimum, not a minute. */
const isNoise = (word: string, position: number): boolean =>
  (NOISE.has(word) && !(word === 'min' && position === 0)) || CURRENCIES.has(word)

/** What a column of a sheet can be, each with the names that carriers give it, the surest first. */
export const COLUMN_NAMES = {
  prefix: named(
    'prefix, dial code, dialing code, dialling code, dialed digit, dialed code, destination code, destination prefix, breakout code, breakout, number range, e164, e 164, code range, area code, city code, code list, code, digit, breakout prefix, ndc',
  ),
  country_code: named('country code, countrycode, cc, country prefix, country dial code, intl code'),
  direction: named('direction, country, country name'),
  destination: named(
    'destination, destination name, zone name, zone, area name, area, network, operator, route, location, description, name, region',
  ),
  tariff_rate: named(
    'new rate, new price, tariff rate, rate, price, call rate, voice rate, sell rate, tariff, cost, charge, unit price',
  ),
  con_fee: named(
    'con fee, connection fee, connect fee, connection charge, setup fee, set up fee, setup, call setup, connection, fee',
  ),
  effective_from: named(
    'effective from, effective date, effective, effective on, date effective, valid from, start date, activation date, from date, begin date, date',
  ),
  billing: named(
    'billing increment, increment, billing, billing interval, billing term, billing unit, rounding, pulse, interval, incr',
  ),
  min_time: named(
    'min time, minimum, minimum time, minimum duration, minimum charge time, initial increment, first increment, initial, first interval, initial interval, min',
  ),
  further: named(
    'subsequent increment, next increment, further increment, additional increment, next interval, subsequent interval, subsequent, next',
  ),
  currency: named('currency, ccy, cur, curr'),
  status: named(
    'status, change, rate change, price change, change type, type of change, change status, change code, rate status, action, change indicator',
  ),
  start_time: named('start time'),
  end_time: named('end time'),
  daytype: named('daytype, day type'),
}

export type ColumnRole = keyof typeof COLUMN_NAMES

/** In the order in which columns are looked for. */
export const COLUMN_ROLES = Object.keys(COLUMN_NAMES) as ColumnRole[]

function named(list: string): readonly string[] {
  return list.split(', ').map(plainName)
}
