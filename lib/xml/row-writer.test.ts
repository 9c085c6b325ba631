import fc from 'fast-check'
import { expect, test } from 'vitest'
import { element } from './element.ts'
import { render } from './render.ts'
import { rowWriter } from './row-writer.ts'

test('a row is written as its elements would be rendered, whatever it holds', () => {
  const fields = ['a', 'b', 'c'] as const
  const write = rowWriter('row', fields)
  const text = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(fc.record({ a: text, b: fc.integer(), c: fc.option(text, { nil: undefined }) }), (row) => {
      expect(write(row)).toBe(
        render(
          element(
            'row',
            fields.map((field) => element(field, row[field])),
          ),
        ),
      )
    }),
  )
})
