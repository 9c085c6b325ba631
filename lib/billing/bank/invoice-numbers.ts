import type { Day } from '#lib/base/calendar.ts'
import { hasCheckDigits } from '#lib/base/text.ts'

/**
 * A number that a payer may have meant: as it is printed, without its first parts or otherwise spelt
 * (`2026-3`, `A 2026 3`), or only as a count, which may also be the number of a house.
 */
export interface NumberGuess {
  readonly number: string
  readonly certainty: 'whole' | 'part' | 'count'
}

/** Texts of banks are in capitals, and without some characters. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[‐-―−]/g, '-')

const BETWEEN = String.raw`[\s\-_/.:#]*`

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** A literal part of a format: its letters and digits in their order, with anything usual between them. */
const literal = (text: string): string =>
  plain(text)
    .replace(/[^A-Z0-9]+/g, ' ')
    .trim()
    .split('')
    .map((one) => (one === ' ' ? BETWEEN : escaped(one)))
    .join('\\s?')

/** How numbers of a series are written, by the setting of the seller: `A-{year}-{n}`. */
export interface NumberForm {
  readonly format: string
  readonly whole: RegExp
  readonly part: RegExp | undefined
  /** Letters, or a year, tell a number from any other one. */
  readonly isDistinct: boolean
}

