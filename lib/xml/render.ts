import type { Element as Node } from 'xml-js'
import type { Content, Element, Markup, RowStream } from './element.ts'
import { DECLARATION, elementNode, mark, textNodes, write } from './xml-js.ts'

/** Rendered markup in pieces. A list that has yet to arrive belongs between any two pieces. */
export interface Frame {
  readonly pieces: readonly string[]
  readonly lists: readonly RowStream[]
}

/** Renders the XML declaration and the root, without indentation (wire.md 4.3), or plain text as it is. */
export const documentOf = (root: Element | Markup): Frame =>
  isMarkup(root) ? frameOf(root) : frameOf([{ markup: DECLARATION }, root])

/** Renders a document without row streams. */
export const wholeDocument = (root: Element | Markup): string => frameText(documentOf(root))

/** Renders content. Empty and absent values become `<a/>` (wire.md 4.3). */
export const render = (content: Content): string => frameText(frameOf(content))

/** Throws for a frame with lists that have yet to arrive. */
export function frameText({ pieces, lists }: Frame): string {
  if (lists.length > 0) throw new TypeError('A row stream can only be rendered piece by piece')
  return pieces.join('')
}

/**
 * Renders lists as they arrive. The piece before a list waits for its first row, which decides whether a tag
 * is self-closed.
 */
export async function* renderPieces({ pieces, lists }: Frame): AsyncGenerator<string> {
  let before = ''
  for (const [index, piece] of pieces.entries()) {
    before = joined(before, piece)
    for await (const rows of renderBatches(lists[index]?.batches ?? [])) {
      yield before + rows
      before = ''
    }
  }
  if (before !== '') yield before
}

async function* renderBatches(batches: RowStream['batches'] | []): AsyncGenerator<string> {
  for await (const batch of batches) yield* renderPieces(frameOf(batch))
}

/** Joins the pieces around an empty list. An element without other content is self-closed. */
function joined(before: string, after: string): string {
  const isEmptyElement = OPEN_TAG_AT_END.test(before) && after.startsWith('</')
  return isEmptyElement ? `${before.slice(0, -1)}/>${after.slice(after.indexOf('>') + 1)}` : before + after
}

/** Texts and attributes contain no bare angle bracket. */
const OPEN_TAG_AT_END = /<[^<>/?][^<>]*(?<!\/)>$/

const [MARKUP, LIST] = ['\u0000', '\u0001'] as const

/** Content that xml-js does not write, in the order of its marks in the written text. */
interface MarkedContent {
  readonly markups: string[]
  readonly lists: RowStream[]
}

function frameOf(content: Content): Frame {
  if (isMarkup(content)) return { pieces: [content.markup], lists: [] }
  const others: MarkedContent = { markups: [], lists: [] }
  const written = write(nodesOf(content, others))
  const texts = written.split(MARKUP).map((text, index) => text + (others.markups[index] ?? ''))
  return { pieces: texts.join('').split(LIST), lists: others.lists }
}

function nodesOf(content: Content, others: MarkedContent, nodes: Node[] = []): Node[] {
  if (content === undefined) return nodes
  if (isList(content)) for (const part of content) nodesOf(part, others, nodes)
  else nodes.push(...nodesOfOne(content, others))
  return nodes
}

function nodesOfOne(
  content: Exclude<Content, undefined | readonly Content[]>,
  others: MarkedContent,
): Node[] {
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
