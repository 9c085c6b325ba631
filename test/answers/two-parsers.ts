import { ParseOption, XmlDocument, XmlElement, XmlText } from 'libxml2-wasm'
import { SaxesParser } from 'saxes'

/** An element as a parser sees it; text in one piece. */
export interface ParsedElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: (ParsedElement | string)[]
}

/** The root as saxes and libxml2 see it, both strict. Throws for what one of them refuses, or they see differently. */
export function readByBoth(document: string): ParsedElement {
  const root = readBySaxes(document)
  const other = readByLibxml2(document)
  if (JSON.stringify(root) !== JSON.stringify(other)) {
    throw new Error(`saxes reads ${JSON.stringify(root)}, libxml2 ${JSON.stringify(other)}`)
  }
  return root
}

/** The texts of all elements of a name, in the order of the document. */
export const textsOf = (element: ParsedElement, name: string): string[] => [
  ...(element.name === name ? [element.children.filter((child) => typeof child === 'string').join('')] : []),
  ...element.children.flatMap((child) => (typeof child === 'string' ? [] : textsOf(child, name))),
]

/** A text may come in pieces. */
function addText({ children }: ParsedElement, text: string): void {
  const last = children.at(-1)
  if (typeof last === 'string') children[children.length - 1] = last + text
  else if (text !== '') children.push(text)
}

function readBySaxes(document: string): ParsedElement {
  const above: ParsedElement = { name: '', attributes: {}, children: [] }
  const open = [above]
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: { ...attributes }, children: [] }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => open.pop())
  parser.on('text', (text) => addText(open.at(-1) ?? above, text))
  parser.write(document).close()
  const [root] = above.children
  if (typeof root !== 'object') throw new Error('There is no root')
  return root
}

/** An answer has neither comments nor sections, and names no entity but the five that every document has. */
function readByLibxml2(document: string): ParsedElement {
  const parsed = XmlDocument.fromString(document, {
    option: ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_HUGE,
  })
  try {
    return elementOf(parsed.root)
  } finally {
    parsed.dispose()
  }
}

function elementOf(node: XmlElement): ParsedElement {
  const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]))
  const element: ParsedElement = { name: node.name, attributes, children: [] }
  for (let child = node.firstChild; child; child = child.next) {
    if (child instanceof XmlElement) element.children.push(elementOf(child))
    else if (child instanceof XmlText) addText(element, child.content)
    else throw new Error('There is something that is neither an element nor a text')
  }
  return element
}
