import type { Content, Element } from './element.ts'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

/** Everything but the characters XML 1.0 (section 2.2) allows; a lone surrogate counts as none. */
const NOT_XML =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

const NOT_XML_ANYWHERE = new RegExp(NOT_XML, 'g')

const IN_TEXT: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }

const IN_ATTRIBUTES: Readonly<Record<string, string>> = {
  ...IN_TEXT,
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
}

/** Whether every character of the text can stand in an XML 1.0 document (wire decisions 4.3). */
export const fitsXml = (text: string): boolean => !NOT_XML.test(text)

/** A whole document: declaration, then the root without indentation. */
export const renderDocument = (root: Content): string => DECLARATION + render(root)

/** The only place that escapes. Empty and absent values are `<a/>` (wire decisions 4.3). */
export function render(content: Content): string {
  if (content === undefined) return ''
  if (typeof content === 'string') return escapeText(content)
  if (typeof content === 'number') return String(content)
  if (isElement(content)) return renderElement(content)
  return content.map(render).join('')
}

export const escapeText = (text: string): string => replaceSpecial(text, /[&<>\r]/g, IN_TEXT)

const escapeAttribute = (text: string): string => replaceSpecial(text, /[&<>"\t\n\r]/g, IN_ATTRIBUTES)

const replaceSpecial = (text: string, special: RegExp, names: Readonly<Record<string, string>>): string =>
  text.replace(NOT_XML_ANYWHERE, '').replace(special, (character) => names[character] ?? character)

function renderElement({ tag, attributes, content }: Element): string {
  const inner = render(content)
  const open = `<${tag}${Object.entries(attributes).map(renderAttribute).join('')}`
  return inner === '' ? `${open}/>` : `${open}>${inner}</${tag}>`
}

const renderAttribute = ([name, value]: [string, string]): string => ` ${name}="${escapeAttribute(value)}"`

const isElement = (content: Element | readonly Content[]): content is Element => !Array.isArray(content)
