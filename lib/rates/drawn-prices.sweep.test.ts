import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { seeded } from '#test/examples/generated-rates.ts'
import { DAY_TYPES, priceOf, type Rate } from './rating.ts'
import { rateAmong } from './tariff.ts'

const CALLS = 1_000_000
const RATES = 3000
const NOON = Date.UTC(2026, 2, 10, 12) / 1000

/** The prices of the same calls before origins (9ec3a850). No window begins where another one ends. */
const BEFORE_ORIGINS = 'i6_1psLPlsKm_MbBBo_hzwqwY_6nXmy-9t5rW6eHpR0'

test('a million drawn calls of a tariff without origins cost what they did before there were origins', () => {
  const random = seeded(72)
  const below = (bound: number) => Math.floor(random() * bound)
  const oneOf = <T>(values: readonly [T, ...T[]]): T => values[below(values.length)] ?? values[0]
  const draw = (): Rate => ({
    prefix: String(1 + below(10 ** (1 + below(4)))),
    origin: '',
    adds: false,
    effective_from: oneOf([undefined, undefined, NOON - below(9e6), NOON + below(9e6)]),
    ends_at: oneOf([undefined, undefined, undefined, NOON + below(2e7) - 1e7]),
    after_end: oneOf(['fallback', 'blocked']),
    start_time: oneOf(['00:00:00', '00:00:00', '08:00:00', '18:00:00', '22:30:00']),
    end_time: oneOf(['23:59:59', '23:59:59', '07:59:59', '17:59:59', '06:00:00']),
    daytype: oneOf(DAY_TYPES),
    tariff_rate: oneOf(['0', '-1', `0.${1 + below(99_999)}`, `${below(9)}.${below(999)}5`, '0.000123456789']),
    con_fee: oneOf(['0', '0', '0.05', '1.005']),
    increment: oneOf([1, 6, 30, 60]),
    min_time: oneOf([0, 0, 30, 60]),
    direction: '',
    destination: '',
    code: '',
  })
  const byPrefix = Map.groupBy(Array.from({ length: RATES }, draw), ({ prefix }) => prefix)
  const digest = createHash('sha256')
  for (let call = 0; call < CALLS; call += 1) {
    const digits = String(1 + below(99_999_999))
    const leading = [1, 2, 3, 4, 5].flatMap((length) => byPrefix.get(digits.slice(0, length)) ?? [])
    const zone = oneOf(['UTC', 'Europe/Vilnius', 'America/New_York'])
    const freeDays = oneOf(['', '2026-03-10', '2026-03-09,2026-03-11'])
    const when = { at: NOON + below(2e7) - 1e7, zone, freeDays, workingDays: oneOf(['', '2026-03-14']) }
    const rate = rateAmong(leading, when)
    const price = rate && priceOf(rate, below(4000), oneOf(['1', '1.0837', '0.333333'])).price
    digest.update(`${rate?.prefix} ${rate?.tariff_rate} ${price}\n`)
  }

  expect(digest.digest('base64url')).toBe(BEFORE_ORIGINS)
})
