import type { Content, Element, Markup, RowStream } from './element.ts'
import { tagsOf } from './row-writer.ts'
import { DECLARATION, escapedText } from './xml-js.ts'

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

/** A frame that is being written. There is a piece more than there are lists. */
interface OpenFrame {
  readonly pieces: string[]
  readonly lists: RowStream[]
}

function frameOf(content: Content): Frame {
  const frame: OpenFrame = { pieces: [''], lists: [] }
  append(frame, content)
  return frame
}

function append(frame: OpenFrame, content: Content): void {
  if (content === undefined) return
  if (isList(content)) for (const part of content) append(frame, part)
  else if (typeof content !== 'object') appendText(frame, escapedText(String(content)))
  else if ('tag' in content) appendElement(frame, content)
  else if (isMarkup(content)) appendText(frame, content.markup)
  else {
    frame.lists.push(content)
    frame.pieces.push('')
  }
}

function appendElement(frame: OpenFrame, { tag, attributes, content }: Element): void {
  const { open, close, empty } = tagsOf(tag, attributes)
  const { pieces } = frame
  const at = pieces.length - 1
  const before = pieces[at] ?? ''
  pieces[at] = before + open
  append(frame, content)
  const isEmpty = pieces.length - 1 === at && pieces[at]?.length === before.length + open.length
  if (isEmpty) pieces[at] = before + empty
  else appendText(frame, close)
}

function appendText({ pieces }: OpenFrame, text: string): void {
  pieces[pieces.length - 1] += text
}

const isList = (content: Content): content is readonly Content[] => Array.isArray(content)
const isMarkup = (content: Content): content is Markup => typeof content === 'object' && 'markup' in content
