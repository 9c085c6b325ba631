import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { withoutNonXml } from '#lib/base/text.ts'
import { hostileText } from '#test/hostile/hostile-text.ts'
import { element, withAttributes } from './element.ts'
import { render } from './render.ts'
import { cellsWriter, rowWriter } from './row-writer.ts'
import { elementNode, textNodes, write } from './xml-js.ts'

const FIELDS = ['a', 'b', 'c'] as const
const writeRows = rowWriter('row', FIELDS)

const rows = fc.array(
  fc.record({ a: hostileText, b: fc.integer(), c: fc.option(hostileText, { nil: undefined }) }),
)

test('rows and elements equal what xml-js writes, byte for byte, whatever their text', () => {
  fc.assert(
    fc.property(rows, hostileText, (list, note) => {
      const written = list.map((row) =>
        elementNode(
          'row',
          FIELDS.map((field) => elementNode(field, textNodes(String(row[field] ?? '')))),
        ),
      )
      const elements = list.map((row) =>
        element(
          'row',
          FIELDS.map((field) => element(field, row[field])),
        ),
      )
      expect(writeRows(list).markup).toBe(write(written))
      expect(render(withAttributes({ note }, element('rows', elements)))).toBe(
        write([elementNode('rows', written, { note })]),
      )
    }),
  )
})

test('a strict parser reads back the cells of rows', () => {
  fc.assert(
    fc.property(rows, (list) => {
      const cells = list.flatMap(({ a, b, c = '' }) => [withoutNonXml(a), String(b), withoutNonXml(c)])
      expect(cellsIn(writeRows(list).markup)).toEqual(cells)
    }),
  )
})

/** The text of every element that is a cell, as a strict parser reads it. */
function cellsIn(markup: string): string[] {
  const cells: string[] = []
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name }) => {
    if (name !== 'row' && name !== 'rows') cells.push('')
  })
  parser.on('text', (text) => {
    cells.push(`${cells.pop() ?? ''}${text}`)
  })
  parser.write(`<rows>${markup}</rows>`).close()
  return cells
}

test('a cell may have children', () => {
  const write = rowWriter('call', ['at', 'src'])
  const writeMoment = cellsWriter(['date', 'zone'])

  expect(write([{ at: writeMoment({ date: '1 > 0', zone: '' }), src: 7 }])).toEqual({
    markup: '<call><at><date>1 &gt; 0</date><zone/></at><src>7</src></call>',
  })
})
