import { rowEndScanner } from '#lib/csv/row-ends.ts'
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

/** The offsets at which rows end; the last row may lack a line end. */
async function* endsOfRows(bytes: AsyncIterable<Buffer>, isCsv: boolean): AsyncGenerator<number> {
  const endsIn = rowEndScanner(isCsv)
  let [size, last] = [0, 0]
  for await (const chunk of bytes) {
    const ends = endsIn(chunk)
    yield* ends
    last = ends.at(-1) ?? last
    size += chunk.length
  }
  if (size > last) yield size
}
