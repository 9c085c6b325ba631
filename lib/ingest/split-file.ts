import type { ByteRange } from './file-store.ts'

/** A part of a file of rows: whole rows, and where the header ends that they need before them. */
export interface FilePart extends ByteRange {
  readonly headerEnd: number
}

export interface Splitting {
  readonly isCsv: boolean
  /** The smallest size of a part. */
  readonly partBytes: number
}

/** Where a CSV or NDJSON file can be cut into parts. */
export async function* splitRows(
  bytes: AsyncIterable<Buffer>,
  { isCsv, partBytes }: Splitting,
): AsyncGenerator<FilePart> {
  let headerEnd = isCsv ? undefined : 0
  let [from, end] = [0, 0]
  for await (end of endsOfRows(bytes, isCsv)) {
    if (headerEnd === undefined) headerEnd = from = end
    if (end - from < partBytes) continue
    yield { headerEnd, from, to: end }
    from = end
  }
  if (end > from) yield { headerEnd: headerEnd ?? 0, from, to: end }
}

const QUOTE = 0x22
const LINE_FEED = 0x0a

/** The offsets at which rows end; the last row may lack a line end. */
async function* endsOfRows(bytes: AsyncIterable<Buffer>, isCsv: boolean): AsyncGenerator<number> {
  const endsIn = rowEndScanner(isCsv ? quotesIn : () => 0)
  let [size, last] = [0, 0]
  for await (const chunk of bytes) {
    const ends = endsIn(chunk)
    yield* ends
    last = ends.at(-1) ?? last
    size += chunk.length
  }
  if (size > last) yield size
}

/**
 * In CSV a line end is one between rows where the quotes before it pair up (RFC 4180); JSON has none within a row. Takes
 * the file chunk by chunk.
 */
function rowEndScanner(countQuotes: (bytes: Buffer) => number): (chunk: Buffer) => number[] {
  let [position, quotes] = [0, 0]
  return (chunk) => {
    const ends: number[] = []
    let seen = 0
    for (const lineEnd of positionsOf(LINE_FEED, chunk)) {
      quotes += countQuotes(chunk.subarray(seen, lineEnd))
      seen = lineEnd
      if (quotes % 2 === 0) ends.push(position + lineEnd + 1)
    }
    quotes += countQuotes(chunk.subarray(seen))
    position += chunk.length
    return ends
  }
}

function quotesIn(bytes: Buffer): number {
  let count = 0
  for (const _ of positionsOf(QUOTE, bytes)) count += 1
  return count
}

function* positionsOf(byte: number, chunk: Buffer): Generator<number> {
  for (let at = chunk.indexOf(byte); at >= 0; at = chunk.indexOf(byte, at + 1)) yield at
}
