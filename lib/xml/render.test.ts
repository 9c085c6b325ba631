import { Readable } from 'node:stream'
import { text as frameText } from 'node:stream/consumers'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { withoutNonXml } from '#lib/base/text.ts'
import { hostileText } from '#test/hostile/hostile-text.ts'
import { type Content, element, type RowStream, withAttributes } from './element.ts'
import { documentOf, render, renderPieces, wholeDocument } from './render.ts'

const streamed = (content: Content): Promise<string> =>
  frameText(Readable.from(renderPieces(documentOf(element('page', content)))))

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

test('markup as a whole answer is plain text', () => {
  expect(wholeDocument({ markup: '1.50 < 2' })).toBe('1.50 < 2')
})

test.each([
  ['text is escaped', element('a', '<b> & "c"'), '<a>&lt;b&gt; &amp; "c"</a>'],
  ['an escape sequence is escaped again', element('a', '&amp;'), '<a>&amp;amp;</a>'],
  ['a carriage return survives', element('a', 'x\r\ny'), '<a>x&#13;\ny</a>'],
  [
    'empty and absent values are self-closed',
    element('a', element('b', ''), element('c')),
    '<a><b/><c/></a>',
  ],
  [
    'undefined is omitted, and lists are flattened',
    element('a', undefined, [element('b'), [1]]),
    '<a><b/>1</a>',
  ],
  [
    'markup is kept as it is, and empty markup leaves nothing',
    element('a', element('b', { markup: '' }), { markup: '<c>&lt;</c>' }, { markup: '<d/>' }),
    '<a><b/><c>&lt;</c><d/></a>',
  ],
  ['zero is a value', element('a', 0), '<a>0</a>'],
  [
    'attributes also escape quotes, tabs and line feeds',
    withAttributes({ x: '"<\t\n\r&' }, element('a')),
    '<a x="&quot;&lt;&#9;&#10;&#13;&amp;"/>',
  ],
  [
    'control characters and lone surrogates are removed',
    element('a', 'x\u0000\u001F\uD800y\uFFFE'),
    '<a>xy</a>',
  ],
  ['emoji and right-to-left text are kept', element('a', '😀 שלום'), '<a>😀 שלום</a>'],
])('%s', (_rule, content, expected) => {
  expect(render(content)).toBe(expected)
})

test('a document consists of its declaration and its root, without indentation', () => {
  expect(wholeDocument(element('page', element('x')))).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><x/></page>',
  )
})

test('a strict parser reads back every text that XML allows, also from attributes', () => {
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

const streamOf = (...of: Content[]): RowStream => ({ batches: batches(...of), expectedBytes: 0 })

test('rows that arrive in batches are in their place', async () => {
  const rows = streamOf([element('r', 1), element('r', '<')], undefined, { markup: '<r>3</r>' })

  expect(await streamed([element('before'), element('rows', rows), 'after'])).toContain(
    '<page><before/><rows><r>1</r><r>&lt;</r><r>3</r></rows>after</page>',
  )
})

test.each([
  ['an element with an empty row stream is self-closed', () => element('rows', streamOf()), '<rows/>'],
  [
    'so is an element with attributes',
    () => withAttributes({ a: '/>' }, element('rows', streamOf([]))),
    '<rows a="/&gt;"/>',
  ],
  ['an element with another child is not', () => element('a', element('b'), streamOf()), '<a><b/></a>'],
  ['an element with a text is not', () => element('a', '>', streamOf(), streamOf()), '<a>&gt;</a>'],
  [
    'an element with a child after the stream is not',
    () => element('a', streamOf(), element('b')),
    '<a><b/></a>',
  ],
  [
    'an empty stream beside another one leaves nothing',
    () => element('a', streamOf(), streamOf('x'), streamOf()),
    '<a>x</a>',
  ],
  [
    'rows may contain row streams',
    () => streamOf(element('a', streamOf(element('b', streamOf())))),
    '<a><b/></a>',
  ],
])('%s', async (_case, content, expected) => {
  expect(await streamed(content())).toBe(`<?xml version="1.0" encoding="UTF-8"?><page>${expected}</page>`)
})

/** Any content. Each array in it may be rendered at once or arrive in batches. */
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

/** The same content with its lists as row streams, and its elements with numbers as markup. */
function asStreams(of: Content): Content {
  if (typeof of !== 'object') return of
  if ('tag' in of)
    return typeof of.content === 'number' ? { markup: render(of) } : { ...of, content: asStreams(of.content) }
  return Array.isArray(of) ? streamOf(...of.map(asStreams)) : of
}

test('content in batches or markup gives the same document as content at once', async () => {
  await fc.assert(
    fc.asyncProperty(content, async (of) => {
      expect(await streamed(asStreams(of))).toBe(wholeDocument(element('page', of)))
    }),
  )
})

test('a row stream is not rendered as a whole', () => {
  expect(() => render(element('a', streamOf()))).toThrow('piece by piece')
})
