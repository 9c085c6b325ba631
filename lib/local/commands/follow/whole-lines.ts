import type { FileHandle } from 'node:fs/promises'

const LINE_END = 10
const QUOTE = 34

/** Bytes that are read at once: a single record must fit. */
const MOST_BYTES = 4_000_000

/** The complete lines from an offset on, as many as are read at once; blank when there are none. */
export async function linesFrom(file: FileHandle, offset: number, isCsv: boolean): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MOST_BYTES), position: offset })
  const bytes = buffer.subarray(0, bytesRead)
  return bytes.subarray(0, isCsv ? endOfRows(bytes) : bytes.lastIndexOf(LINE_END) + 1)
}

/** Behind the last line end that does not stand within quotes. */
function endOfRows(bytes: Buffer): number {
  let end = 0
  let isQuoted = false
  for (const [place, byte] of bytes.entries()) {
    if (byte === QUOTE) isQuoted = !isQuoted
    if (byte === LINE_END && !isQuoted) end = place + 1
  }
  return end
}

/** The first line, with its end. */
export async function firstLine(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(64_000), position: 0 })
  return buffer.subarray(0, buffer.subarray(0, bytesRead).indexOf(LINE_END) + 1)
}
