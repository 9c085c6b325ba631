import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberOf, readItem } from './items.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 8 })
const decimal = fc.stringMatching(/^-?(0|[1-9]\d{0,19})(\.\d{1,18})?(E[+-]\d{1,2})?$/)

const plain = fc.oneof(
  text.map((S) => ({ S })),
  decimal.map((N) => ({ N })),
  fc.integer().map((n) => ({ N: String(n) })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.uint8Array({ maxLength: 8 }).map((B) => ({ B })),
  fc.constant({ NULL: true }),
  fc.array(text, { minLength: 1, maxLength: 3 }).map((SS) => ({ SS })),
  fc.array(decimal, { minLength: 1, maxLength: 3 }).map((NS) => ({ NS })),
)

const nested = fc.oneof(
  plain,
  fc.array(plain, { maxLength: 3 }).map((L) => ({ L })),
  fc.dictionary(text, plain, { maxKeys: 3 }).map((M) => ({ M })),
)

test('any item is read as the document client reads it', () => {
  fc.assert(
    fc.property(fc.dictionary(text, nested, { maxKeys: 8 }), (attributes) => {
      const asClient = unmarshall(attributes as never, { wrapNumbers: numberOf })
      expect(readItem({ ...attributes } as never)).toStrictEqual(asClient)
    }),
    { numRuns: 500 },
  )
})

test('an item is read as it was stored', () => {
  const item = {
    text: '',
    whole: -7,
    amount: '0.10',
    flag: false,
    bytes: Buffer.from([0, 255]),
    list: [['x']],
  }

  expect(readItem(marshall(item))).toStrictEqual(item)
})

test.each([
  ['7', 7],
  ['-7', -7],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', '9007199254740993'],
  ['0.1', '0.1'],
  ['1E+2', '1E+2'],
  ['0.30000000000000000004', '0.30000000000000000004'],
])('the number %s is read as %j', (stored, read) => {
  expect(numberOf(stored)).toBe(read)
})
