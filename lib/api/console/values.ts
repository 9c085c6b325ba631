import {
  amountInput,
  choiceInput,
  dayInput,
  idInput,
  inputOf,
  monthInput,
  type PlainInput,
  pageKeyInput,
  textInput,
} from '#lib/acts/inputs.ts'
import { NO_SUCH_ID } from '#lib/base/fields.ts'
import { typedAmount } from '#lib/base/money.ts'
import type { ConsoleParameter } from './resource.ts'

/*
 * The types of the parameters of the console's API. They refuse what they cannot read, where those of the
 * signed API count it as not sent.
 */

/** An id in a path. Anything but a whole number is the id of nothing. */
export const pathId: ConsoleParameter<number> = {
  describes: 'whole number',
  read: (raw = '') => (/^\d{1,15}$/.test(raw) ? Number(raw) : NO_SUCH_ID),
}

/** Text that is compared or looked up and never stored, such as an id in a path or a password. */
export const sentText: ConsoleParameter<string> = { describes: 'text', read: (raw = '') => raw }

/** The type of an input of acts; blank counts as not sent. */
const valueOfInput = <T>({ takes, read }: PlainInput<T>): ConsoleParameter<T | undefined> => ({
  describes: takes,
  read: (raw = '', name) => (raw.trim() === '' ? undefined : read(raw.trim(), name)),
})

/** A whole number from 0. */
export const wholeNumber = valueOfInput(idInput(''))

/** Trimmed text. It may be stored, so it must fit into an answer. */
export const plainText = valueOfInput(textInput(''))

/** A value that is stored as it is, blank or not. */
export const anyText: ConsoleParameter<string> = {
  describes: 'text',
  read: (raw = '', name) => {
    plainText.read(raw, name)
    return raw
  },
}

export const dayValue = valueOfInput(dayInput(''))

export const monthValue = valueOfInput(monthInput(''))

export const neededMonth: ConsoleParameter<string> = {
  describes: monthInput('').takes,
  read: (raw = '', name) => monthInput('').read(raw.trim(), name),
}

export const amountValue = valueOfInput(amountInput(''))

export const amountFromZero = valueOfInput(
  inputOf('decimal number from 0', '', (text) => {
    const amount = typedAmount(text)
    return amount?.startsWith('-') ? undefined : amount
  })(''),
)

export const oneWord = <const W extends string>(...words: readonly W[]) => ({
  ...valueOfInput(choiceInput(...words)('')),
  describes: words.join(', '),
})

export const pageKeyValue = (isPlace: (text: string) => boolean) => valueOfInput(pageKeyInput(isPlace)(''))

/** A switch that is on when it is sent as `yes`. */
export const yesValue = oneWord('yes')
