import type { Element as Node } from 'xml-js'
import type { Content, Element, Markup, Rows } from './element.ts'
import { DECLARATION, elementNode, mark, textNodes, write } from './xml-js.ts'

/** What is written of some content, in pieces: between each two of them belongs a list that is still to come. */
export interface Frame {
  readonly pieces: readonly string[]
  readonly lists: readonly Rows[]
}

/** The declaration and the root without indentation (wire.md 4.3). */
export function documentOf(root: Element): Frame {
  const { pieces, lists } = frameOf(root)
  const [first = '', ...rest] = pieces
  return { pieces: [DECLARATION + first, ...rest], lists }
}

/** A document of which nothing is still to come. */
export const wholeDocument = (root: Element): string => textOf(documentOf(root))

/** Content as markup. Empty and absent values are `<a/>` (wire.md 4.3). */
export const render = (content: Content): string => textOf(frameOf(content))

/** Throws for a frame of which a part is still to come. */
export function textOf({ pieces, lists }: Frame): string {
  if (lists.length > 0) throw new TypeError('Rows that are still to come can only be rendered piece by piece')
  return pieces.join('')
}

/** The lists are rendered as they come; how the last piece before one ends is known when its first row is there. */
export async function* renderPieces({ pieces, lists }: Frame): AsyncGenerator<string> {
  let [before = '', ...rest] = pieces
  for (const [position, { batches }] of lists.entries()) {
    const after = rest[position] ?? ''
    let isEmpty = true
    for await (const rows of renderBatches(batches)) {
      yield before + rows
      before = ''
      isEmpty = false
    }
    before = isEmpty ? joined(before, after) : after
  }
  if (before !== '') yield before
}

async function* renderBatches(batches: Rows['batches']): AsyncGenerator<string> {
  for await (const batch of batches) yield* renderPieces(frameOf(batch))
}

/** What stands around a list that turned out empty: an element that holds nothing else is self-closed. */
function joined(before: string, after: string): string {
  const isEmptyElement = OPEN_TAG_AT_END.test(before) && after.startsWith('</')
  return isEmptyElement ? `${before.slice(0, -1)}/>${after.slice(after.indexOf('>') + 1)}` : before + after
}

/** No text and no attribute has a bare angle bracket in it. */
const OPEN_TAG_AT_END = /<[^<>/?][^<>]*(?<!\/)>$/

const [MARKUP, LIST] = ['\u0000', '\u0001'] as const

/** What xml-js does not write itself, in the order of the marks that stand for it. */
interface Others {
  readonly markups: string[]
  readonly lists: Rows[]
}

/** One walk through the content, which may be an answer as a whole or a batch of rows. */
function frameOf(content: Content): Frame {
  if (isMarkup(content)) return { pieces: [content.markup], lists: [] }
  const others: Others = { markups: [], lists: [] }
  const written = write(nodesOf(content, others))
  const markups = others.markups.values()
  const text = written.replaceAll(MARKUP, () => markups.next().value ?? '')
  return { pieces: text.split(LIST), lists: others.lists }
}

function nodesOf(content: Content, others: Others, nodes: Node[] = []): Node[] {
  if (content === undefined) return nodes
  if (isList(content)) for (const part of content) nodesOf(part, others, nodes)
  else nodes.push(...nodesOfOne(content, others))
  return nodes
}

function nodesOfOne(content: Exclude<Content, undefined | readonly Content[]>, others: Others): Node[] {
  if (typeof content !== 'object') return textNodes(String(content))
  if ('tag' in content)
    return [elementNode(content.tag, nodesOf(content.content, others), content.attributes)]
  if (isMarkup(content)) return content.markup === '' ? [] : keep(others.markups, content.markup, MARKUP)
  return keep(others.lists, content, LIST)
}

function keep<T>(kept: T[], one: T, as: typeof MARKUP | typeof LIST) {
  kept.push(one)
  return [mark(as)]
}

const isList = (content: Content): content is readonly Content[] => Array.isArray(content)
const isMarkup = (content: Content): content is Markup => typeof content === 'object' && 'markup' in content
