import fc from 'fast-check'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { hostileText } from '#test/hostile/hostile-text.ts'
import { type Columns, flag, id, integer, money, optional, optionalId, text } from './columns.ts'
import { pack, unpacker } from './packed-row.ts'

const columns = {
  name: text(),
  owner_id: optionalId,
  amount: money(),
  discount: optional(money()),
  count: integer(),
  open: flag(false),
}

const unpack = unpacker(columns)

const rows = fc.record({
  name: hostileText.map((value) => value.toWellFormed()),
  owner_id: fc.option(fc.nat(), { nil: undefined }),
  amount: fc.constantFrom('0.10', '123456789012345678901234567890', '-7'),
  discount: fc.option(fc.constant('0.000000000000001'), { nil: undefined }),
  count: fc.integer(),
  open: fc.boolean(),
})

test('any row is read as it was packed, its columns in their order', () => {
  fc.assert(
    fc.property(rows, (row) => {
      const read = unpack({ row: pack(columns, row) })
      expect(read).toEqual(row)
      expect(Object.keys(read)).toEqual(Object.keys(columns))
    }),
  )
})

test('amounts stay text, and absent values are null', () => {
  const row = { name: 'n', amount: '0.10', count: 7, open: true, owner_id: undefined, discount: undefined }

  expect(pack(columns, row)).toBe('[1,"n",null,"0.10",null,7,true]')
})

test.each([
  ['-1', undefined],
  [' -42 ', undefined],
  ['7', 7],
  ['-x', '-x'],
])('an optional id is read from "%s" as %o', (cell, value) => {
  expect(optionalId.fromCell(cell, { International_Prefix: '', National_Prefix: '' })).toBe(value)
})

test('a column may hold rows', () => {
  const list = { ...text(), schema: v.array(v.any()), rows: { name: text(), amount: optional(money()) } }
  const row = {
    id: 5,
    list: [
      { name: 'a', amount: '1' },
      { name: 'b', amount: undefined },
    ],
  }
  const packed = pack({ id, list } as Columns, row)

  expect(packed).toBe('[1,5,[["a","1"],["b",null]]]')
  expect(unpacker({ id, list } as Columns)({ row: packed })).toEqual(row)
  expect(() => unpacker({ id, list } as Columns)({ row: '[1,5,[["a"]]]' })).toThrow('not a row of 2 columns')
})

test.each(['[2,"n",null,"1",null,7,true]', '{}', 'null', '"text"', '[]'])(
  'another layout is refused: %s',
  (row) => {
    expect(() => unpack({ row })).toThrow('not a row of layout 1')
  },
)

test.each(['[1,"n",null,"1",null,7]', '[1,"n",null,"1",null,7,true,0]'])(
  'another number of cells is refused: %s',
  (row) => {
    expect(() => unpack({ row })).toThrow('not a row of 6 columns')
  },
)

test.each([{}, { row: undefined }, { row: '[1,' }])(
  'an item without a packed row is not read: %o',
  (item) => {
    expect(() => unpack(item)).toThrow()
  },
)
