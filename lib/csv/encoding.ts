const UTF_8 = new TextDecoder('utf-8', { fatal: true })

/** Detects UTF-16 by its byte order mark or its zeros, and valid UTF-8; any other text is Windows-1252. */
export function encodingOf(bytes: Uint8Array): string {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  return unmarkedUtf16(bytes.subarray(0, SAMPLE_BYTES)) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')
}

const SAMPLE_BYTES = 4096

/** In UTF-16, most characters of a table have a zero in their upper byte. */
function unmarkedUtf16(bytes: Uint8Array): string | undefined {
  const zeros = [0, 0]
  for (const [index, byte] of bytes.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
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

/**
 * Decodes text in the encoding that it shows, without its byte order mark. UTF-8 text stays UTF-8 despite
 * broken bytes: a caller chooses the bytes of its name in a CDR, and must not change other names.
 */
export function decodeText(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes)
  if (encoding !== 'windows-1252') return new TextDecoder(encoding).decode(bytes)
  const asUtf8 = new TextDecoder('utf-8').decode(bytes)
  return UTF_8_LETTER.test(asUtf8) ? asUtf8 : new TextDecoder(encoding).decode(bytes)
}

/** A character that only a valid sequence of bytes gives. */
const UTF_8_LETTER = /[\u0080-\ufffc]/
