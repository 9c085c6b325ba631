import { LENGTH_UNITS, plainHeading, UNIT_BY_WORD } from './headings.ts'

/** A unit of rates other than a minute in whole units of money. */
interface RateUnit {
  /** The factor that makes a rate one of a minute in whole units; `undefined` if the words do not say. */
  readonly factor: string | undefined
  /** The factor of an amount that does not count time, such as a fee. */
  readonly moneyFactor: string
  /** True for the price of a call. */
  readonly isOfCall: boolean
  /** True for a price that contains a tax. */
  readonly isTaxed: boolean
  /** True if only the unit of money differs. */
  readonly isMoneyOnly: boolean
}

const MONEY_WORDS: readonly (readonly [words: RegExp, factor: number])[] = [
  [/\bmicros?\b|\bμ ?(?=€|eur\b|usd\b)/, 0.000_001],
  [/\bmilli ?cents?\b/, 0.000_01],
  [/\b(?:milli|mill?s?)\b|(?<!(?:\/|\bper) ?)\bm ?(?=€|eur\b|usd\b|gbp\b)/, 0.001],
  [
    /\b(?:(?:us|euro?)?c(?:ents?|ts?)?|pence|penny|centimes?|centimos?|centavos?|kope[ck]s?|kop|ore|gr(?= ?\/)|grosz[ey]?|paisa|paise|stotinki|bani|fils|agorot|haler[ue]?|sen|ppm|ppmin|cpm|ctpm|ppc|p(?= ?\/))\b|¢|\(p\)|\bp\/|\bin p\b|^p$|\bgbx\b|øre/,
    0.01,
  ],
]

/** `per 6 sec`, `/100 min`, `pro Minute`: a number, and what is counted. */
const PER = /(?:\b(per|pro|je|par|por|za)\b|\/)[ -]?(?:(\d[\d,.]*|hundred|thousand|1k) ?)?(\p{L}+)/gu

const COUNTED = /\b(\d[\d,.]*) ?(\p{L}+)/gu

const COUNTS: Readonly<Record<string, number>> = { hundred: 100, thousand: 1000, '1k': 1000 }

/** The nouns of prices that are no units: `Rate per destination`. */
const NO_UNITS = new Set(
  'destination country prefix code zone route operator network direction carrier supplier customer currency the'.split(
    ' ',
  ),
)

const CALL_WORDS = new Set('call calls connection attempt setup appel llamada anruf'.split(' '))

/** Units after a slash: another word there is a second name, as in `Price/Rate`. */
const STROKE_UNITS = new Set('pulse block unit kb mb gb sms message event month day'.split(' '))

/** A number by which rates are multiplied or divided: `Rate x1000`, `Rate/1000`, `in 1/10000 USD`. */
const MULTIPLE = /(?:\bx|[*×]) ?10+\b|(?<!\d ?)(?:\/|\bper) ?10{2,}(?![\d.,]* ?\p{L})|\b1\/10{2,}\b/u

const TAX = '(?:vat|tax(?:es)?|gst|mw ?st|ust|iva|tva|btw|moms|pvm|pdv|dph)'
const NO_TAX = new RegExp(
  `\\b(?:exc?(?:l(?:uding|usive|ud(?:es?|ed))?)?|not incl\\w*|net of|exkl|without|w/o|ohne|zzgl|plus|before|hors|sin|sans|pre)[ .-]*(?:of )?${TAX}\\b|\\b${TAX}[ .]*(?:exc|free|esclusa|(?:is|are) not)|\\+ ?${TAX}\\b`,
)
const INCLUDED_TAX = new RegExp(
  `\\b(?:inc(?:l(?:uding|usive|uded)?)?|inkl|with|mit)[ .]*(?:of )?${TAX}\\b|\\b${TAX}[ .]*(?:inc\\w*)?(?!\\p{L})|\\b(?:ttc|brutto|gross)\\b`,
  'u',
)
const WITH_TAX = new RegExp(`\\b(?:${TAX}|ttc|brutto|gross)\\b`)

/** The unit of the rates below a heading, or of a rate, if it is not a minute in whole units of money. */
export function rateUnitIn(heading: string): RateUnit | undefined {
  const text = plainHeading(heading).replace(/\s+/g, ' ')
  const money = MONEY_WORDS.find(([words]) => words.test(text))?.[1] ?? 1
  const periods = [
    ...Array.from(text.matchAll(PER), ([, per, count, word]) => periodOf(word, count, per !== undefined)),
    ...Array.from(text.matchAll(COUNTED), ([, count, word]) => periodOf(word, count, false)),
  ].filter((period) => period !== undefined)
  const isOfCall = periods.includes('call') || /\bppc\b|\bflat\b/.test(text)
  const isTaxed = WITH_TAX.test(text) && !NO_TAX.test(text)
  const seconds = MULTIPLE.test(text)
    ? 'unknown'
    : (periods.find((period) => period !== 'call') ?? bareUnit(text))
  if (money === 1 && seconds === 60 && !isOfCall && !isTaxed) return undefined
  const isKnown = seconds !== 'unknown' && !isOfCall && !isTaxed
  return {
    factor: isKnown ? factorText(money, Number(seconds)) : undefined,
    moneyFactor: factorText(money, 60),
    isOfCall,
    isTaxed,
    isMoneyOnly: isKnown && seconds === 60,
  }
}

/** The seconds of `per 6 sec`; `undefined` for other texts. */
function periodOf(
  word = '',
  count: string | undefined,
  isPer: boolean,
): number | 'call' | 'unknown' | undefined {
  if (CALL_WORDS.has(word)) return 'call'
  const unit = word === 'm' ? 'min' : UNIT_BY_WORD.get(word)
  if (unit !== undefined) return countOf(count) * LENGTH_UNITS[unit]
  return !NO_UNITS.has(word) && (isPer || STROKE_UNITS.has(word)) ? 'unknown' : undefined
}

const countOf = (text = '1'): number =>
  COUNTS[text] ?? Number(text.replace(/[.,](?=\d{3}(?!\d))/g, '').replace(',', '.'))

/** A heading that only mentions seconds or hours: 60 if it mentions none. */
function bareUnit(text: string): number {
  const units = (text.match(/\p{L}{3,}/gu) ?? []).flatMap((word) => UNIT_BY_WORD.get(word) ?? [])
  return units.includes('min')
    ? 60
    : LENGTH_UNITS[units.find((unit) => unit === 's' || unit === 'h') ?? 'min']
}

/** As a decimal, or as a fraction where that is endless: an hour's rate is `1/60` of a minute's. */
function factorText(money: number, seconds: number): string {
  const factor = Number(((money * 60) / seconds).toPrecision(12))
  const isExact = Math.abs(factor * 1e9 - Math.round(factor * 1e9)) < 1e-6
  return isExact
    ? String(factor)
    : `${Number((money * 60).toPrecision(12))}/${seconds}`.replace(/^60\/3600$/, '1/60')
}

/** A heading without the words of its unit: `Rate (per 6 sec)` and `Rate incl. VAT` are `rate`. */
export const withoutRateUnit = (heading: string): string =>
  plainHeading(heading)
    .replace(NO_TAX, ' ')
    .replace(INCLUDED_TAX, ' ')
    .replace(PER, (all, per, count, word) =>
      periodOf(word, count, per !== undefined) === undefined ? all : ' ',
    )
    .replace(/\b(?:milli|micro|ppm|ppmin|cpm|ctpm|ppc)\b/g, ' ')
