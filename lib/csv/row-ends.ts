const QUOTE = 0x22
const LINE_FEED = 0x0a

/**
 * Returns a function that takes a file chunk by chunk and returns the offsets at which rows end. In CSV a
 * line end between balanced quotes ends a row (RFC 4180). A row of JSON has no line end inside.
 */
export function rowEndScanner(isCsv: boolean): (chunk: Buffer) => number[] {
  const countQuotes = isCsv ? quotesIn : () => 0
  let [offset, quotes] = [0, 0]
  return (chunk) => {
    const ends: number[] = []
    let seen = 0
    for (const lineEnd of indicesOf(LINE_FEED, chunk)) {
      quotes += countQuotes(chunk.subarray(seen, lineEnd))
      seen = lineEnd
      if (quotes % 2 === 0) ends.push(offset + lineEnd + 1)
    }
    quotes += countQuotes(chunk.subarray(seen))
    offset += chunk.length
    return ends
  }
}

function quotesIn(bytes: Buffer): number {
  let count = 0
  for (const _ of indicesOf(QUOTE, bytes)) count += 1
  return count
}

function* indicesOf(byte: number, chunk: Buffer): Generator<number> {
  for (let index = chunk.indexOf(byte); index >= 0; index = chunk.indexOf(byte, index + 1)) yield index
}
