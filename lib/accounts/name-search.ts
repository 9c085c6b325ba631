import { companyOrPerson } from '#lib/base/account-types.ts'
import { memoize } from '#lib/base/collections.ts'

/** The columns of an account by which people look for it. */
export interface Named {
  readonly id: number
  readonly username: string
  readonly first_name: string
  readonly last_name: string
  readonly clientid: string
  readonly company_name: string
}

/** Each text is an item of the table, and a transaction writes at most a hundred items. */
const MAX_TEXTS = 12
/** In UTF-16 code units. */
const MAX_TEXT_LENGTH = 40

/** The words of a text without case and accents: `Émile_O'Neill` has three. */
export const foldedWords = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toUpperCase()
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** Cuts between two characters. */
const shortText = (words: readonly string[]): string =>
  words
    .join(' ')
    .slice(0, MAX_TEXT_LENGTH)
    .toWellFormed()
    .replace(/\uFFFD$/, '')

/**
 * The texts by which an account is found: first the name that lists show and order it by, then each of its
 * names from each of their words on: `anna adams` and `adams`. The search for the beginning of a word is a
 * search for the beginning of such a text. A text with which another one begins finds nothing more. Each
 * item of an account asks for all of them.
 */
export const textsToFind = memoize((account: Named): readonly string[] => {
  const { first_name, last_name, username, clientid, company_name } = account
  const names = [company_name, `${first_name} ${last_name}`, username, clientid].map(foldedWords)
  const texts = [...new Set(names.flatMap((words) => words.map((_, from) => shortText(words.slice(from)))))]
  const ordered = shortText(foldedWords(companyOrPerson(account)))
  const others = texts.filter((text) => !texts.some((other) => other !== text && other.startsWith(text)))
  return [...new Set([ordered, ...others])].slice(0, MAX_TEXTS)
})

/** The text that a search looks for: the start of one of `textsToFind`. Blank without letters and digits. */
export const searchedText = (search: string): string => shortText(foldedWords(search))

/** Whether each word begins a word of these texts. */
export const hasWords = (texts: readonly string[], wanted: readonly string[]): boolean => {
  const words = texts.flatMap((text) => text.split(' '))
  return wanted.every((one) => words.some((word) => word.startsWith(one)))
}
