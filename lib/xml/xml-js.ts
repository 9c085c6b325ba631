import type { Element as Node } from 'xml-js'
import js2xml from 'xml-js/lib/js2xml.js'
import { memoize } from '#lib/base/collections.ts'
import { withoutNonXml } from '#lib/base/text.ts'

/**
 * Writes nodes with xml-js, indented by `spaces`. xml-js leaves some escaping to its callers, all of which is
 * in this file: create texts with `textNodes` and elements with `elementNode`.
 */
export const write = (elements: Node[], spaces = 0): string =>
  js2xml({ elements }, { spaces, textFn: withCarriageReturns })

/** A parser reads a bare carriage return as a line feed (XML 1.0, 2.11), and xml-js leaves it bare. */
const withCarriageReturns = (escaped: string): string => escaped.replaceAll('\r', '&#13;')

export const DECLARATION = js2xml({ declaration: { attributes: { version: '1.0', encoding: 'UTF-8' } } })

/** Characters to escape or remove. Most texts have none, and this test is cheaper than replacing. */
const NEEDS_ESCAPING = /[&<>\u0000-\u0008\u000B-\u001F\uD800-\uDFFF\uFFFE\uFFFF]/

/**
 * An empty text has no node: with one, its element would be `<a></a>` instead of `<a/>` (wire.md 4.3).
 * Characters that XML does not allow are removed, since xml-js keeps them. xml-js takes
 * `&amp;` in a text as escaped already, so each `&` is escaped here first.
 */
export function textNodes(text: string): Node[] {
  const prepared = NEEDS_ESCAPING.test(text) ? withoutNonXml(text).replaceAll('&', '&amp;') : text
  return prepared === '' ? [] : [{ type: 'text', text: prepared }]
}

export const elementNode = (
  name: string,
  elements: Node[],
  attributes: Readonly<Record<string, string>> = {},
): Node => ({ type: 'element', name, attributes: escapedAttributes(attributes), elements })

export const textElement = (
  name: string,
  text: string,
  attributes?: Readonly<Record<string, string>>,
): Node => elementNode(name, textNodes(text), attributes)

/** Splits written markup: a character that XML does not allow, so that no other text contains it. */
export const MARK = { type: 'text', text: '\u0000' } as const

/** The escaped forms of characters, as xml-js writes them. A cold start rarely needs them. */
const escapedForm = memoize((character: string) => write(textNodes(character)))

/** Escapes a text exactly as `write` does, but several times faster, for long lists. */
export const escapedText = (text: string): string =>
  NEEDS_ESCAPING.test(text) ? withoutNonXml(text).replace(/[&<>\r]/g, escapedForm) : text

/** A parser would read them as spaces (XML 1.0, section 3.3.3). */
const ESCAPED_IN_ATTRIBUTES = new Map([
  ['\t', '&#9;'],
  ['\n', '&#10;'],
])

/** Attributes are escaped before xml-js writes them, since it only escapes quotes in them. */
const escapedAttributes = (attributes: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, escapedAttribute(value)]))

const escapedAttribute = (value: string): string =>
  escapedText(value).replace(/[\t\n]/g, (character) => ESCAPED_IN_ATTRIBUTES.get(character) ?? character)