/** A year and a count that are not of a day: banks write `05-03-2026 13:21` and `2026-03-05`. */
const PART = /(?<!\d[-/.\u00AD]?)(?<year>20\d\d)[\s\-_/.:#]+0*(?<n>\d{1,9})(?!\d|[-/.]\d\d(?!\d))/g

export function numberForm(format: string): NumberForm {
  const parts = format.split(/(\{year\}|\{n\})/).filter((part) => part !== '')
  const pattern = (some: readonly string[]) =>
    some
      .map((part) => {
        if (part === '{year}') return String.raw`(?<year>20\d\s?\d)`
        return part === '{n}' ? String.raw`0*(?<n>\d{1,9})` : literal(part)
      })
      .filter((part) => part !== '')
      .join(BETWEEN)
  const year = parts.indexOf('{year}')
  const isYearFirst = year > 0 && year < parts.indexOf('{n}')
  return {
    format,
    whole: new RegExp(String.raw`(?<before>[A-Z])?(?<!\d)${pattern(parts)}(?!\d)`, 'g'),
    part: isYearFirst ? PART : undefined,
    isDistinct: /[A-Za-z]/.test(format.replaceAll(/\{\w+\}/g, '')) || year >= 0,
  }
}

const numberOf = (
  { format }: NumberForm,
  { year = '', n = '' }: Record<string, string | undefined>,
): string => format.replaceAll('{year}', year.replaceAll(/\s/g, '')).replaceAll('{n}', String(Number(n)))

/** A text of a bank has at most some hundred characters; one of a hostile file has more. */
const MOST_CHARACTERS = 2000

const MOST_GUESSES = 12

/** The numbers that a remittance text may name, the most certain first. */
export function numbersInText(text: string, form: NumberForm, day: Day): NumberGuess[] {
  const said = plain(text.slice(0, MOST_CHARACTERS))
  const found = (pattern: RegExp | undefined) => [...(pattern ? said.matchAll(pattern) : [])]
  // `2025-12 A 2026-1` is a period. Blanks and zeros before the count may differ from the number.
  const guessOf = ({ 0: written, groups = {} }: RegExpExecArray): NumberGuess => {
    const number = numberOf(form, groups)
    const said = written.replace(/\s/g, '').replace(/(?<!\d)0+(?=[1-9]\d*$|0$)/, '')
    const isWhole = form.isDistinct && said === plain(number).replace(/\s/g, '')
    return { number, certainty: isWhole ? 'whole' : 'part' }
  }
  const years = [day.slice(0, 4), String(Number(day.slice(0, 4)) - 1)]
  const guesses: NumberGuess[] = [
    ...found(form.whole).map(guessOf),
    ...found(CREDITOR_REFERENCE).flatMap(([reference]) => numbersOfReference(reference, form)),
    ...found(form.part).map(guessOf),
    ...found(COUNT).flatMap(([n]) =>
      years.map((year): NumberGuess => ({ number: numberOf(form, { year, n }), certainty: 'count' })),
    ),
  ]
  const isFirst = ({ number }: NumberGuess, index: number) =>
    guesses.findIndex((one) => one.number === number) === index
  return guesses.filter(isFirst).slice(0, MOST_GUESSES)
}

/** RF, or the 27 digits of a Swiss QR bill. */
const CREDITOR_REFERENCE = /(?<![A-Z0-9])(?:RF\d\d(?: ?[A-Z0-9]){1,21}|(?:\d ?){26}\d)(?![A-Z0-9])/g

const COUNT = /(?<![\dA-Z])\d{1,9}(?!\d)/g

/** Words that may be the number of an imported invoice, which has the form of another program. */
export function wordsInText(text: string): NumberGuess[] {
  const words = plain(text.slice(0, MOST_CHARACTERS))
    .split(/[\s,;:()]+/)
    .map((word) => word.replace(/^[.\-/#]+/, '').replace(/(?<![.\-/])[.\-/]+$/, ''))
    .slice(0, 60)
  // The letters before a number: `INV 00123`.
  const joined = words.map((word, index) => {
    const before = words[index - 1] ?? ''
    return /^[A-Z]{1,4}$/.test(before) ? `${before}${word}` : ''
  })
  const isNumber = (word: string) => /\d/.test(word) && word.length >= 3 && word.length <= 40
  return [
    ...words.filter(isNumber).map((number): NumberGuess => {
      const isWhole = /[A-Z]/.test(number) && number.length >= 5
      return { number, certainty: isWhole ? 'whole' : 'part' }
    }),
    ...joined.filter(isNumber).map((number): NumberGuess => ({ number, certainty: 'part' })),
  ].slice(0, MOST_GUESSES)
}

/**
 * The numbers for which a reference stands: RF (ISO 11649), that of a Swiss QR bill, or a number. A few
 * digits in a column of references may also be of the bank.
 */
export function numbersOfReference(given: string, form: NumberForm): NumberGuess[] {
  const reference = given.replace(/\s/g, '').toUpperCase()
  const certainty = /^\d{1,9}$/.test(reference) ? 'part' : 'whole'
  return numbersIn(reference, form).map((number) => ({ number, certainty }))
}

function numbersIn(reference: string, form: NumberForm): string[] {
  if (isCreditorReference(reference)) return numbersOfBody(reference.slice(4), form)
  if (isQrReference(reference)) return numbersOfDigits(reference.slice(0, -1).replace(/^0+/, ''), form)
  return numbersOfBody(reference, form)
}

/** RF, two check digits, and the reference. */
export const isCreditorReference = (reference: string): boolean =>
  /^RF\d\d[A-Z0-9]{1,21}$/.test(reference) && hasCheckDigits(reference)

const QR_TABLE = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5]

/** 26 digits and a check digit, modulo 10 recursively. */
export function isQrReference(reference: string): boolean {
  if (!/^\d{27}$/.test(reference)) return false
  const digits = [...reference].map(Number)
  const carried = digits.slice(0, -1).reduce((carry, digit) => QR_TABLE[(carry + digit) % 10] ?? 0, 0)
  return (10 - carried) % 10 === digits.at(-1)
}

function numbersOfBody(body: string, form: NumberForm): string[] {
  const [found] = body.matchAll(form.whole)
  const isAll = found?.[0].replace(/[^A-Z0-9]/g, '').length === body.replace(/[^A-Z0-9]/g, '').length
  return [...(isAll && found?.groups ? [numberOf(form, found.groups)] : []), body]
}

/** The digits of a number, without its letters. */
function numbersOfDigits(digits: string, form: NumberForm): string[] {
  const [, year, n] = /^(20\d\d)0*(\d{1,9})$/.exec(digits) ?? []
  if (!form.format.includes('{year}')) return [numberOf(form, { n: digits }), digits]
  return year === undefined ? [digits] : [numberOf(form, { year, n }), digits]
}
