import { fittedToXml } from '#lib/domain/text.ts'
import type { Content, Element, Markup, Rows } from './element.ts'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

const IN_TEXT: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }

const IN_ATTRIBUTES: Readonly<Record<string, string>> = {
  ...IN_TEXT,
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
}

/** A document of which nothing is still to come. */
export const wholeDocument = (root: Element): string => DECLARATION + render(root)

/** A document piece by piece: declaration, then the root without indentation. Lists are rendered as they come. */
export async function* renderDocument(root: Element): AsyncGenerator<string> {
  yield DECLARATION
  yield* renderPieces(root)
}

/** The only place that escapes. Empty and absent values are `<a/>` (wire.md 4.3). */
export function render(content: Content): string {
  if (content === undefined) return ''
  if (typeof content === 'string') return escapeText(content)
  if (typeof content === 'number') return String(content)
  if (isList(content)) return content.map(render).join('')
  if (isMarkup(content)) return content.markup
  if (isRows(content)) throw new TypeError('Rows that are still to come can only be rendered piece by piece')
  return wrap(content, render(content.content))
}

async function* renderPieces(content: Content): AsyncGenerator<string> {
  if (typeof content !== 'object' || expectedBytes(content) === undefined) yield* nonEmpty(render(content))
  else if (isList(content)) for (const part of content) yield* renderPieces(part)
  else if (isRows(content)) yield* renderRows(content)
  else if (!isMarkup(content)) yield* wrapPieces(content)
}

async function* renderRows({ batches }: Rows): AsyncGenerator<string> {
  for await (const batch of batches) yield* renderPieces(batch)
}

/** Waits for the first piece: an element whose list turns out empty is closed at once. */
async function* wrapPieces(element: Element): AsyncGenerator<string> {
  const pieces = renderPieces(element.content)
  const first = await pieces.next()
  if (first.done) return yield wrap(element, '')
  yield `${openTag(element)}>${first.value}`
  yield* pieces
  yield `</${element.tag}>`
}

function* nonEmpty(text: string): Generator<string> {
  if (text !== '') yield text
}

/** The announced length of the lists in some content; `undefined` when nothing in it is still to come. */
export function expectedBytes(content: Content): number | undefined {
  if (typeof content !== 'object') return undefined
  if (isList(content)) {
    const known = content.map(expectedBytes).filter((bytes) => bytes !== undefined)
    return known.length > 0 ? known.reduce((sum, bytes) => sum + bytes, 0) : undefined
  }
  if (isRows(content)) return content.expectedBytes
  return isMarkup(content) ? undefined : expectedBytes(content.content)
}

/** Whatever may need a second look; most texts have none of it, and one look costs a fraction of the replacing. */
const SUSPICIOUS = /[&<>\u0000-\u0008\u000B-\u001F\uD800-\uDFFF\uFFFE\uFFFF]/

export const escapeText = (text: string): string =>
  SUSPICIOUS.test(text) ? replaceSpecial(text, /[&<>\r]/g, IN_TEXT) : text

const escapeAttribute = (text: string): string => replaceSpecial(text, /[&<>"\t\n\r]/g, IN_ATTRIBUTES)

const replaceSpecial = (text: string, special: RegExp, names: Readonly<Record<string, string>>): string =>
  fittedToXml(text).replace(special, (character) => names[character] ?? character)

const wrap = (element: Element, inner: string): string =>
  inner === '' ? `${openTag(element)}/>` : `${openTag(element)}>${inner}</${element.tag}>`

const openTag = ({ tag, attributes }: Element): string =>
  `<${tag}${Object.entries(attributes).map(renderAttribute).join('')}`

const renderAttribute = ([name, value]: [string, string]): string => ` ${name}="${escapeAttribute(value)}"`

const isList = (content: object): content is readonly Content[] => Array.isArray(content)
const isMarkup = (content: object): content is Markup => 'markup' in content
const isRows = (content: object): content is Rows => 'batches' in content
