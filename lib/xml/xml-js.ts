import type { Element as Node } from 'xml-js'
import js2xml from 'xml-js/lib/js2xml.js'
import { withoutNonXml } from '#lib/domain/text.ts'

/**
 * Writes nodes as xml-js does, without indentation unless told how many spaces. What xml-js leaves to its callers is all
 * in this file: a text comes from `textNodes`, an element from `elementNode`.
 */
export const write = (elements: Node[], spaces = 0): string =>
  js2xml({ elements }, { spaces, textFn: withCarriageReturns })

/** A parser takes a bare carriage return for a line feed (XML 1.0, section 2.11), and xml-js leaves it bare. */
const withCarriageReturns = (escaped: string): string => escaped.replaceAll('\r', '&#13;')

export const DECLARATION = js2xml({ declaration: { attributes: { version: '1.0', encoding: 'UTF-8' } } })

/** Whatever may need a second look; most texts have none of it, and one look costs a fraction of the replacing. */
const SUSPICIOUS = /[&<>\u0000-\u0008\u000B-\u001F\uD800-\uDFFF\uFFFE\uFFFF]/

/**
 * An empty text makes no node: with one in it an element would be `<a></a>`, not `<a/>` (wire.md 4.3). Characters that XML
 * cannot hold are dropped, which xml-js does not do. It takes an `&amp;` in a text for an `&` that is escaped already, so
 * an `&` is handed to it as just that.
 */
export function textNodes(text: string): Node[] {
  const prepared = SUSPICIOUS.test(text) ? withoutNonXml(text).replaceAll('&', '&amp;') : text
  return prepared === '' ? [] : [{ type: 'text', text: prepared }]
}

export const elementNode = (
  name: string,
  elements: Node[],
  attributes: Readonly<Record<string, string>> = {},
): Node => ({ type: 'element', name, attributes: escapedAttributes(attributes), elements })

/**
 * A text that only `write` and whoever splits what it wrote ever see: no other text has what XML cannot hold. These two are
 * Latin-1, as most markup is: with any other character in it a text takes two bytes for each, and so do its pieces.
 */
export const mark = (text: '\u0000' | '\u0001'): Node => ({ type: 'text', text })

/** The characters that a text needs to have escaped, as xml-js writes them. */
const ESCAPED = new Map(['&', '<', '>', '\r'].map((character) => [character, write(textNodes(character))]))

/** The text as `write` would write it, but several times as fast, for lists of any length. */
export const escapedText = (text: string): string =>
  SUSPICIOUS.test(text)
    ? withoutNonXml(text).replace(/[&<>\r]/g, (character) => ESCAPED.get(character) ?? character)
    : text

/** A parser would end the value at the quotes, and take the others for spaces (XML 1.0, section 3.3.3). */
const ESCAPED_IN_ATTRIBUTES = new Map([
  ['"', '&quot;'],
  ['\t', '&#9;'],
  ['\n', '&#10;'],
])

/** Attributes are escaped before xml-js sees them, since all that it escapes in them is the quotes. */
const escapedAttributes = (attributes: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, escapedAttribute(value)]))

const escapedAttribute = (value: string): string =>
  escapedText(value).replace(/["\t\n]/g, (character) => ESCAPED_IN_ATTRIBUTES.get(character) ?? character)
