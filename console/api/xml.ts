import type { XmlNode } from '#lib/xml/answer-rows.ts'

/** A document's root; `undefined` if it is not XML: the error that browsers return has inline styles. */
export function readXml(text: string): XmlNode | undefined {
  if (!text.startsWith('<')) return undefined
  const document = new DOMParser().parseFromString(text, 'text/xml')
  return document.querySelector('parsererror') ? undefined : nodeOf(document.documentElement)
}

const nodeOf = (element: Element): XmlNode => ({
  name: element.tagName,
  attributes: [...element.attributes].map(({ name, value }) => [name, value] as const),
  children: [...element.children].map(nodeOf),
  text: element.children.length === 0 ? (element.textContent ?? '') : '',
})

/** The first element of that name, in the order of the document. */
export function find(node: XmlNode, name: string): XmlNode | undefined {
  if (node.name === name) return node
  for (const child of node.children) {
    const found = find(child, name)
    if (found) return found
  }
  return undefined
}

const textIn = (node: XmlNode | undefined, name: string): string => (node && find(node, name)?.text) ?? ''

/** The words of a refusal, in whatever envelope. */
export function errorIn(root: XmlNode): string | undefined {
  const failed = textIn(root, 'status') === 'failed' ? textIn(root, 'status_message') : undefined
  return find(root, 'error')?.text || failed
}
