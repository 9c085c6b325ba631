import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { withoutNonXml } from '#lib/domain/text.ts'
import { hostileText } from '#lib/testing/hostile-text.ts'
import { type Content, element, type Rows, withAttributes } from './element.ts'
import { documentOf, render, renderPieces, wholeDocument } from './render.ts'

const streamed = (content: Content): Promise<string> =>
  textOf(Readable.from(renderPieces(documentOf(element('page', content)))))

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

test('a document is its declaration and its root, without indentation', () => {
  expect(wholeDocument(element('page', element('x')))).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><x/></page>',
  )
})

test('a strict parser reads back whatever fits XML, in text and in attributes', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const fitted = withoutNonXml(text)
      const document = wholeDocument(withAttributes({ a: text }, element('root', text)))
      expect(parsed(document)).toEqual({ text: fitted, attribute: fitted })
    }),
  )
})

async function* batches(...of: Content[]) {
  yield* of
}

const rowsOf = (...of: Content[]): Rows => ({ batches: batches(...of), expectedBytes: 0 })

test('rows that come in batches stand where they belong', async () => {
  const rows = rowsOf([element('r', 1), element('r', '<')], undefined, { markup: '<r>3</r>' })

  expect(await streamed([element('before'), element('rows', rows), 'after'])).toContain(
    '<page><before/><rows><r>1</r><r>&lt;</r><r>3</r></rows>after</page>',
  )
})

test.each([
  ['an element whose rows never come is self-closed', () => element('rows', rowsOf()), '<rows/>'],
  [
    'one with attributes too',
    () => withAttributes({ a: '/>' }, element('rows', rowsOf([]))),
    '<rows a="/&gt;"/>',
  ],
  ['beside something else it is not', () => element('a', element('b'), rowsOf()), '<a><b/></a>'],
  ['nor beside a text', () => element('a', '>', rowsOf(), rowsOf()), '<a>&gt;</a>'],
  ['nor before something', () => element('a', rowsOf(), element('b')), '<a><b/></a>'],
  ['of two lists one may come', () => element('a', rowsOf(), rowsOf('x'), rowsOf()), '<a>x</a>'],
  ['rows may hold rows', () => rowsOf(element('a', rowsOf(element('b', rowsOf())))), '<a><b/></a>'],
])('%s', async (_case, content, expected) => {
  expect(await streamed(content())).toBe(`<?xml version="1.0" encoding="UTF-8"?><page>${expected}</page>`)
})

/** Any content at all; each part that is an array may stand there at once, or be a list that comes in batches. */
const content = fc.letrec<{ content: Content; element: Content; list: readonly Content[] }>((tie) => ({
  content: fc.oneof(
    { maxDepth: 4 },
    hostileText,
    fc.integer(),
    fc.constant(undefined),
    tie('element'),
    tie('list'),
  ),
  element: fc
    .tuple(fc.constantFrom('a', 'b'), fc.dictionary(fc.constantFrom('x', 'y'), hostileText), tie('content'))
    .map(([tag, attributes, inner]) => withAttributes(attributes, element(tag, inner))),
  list: fc.array(tie('content'), { maxLength: 4 }),
})).content

/** The same, with its lists still to come, and its elements with numbers only written already. */
function toCome(of: Content): Content {
  if (typeof of !== 'object') return of
  if ('tag' in of)
    return typeof of.content === 'number' ? { markup: render(of) } : { ...of, content: toCome(of.content) }
  return Array.isArray(of) ? rowsOf(...of.map(toCome)) : of
}

test('what comes in batches, or is written already, makes the document that it makes as a whole', async () => {
  await fc.assert(
    fc.asyncProperty(content, async (of) => {
      expect(await streamed(toCome(of))).toBe(wholeDocument(element('page', of)))
    }),
  )
})

test('what is still to come is not rendered as a whole', () => {
  expect(() => render(element('a', rowsOf()))).toThrow('piece by piece')
})
