import type { Refusal } from '#lib/base/refusal.ts'
import { escapeControls } from '#lib/base/text.ts'
import type { Question } from '#lib/rates/sheets/question.ts'

/** A Lambda answers with at most 6 MB, in which base64 has four characters for three bytes. */
const MAX_FILE_BYTES = 4_000_000

/** A file in base64. Throws the refusal for a file that is too large for an answer. */
export async function fileContent(
  pieces: AsyncIterable<Uint8Array | string>,
  tooLarge: Refusal,
): Promise<string> {
  const all: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    const buffer = Buffer.from(piece)
    bytes += buffer.length
    if (bytes > MAX_FILE_BYTES) throw tooLarge
    all.push(buffer)
  }
  return Buffer.concat(all).toString('base64')
}

/** A question about a file, as an answer has it: invisible characters of its sentence are escaped. */
export const askedQuestion = ({ about, asks, choices, words = [] }: Question) => ({
  ...{ about, asks: escapeControls(asks), choices: [...choices], words: [...words] },
})
