import { expect, test } from 'vitest'
import { foldedWords, hasWords, searchedText, textsToFind } from './name-search.ts'

const named = (change: Partial<Parameters<typeof textsToFind>[0]>) => ({
  id: 7,
  username: '',
  first_name: '',
  last_name: '',
  clientid: '',
  company_name: '',
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

test('an account is found from each word of its company, its names, its username and its client number', () => {
  const anna = named({
    id: 5,
    first_name: 'Anna Maria',
    last_name: 'Adams',
    username: 'nw_bakery',
    clientid: 'C-77',
    company_name: 'North Wharf Bakery',
  })

  expect(textsToFind(anna)).toEqual([
    'north wharf bakery',
    'wharf bakery',
    'bakery',
    'anna maria adams',
    'maria adams',
    'adams',
    'nw bakery',
    'c 77',
    '77',
  ])
})

test('a text with which another one begins finds nothing more', () => {
  expect(textsToFind(named({ id: 1, first_name: 'Anna', last_name: 'Adams', username: 'anna' }))).toEqual([
    'anna adams',
    'adams',
  ])
})

test('an account has at most twelve texts of forty characters, which end between two characters', () => {
  const words = Array.from({ length: 30 }, (_, index) => `w${index}`)
  const texts = textsToFind(named({ first_name: words.join(' ') }))

  expect(texts).toHaveLength(12)
  expect(texts[0]).toBe('w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w1')
  expect(searchedText(`${'a'.repeat(39)}𐐨𐐨`)).toBe('a'.repeat(39))
})

test.each([
  [{ first_name: 'Émile', last_name: 'Adams', username: 'x' }, 'emile adams'],
  [{ username: 'NW_Bakery' }, 'nw bakery'],
  [{ first_name: 'Anna', username: 'annabel' }, 'anna'],
  [{ first_name: 'Anna', company_name: 'Zest Ltd' }, 'zest ltd'],
  [{ first_name: '---', username: 'dash' }, ''],
])('the first text of %j orders it', (account, text) => {
  expect(textsToFind(named(account))[0]).toBe(text)
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
