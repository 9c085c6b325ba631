import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CUSTOMER_LANGUAGES } from '#lib/base/language/language.ts'
import { STATEMENT_TEXTS } from '#lib/billing/ledger/movement-kinds.ts'
import { PORTAL_TEXTS } from './texts.ts'

const folder = new URL('.', import.meta.url)

const sources = [
  ...readdirSync(folder)
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8').replace(/_TEXTS = \{.*?\n\} as const/s, '')),
  readFileSync(new URL('../shell/sign-in.tsx', folder), 'utf8'),
].join('\n')

test('every text of the page of a customer is there in every language, with the same values', () => {
  for (const [name, texts] of Object.entries(PORTAL_TEXTS)) {
    const values = texts.map((text: string) => (text.match(/\{\w+\}/g) ?? []).sort())

    expect([name, texts.length]).toEqual([name, CUSTOMER_LANGUAGES.length])
    expect([name, texts.filter((text: string) => text.trim() === '')]).toEqual([name, []])
    expect([name, values]).toEqual([name, values.map(() => values[0])])
  }
})

test('every text is used', () => {
  const unused = Object.keys(PORTAL_TEXTS).filter(
    (name) => !(name in STATEMENT_TEXTS) && !sources.includes(`'${name}'`),
  )

  expect(unused).toEqual([])
})

/** The demo is for operators. */
const OF_THE_DEMO = /^(Its admin may do everything|Fill in)/

test('the sources of the page have no words of their own', () => {
  const words = [...sources.matchAll(/>\s*([A-Z][a-z]+ [a-z][^<>{}]*)</g)].map(([, text = '']) => text)

  expect(words.filter((text) => !OF_THE_DEMO.test(text))).toEqual([])
})
