import iconv from 'iconv-lite'
import { SheetError } from './sheet-error.ts'

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

/** By the byte order mark, by zeros that only UTF-16 has, as UTF-8 when it is valid, else as Windows-1252. */
export function encodingOf(bytes: Uint8Array): string {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  return withoutMark(bytes.subarray(0, LOOKED_AT)) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')
}

const LOOKED_AT = 4096

/** Of UTF-16 without a mark, most characters of a sheet have a zero in their upper byte. */
function withoutMark(bytes: Uint8Array): string | undefined {
  const zeros = [0, 0]
  for (const [position, byte] of bytes.entries())
    if (byte === 0) zeros[position % 2] = (zeros[position % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  if (even + odd === 0 || even + odd < bytes.length / 4) return undefined
  return odd > even ? 'utf-16le' : 'utf-16be'
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    UTF_8.decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Throws SheetError when the bytes are not of that encoding. A byte order mark is dropped. */
export function decode(bytes: Uint8Array, encoding: string): string {
  if (!iconv.encodingExists(encoding))
    throw new SheetError(`There is no encoding ${JSON.stringify(encoding)}`)
  try {
    return /^utf-?8$/i.test(encoding) ? UTF_8.decode(bytes) : iconv.decode(Buffer.from(bytes), encoding)
  } catch (error) {
    throw new SheetError(`The sheet is not ${encoding}`, { cause: error })
  }
}
