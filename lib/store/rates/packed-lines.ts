import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Sorted lines of any number, compressed block by block: half a million rates take a few megabytes. */
export interface PackedLines extends Iterable<string> {
  readonly rows: number
  /** The lines in UTF-8, each with the end of its line. */
  readonly bytes: number
  /** The same for the same lines. */
  readonly digest: string
  /** The first line. */
  readonly first: string
}

const LINES_OF_A_BLOCK = 2000

/** Takes the lines in their order; they are read once. */
export function packLines(lines: Iterable<string>): PackedLines {
  const hash = createHash('sha256')
  const blocks: Uint8Array[] = []
  let block: string[] = []
  let [rows, bytes] = [0, 0]
  const close = () => {
    const text = Buffer.from(`${block.join('\n')}\n`)
    hash.update(text)
    blocks.push(deflateRawSync(text, { level: 1 }))
    rows += block.length
    bytes += text.length
    block = []
  }
  for (const line of lines) if (block.push(line) === LINES_OF_A_BLOCK) close()
  if (block.length > 0) close()

  const iterate = function* () {
    for (const packed of blocks) yield* inflateRawSync(packed).toString().slice(0, -1).split('\n')
  }
  const [first = ''] = iterate()
  return { rows, bytes, first, digest: hash.digest('base64url'), [Symbol.iterator]: iterate }
}

/** The lines of pages that follow one another. */
export async function packLinePages(pages: AsyncIterable<readonly string[]>): Promise<PackedLines> {
  const packed: PackedLines[] = []
  for await (const page of pages) packed.push(packLines(page))
  return packLines(inSequence(packed))
}

function* inSequence(lists: readonly Iterable<string>[]): Generator<string> {
  for (const list of lists) yield* list
}

/** The lines of sorted lists in one order. */
export function mergeSorted(lists: readonly Iterable<string>[]): Iterable<string> {
  const [only, other] = lists
  if (!only || !other) return only ?? []
  const middle = lists.length >> 1
  return mergeTwo(mergeSorted(lists.slice(0, middle)), mergeSorted(lists.slice(middle)))
}

function* mergeTwo(ones: Iterable<string>, others: Iterable<string>): Generator<string> {
  const [left, right] = [ones[Symbol.iterator](), others[Symbol.iterator]()]
  let [one, other] = [left.next(), right.next()]
  while (!one.done || !other.done) {
    if (other.done || (!one.done && one.value <= other.value)) {
      yield one.value
      one = left.next()
    } else {
      yield other.value
      other = right.next()
    }
  }
}
