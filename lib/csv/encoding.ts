import { Buffer, isUtf8 } from 'node:buffer'

/** Detects UTF-16 by its byte order mark or its zeros, and valid UTF-8; any other text is Windows-1252. */
export function encodingOf(bytes: Uint8Array): string {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  return unmarkedUtf16(bytes) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')
}

/**
 * In UTF-16, most characters of a table have a zero in their upper byte, and none in their lower one. Zeros
 * in both are a block of NUL, which a crash leaves in a file: damage is not an encoding.
 */
function unmarkedUtf16(bytes: Uint8Array): string | undefined {
  const zeros = [0, 0]
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) {
    zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
    if (zeros[0] && zeros[1]) return undefined
  }
  const [even = 0, odd = 0] = zeros
  if (even + odd === 0 || even + odd < bytes.length / 4) return undefined
  return odd > even ? 'utf-16le' : 'utf-16be'
}

/**
 * Decodes text in the encoding that it shows, without its byte order mark. UTF-8 text stays UTF-8 despite
 * broken bytes: a caller chooses the bytes of its name in a CDR, and must not change other names.
 */
export function decodeText(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes)
  const text = new TextDecoder(encoding === 'windows-1252' ? 'utf-8' : encoding).decode(bytes)
  if (encoding === 'windows-1252' && !UTF_8_LETTER.test(text)) return new TextDecoder(encoding).decode(bytes)
  return encoding.startsWith('utf-16') || !BROKEN.test(text) ? text : withEachBrokenByte(bytes)
}

/** A character that only a valid sequence of bytes gives. */
const UTF_8_LETTER = /[\u0080-\ufffc]/

/** U+FFFD replaces any bytes that are not UTF-8; U+EF80 to U+EFFF replace one of these bytes each. */
const BROKEN = /[\ufffd\uef80-\uefff]/

const FIRST_OF_BYTES = 0xef00

/**
 * UTF-8 in which a byte that belongs to no character is U+EF00 plus the byte: two ids that differ in such
 * bytes stay two ids. The bytes of U+EF80 to U+EFFF count as such bytes, so that no two texts become one.
 */
function withEachBrokenByte(bytes: Uint8Array): string {
  const pieces: string[] = []
  let from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  for (let at = from; at < bytes.length; ) {
    const length = lengthOfCharacter(bytes, at)
    if (length === 0) {
      pieces.push(Buffer.from(bytes.subarray(from, at)).toString('utf8'))
      pieces.push(String.fromCharCode(FIRST_OF_BYTES + (bytes[at] ?? 0)))
      from = at + 1
    }
    at += Math.max(1, length)
  }
  return pieces.join('') + Buffer.from(bytes.subarray(from)).toString('utf8')
}

/** The bytes of the character that begins here; 0 for a byte that begins none. */
function lengthOfCharacter(bytes: Uint8Array, at: number): number {
  const [first = 0, second = 0] = bytes.subarray(at, at + 2)
  if (first < 0x80) return 1
  const isOfBrokenByte = first === 0xee && second >= 0xbe
  const length = first < 0xe0 ? 2 : 3 + Number(first >= 0xf0)
  const character = bytes.subarray(at, at + length)
  return !isOfBrokenByte && character.length === length && isUtf8(character) ? length : 0
}
