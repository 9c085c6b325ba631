import { ConsoleRefusal } from './refusals.ts'

/** A Lambda answers with at most 6 MB, in which base64 has four characters for three bytes. */
const MAX_FILE_BYTES = 4_000_000

/** A file in base64. A file that is too large for an answer is refused with these words. */
export async function fileContent(
  pieces: AsyncIterable<Uint8Array | string>,
  tooLarge: string,
): Promise<string> {
  const all: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    const buffer = Buffer.from(piece)
    bytes += buffer.length
    if (bytes > MAX_FILE_BYTES) throw new ConsoleRefusal('conflict', tooLarge)
    all.push(buffer)
  }
  return Buffer.concat(all).toString('base64')
}
