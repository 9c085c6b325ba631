import { isDay } from '#lib/domain/day.ts'
import { NO_SUCH_ID } from '#lib/domain/fields.ts'
import { type Money, moneyOf } from '#lib/domain/money.ts'
import { fitsXml, MAX_TEXT_LENGTH } from '#lib/domain/text.ts'
import type { ParameterType } from '../parameters.ts'
import { invalidValue } from './refusals.ts'

/*
 * The types of the parameters of the console's API. They refuse what they cannot read, where those of the signed API count
 * it as not sent.
 */

/** An id in a path. Anything but a whole number is the id of nothing. */
export const pathId: ParameterType<number> = {
  describes: 'whole number',
  read: (raw = '') => (/^\d{1,15}$/.test(raw) ? Number(raw) : NO_SUCH_ID),
}

export const pathText: ParameterType<string> = { describes: 'text', read: (raw = '') => raw }

/** A whole number from 0; blank counts as not sent. */
export const wholeNumber: ParameterType<number | undefined> = {
  describes: 'whole number',
  read: (raw = '', name) => {
    if (raw.trim() === '') return undefined
    if (!/^\d{1,15}$/.test(raw.trim())) throw invalidValue(`${name} is "${raw}": it takes a whole number.`)
    return Number(raw)
  },
}

/** Text without blanks around it; blank counts as not sent. It may be stored, so it must fit into an answer. */
export const plainText: ParameterType<string | undefined> = {
  describes: 'text',
  read: (raw = '', name) => {
    const text = raw.trim()
    if (!fitsXml(text) || text.length > MAX_TEXT_LENGTH)
      throw invalidValue(`${name} has characters that cannot be stored, or too many of them.`)
    return text || undefined
  },
}

/** A value that is stored as it is, blank or not. */
export const anyText: ParameterType<string> = {
  describes: 'text',
  read: (raw = '', name) => {
    plainText.read(raw, name)
    return raw
  },
}

/** A password or a token, which is compared and never stored. */
export const secretText: ParameterType<string> = { describes: 'text', read: (raw = '') => raw }

/** `YYYY-MM-DD`; blank counts as not sent. */
export const dayValue: ParameterType<string | undefined> = {
  describes: 'day as YYYY-MM-DD',
  read: (raw = '', name) => {
    if (raw === '') return undefined
    if (!isDay(raw)) throw invalidValue(`${name} is "${raw}": it takes a day such as 2026-03-10.`)
    return raw
  },
}

/** A decimal number; blank counts as not sent. */
export const amountValue: ParameterType<Money | undefined> = {
  describes: 'decimal number',
  read: (raw = '', name) => {
    if (raw.trim() === '') return undefined
    const amount = moneyOf(raw.trim())
    if (amount === undefined) throw invalidValue(`${name} is "${raw}": it takes a number such as 12.50.`)
    return amount
  },
}

/** One of these words; blank counts as not sent. */
export const oneWord = <const W extends string>(...words: readonly W[]): ParameterType<W | undefined> => ({
  describes: words.join(', '),
  read: (raw = '', name) => {
    if (raw === '') return undefined
    const word = words.find((one) => one === raw)
    if (word === undefined) throw invalidValue(`${name} is "${raw}": it takes ${words.join(', ')}.`)
    return word
  },
})
