import type { Element as Node } from 'xml-js'
import js2xml from 'xml-js/lib/js2xml.js'
import { fittedToXml } from '#lib/domain/text.ts'

/**
 * Writes nodes as xml-js does, without indentation. What it leaves to its callers is all in this file: a text comes from
 * `textNodes`, an element from `elementNode`.
 */
export const write = (elements: Node[]): string => js2xml({ elements }, { textFn: withCarriageReturns })

/** A parser takes a bare carriage return for a line feed (XML 1.0, section 2.11), and xml-js leaves it bare. */
const withCarriageReturns = (escaped: string): string => escaped.replaceAll('\r', '&#13;')

export const DECLARATION = js2xml({ declaration: { attributes: { version: '1.0', encoding: 'UTF-8' } } })

/**
 * None for an empty text: with a node in it an element would be `<a></a>`, not `<a/>` (wire.md 4.3). Characters that XML
 * cannot hold are dropped, which xml-js does not do; and since it takes `&amp;` for an `&` that is escaped already, an
 * `&` is handed to it as just that.
 */
export function textNodes(text: string): Node[] {
  const fitted = fittedToXml(text)
  return fitted === '' ? [] : [{ type: 'text', text: fitted.replaceAll('&', '&amp;') }]
}

export const elementNode = (
  name: string,
  elements: Node[],
  attributes: Readonly<Record<string, string>> = {},
): Node => ({ type: 'element', name, attributes: mapValues(attributes, escapedAttribute), elements })

/** A text that only `write` and whoever splits what it wrote ever see: what XML cannot hold is in no other text. */
export const mark = (text: '\uFFFE' | '\uFFFF'): Node => ({ type: 'text', text })

/** How xml-js writes the characters that need it. */
const ESCAPED = new Map(['&', '<', '>', '\r'].map((character) => [character, write(textNodes(character))]))

/** Whatever may need a second look; most texts have none of it, and one look costs a fraction of the replacing. */
const SUSPICIOUS = /[&<>\u0000-\u0008\u000B-\u001F\uD800-\uDFFF\uFFFE\uFFFF]/

/** The text as `write` would write it: several times as fast, for lists of any length. */
export const escapedText = (text: string): string =>
  SUSPICIOUS.test(text)
    ? fittedToXml(text).replace(/[&<>\r]/g, (character) => ESCAPED.get(character) ?? character)
    : text

/** What text does not need: the quotes, and white space that a parser would take for spaces (section 3.3.3). */
const ESCAPED_IN_ATTRIBUTES = new Map([
  ['"', '&quot;'],
  ['\t', '&#9;'],
  ['\n', '&#10;'],
])

/** Attributes are escaped before xml-js sees them: of its own accord it escapes the quotes alone. */
const escapedAttribute = (text: string): string =>
  escapedText(text).replace(/["\t\n]/g, (character) => ESCAPED_IN_ATTRIBUTES.get(character) ?? character)

const mapValues = (values: Readonly<Record<string, string>>, map: (value: string) => string) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
