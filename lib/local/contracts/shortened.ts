import { type Element as Node, xml2js } from 'xml-js'
import { DECLARATION, elementNode, textNodes, write } from '#lib/xml/xml-js.ts'

/** Of a list so many entries are enough to see what one looks like. */
const ENTRIES = 2

/** A document for people: indented, and of elements that repeat only the first ones. */
export function shortened(document: string): string {
  const { elements = [] } = xml2js(document, { captureSpacesBetweenElements: true }) as Node
  return [DECLARATION, write(elements.filter(isElement).map(rewritten), 2)].join('\n')
}

function rewritten({ name = '', attributes, elements = [] }: Node): Node {
  const text = elements.filter(({ type }) => type === 'text').flatMap((one) => textNodes(`${one.text}`))
  const children = elements.filter(isElement)
  const shown = children.filter((child, at) => positionOf(children, child, at) < ENTRIES).map(rewritten)
  const left = shown.length < children.length ? textNodes('…') : []
  return elementNode(name, [...text, ...shown, ...left], attributes as Record<string, string>)
}

/** Among its siblings of the same name. */
const positionOf = (siblings: readonly Node[], { name }: Node, at: number): number =>
  siblings.slice(0, at).filter((sibling) => sibling.name === name).length

const isElement = ({ type }: Node): boolean => type === 'element'
