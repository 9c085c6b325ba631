import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { fitsXml } from '#lib/domain/text.ts'
import { type Content, type Element, element, type Rows, withAttributes } from './element.ts'
import { expectedBytes, render, renderDocument } from './render.ts'

const documentOf = (root: Element): Promise<string> => textOf(Readable.from(renderDocument(root)))

/** The text of the root and its attribute `a`, as a strict parser reads them. */
function parsed(document: string): { text: string; attribute: string | undefined } {
  const read = { text: '', attribute: undefined as string | undefined }
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('text', (text) => {
    read.text += text
  })
  parser.on('opentag', ({ attributes }) => {
    read.attribute = attributes['a'] as string | undefined
  })
  parser.write(document).close()
  return read
}

test.each([
  ['text is escaped', element('a', '<b> & "c"'), '<a>&lt;b&gt; &amp; "c"</a>'],
  ['what looks escaped already is escaped again', element('a', '&amp;'), '<a>&amp;amp;</a>'],
  ['a carriage return survives', element('a', 'x\r\ny'), '<a>x&#13;\ny</a>'],
  [
    'empty and absent values are self-closed',
    element('a', element('b', ''), element('c')),
    '<a><b/><c/></a>',
  ],
  ['undefined vanishes, lists flatten', element('a', undefined, [element('b'), [1]]), '<a><b/>1</a>'],
  ['zero is a value', element('a', 0), '<a>0</a>'],
  [
    'attributes escape quotes, tabs and line feeds too',
    withAttributes({ x: '"<\t\n\r&' }, element('a')),
    '<a x="&quot;&lt;&#9;&#10;&#13;&amp;"/>',
  ],
  [
    'control characters and lone surrogates are dropped',
    element('a', 'x\u0000\u001F\uD800y\uFFFE'),
    '<a>xy</a>',
  ],
  ['emoji and right-to-left text stay', element('a', '😀 שלום'), '<a>😀 שלום</a>'],
])('%s', (_rule, content, expected) => {
  expect(render(content)).toBe(expected)
})

test('a document is its declaration and its root, without indentation', async () => {
  expect(await documentOf(element('page', element('x')))).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><x/></page>',
  )
})

test('a strict parser reads back any text that fits XML, in text and in attributes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }).filter(fitsXml), async (text) => {
      const document = await documentOf(withAttributes({ a: text }, element('root', text)))
      expect(parsed(document)).toEqual({ text, attribute: text })
    }),
  )
})

test('any string at all makes a well-formed document', async () => {
  const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units))
  await fc.assert(
    fc.asyncProperty(anyUnits, async (text) => {
      expect(parsed(await documentOf(element('root', text)))).toBeDefined()
    }),
  )
})

async function* batches(...of: Content[]) {
  yield* of
}

test('rows that come in batches stand where they belong', async () => {
  const rows: Rows = {
    batches: batches([element('r', 1), element('r', '<')], { markup: '<r>3</r>' }),
    expectedBytes: 30,
  }

  expect(await documentOf(element('page', element('before'), element('rows', rows), 'after'))).toContain(
    '<page><before/><rows><r>1</r><r>&lt;</r><r>3</r></rows>after</page>',
  )
})

test('an element whose rows never come is self-closed', async () => {
  expect(
    await documentOf(element('page', element('rows', { batches: batches(), expectedBytes: 0 }))),
  ).toContain('<page><rows/></page>')
})

test('the length of what is still to come adds up; without any there is none', () => {
  const rows: Rows = { batches: batches(), expectedBytes: 30 }

  expect(expectedBytes(element('page', [rows, element('x', rows)], 'text'))).toBe(60)
  expect(expectedBytes(element('page', 'text'))).toBeUndefined()
})
