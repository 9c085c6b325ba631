import type { FileHandle } from 'node:fs/promises'

const LINE_END = 10
const QUOTE = 34

/** Bytes that are read at once: a single record must fit. */
const MOST_BYTES = 4_000_000

/** A row of more lines is one whose quotes are broken: those of SDP within quotes are fewer. */
const MOST_LINES_OF_A_ROW = 100

/**
 * The complete lines from an offset on, as many as are read at once; blank when there are none. What is too long for a
 * record is not waited for: it goes where what cannot be read goes.
 */
export async function linesFrom(file: FileHandle, offset: number, isCsv: boolean): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MOST_BYTES), position: offset })
  const bytes = buffer.subarray(0, bytesRead)
  const end = isCsv ? endOfRows(bytes) : endOfLines(bytes)
  return bytes.subarray(0, end === 0 && bytesRead === MOST_BYTES ? bytesRead : end)
}

const endOfLines = (bytes: Buffer): number => bytes.lastIndexOf(LINE_END) + 1

/** Behind the last line end that does not stand within quotes, or within quotes that are broken. */
function endOfRows(bytes: Buffer): number {
  let end = 0
  let isQuoted = false
  for (const [place, byte] of bytes.entries()) {
    if (byte === QUOTE) isQuoted = !isQuoted
    if (byte === LINE_END && !isQuoted) end = place + 1
  }
  return end === 0 && countLines(bytes) > MOST_LINES_OF_A_ROW ? endOfLines(bytes) : end
}

const countLines = (bytes: Buffer): number =>
  bytes.reduce((count, byte) => (byte === LINE_END ? count + 1 : count), 0)

/** The first line, with its end. */
export async function firstLine(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(64_000), position: 0 })
  return buffer.subarray(0, buffer.subarray(0, bytesRead).indexOf(LINE_END) + 1)
}
