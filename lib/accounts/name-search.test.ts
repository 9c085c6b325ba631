import { expect, test } from 'vitest'
import { foldedWords, hasWords, orderedName, searchedText, textsToFind } from './name-search.ts'

const named = (change: Partial<Parameters<typeof textsToFind>[0]>) => ({
  id: 7,
  username: '',
  first_name: '',
  last_name: '',
  clientid: '',
  ...change,
})

test.each([
  ["Émile_O'Neill", ['emile', 'o', 'neill']],
  ['STRASSE Straße', ['strasse', 'strasse']],
  ['ＡＣＭＥ-77/B', ['acme', '77', 'b']],
  ['--- +++', []],
])('the words of %j, without case and accents', (text, words) => {
  expect(foldedWords(text)).toEqual(words)
})

test('an account is found from each word of its names, its username, its client number and its id', () => {
  const anna = named({
    id: 5,
    first_name: 'Anna Maria',
    last_name: 'Adams',
    username: 'nw_bakery',
    clientid: 'C-77',
  })

  expect(textsToFind(anna)).toEqual([
    '5',
    'anna maria adams',
    'maria adams',
    'adams',
    'nw bakery',
    'bakery',
    'c 77',
    '77',
  ])
})

test('a text with which another one begins finds nothing more', () => {
  expect(textsToFind(named({ id: 1, first_name: 'Anna', last_name: 'Adams', username: 'anna' }))).toEqual([
    '1',
    'anna adams',
    'adams',
  ])
})

test('an account has at most twelve texts of forty characters, which end between two characters', () => {
  const words = Array.from({ length: 30 }, (_, index) => `w${index}`)
  const texts = textsToFind(named({ first_name: words.join(' ') }))

  expect(texts).toHaveLength(12)
  expect(texts[1]).toBe('w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w1')
  expect(searchedText(`${'a'.repeat(39)}𐐨𐐨`)).toBe('a'.repeat(39))
})

test('accounts are ordered by their names, and by the username without them', () => {
  expect(orderedName(named({ first_name: 'Émile', last_name: 'Adams', username: 'x' }))).toBe('emile adams')
  expect(orderedName(named({ username: 'NW_Bakery' }))).toBe('nw bakery')
})

test.each([
  [['anna'], true],
  [['ad', 'an'], true],
  [[], true],
  [['dams'], false],
  [['anna', 'bob'], false],
])('each of the words %j begins a word of the texts: %s', (wanted, found) => {
  expect(hasWords(['anna adams', 'nw bakery'], wanted)).toBe(found)
})
