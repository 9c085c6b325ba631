import { createHash, timingSafeEqual } from 'node:crypto'

/** The SHA-256 of a text (as UTF-8) or of bytes, as 64 hexadecimal digits. */
export const hexDigest = (content: string | Uint8Array): string =>
  createHash('sha256')
    .update(typeof content === 'string' && !content.isWellFormed() ? unitsOf(content) : content)
    .digest('hex')

/** UTF-8 would replace all lone surrogates by one character. No UTF-8 begins with this byte. */
const unitsOf = (text: string): Buffer => Buffer.concat([Buffer.of(0xff), Buffer.from(text, 'utf16le')])

/** Compares two texts in a time that only depends on their lengths. */
export function isSameText(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}

/** The words of 32 bits of an entry: three of the digest of its text, and its value. */
const WORDS = 4

const FIRST_PLACES = 1024

/**
 * Remembers a whole number of 32 bits for each of many texts. An entry takes 16 bytes, and at least a quarter
 * of the entries is in use. Texts are distinguished by 96 bits of their SHA-256.
 */
export function createDigestMap() {
  let places = new Uint32Array(FIRST_PLACES * WORDS)
  let size = 0

  const grow = () => {
    const before = places
    places = new Uint32Array(before.length * 2)
    for (let index = 0; index < before.length; index += WORDS) {
      const entry = before.subarray(index, index + WORDS)
      if (isTaken(before, index)) places.set(entry, placeOf(places, entry))
    }
  }

  return {
    get size() {
      return size
    },
    get: (text: string): number | undefined => {
      const index = placeOf(places, digestOf(text))
      return isTaken(places, index) ? places[index + WORDS - 1] : undefined
    },
    /** Remembers a value, and returns the one that the text had. */
    swap: (text: string, value: number): number | undefined => {
      const digest = digestOf(text)
      const index = placeOf(places, digest)
      const earlier = isTaken(places, index) ? places[index + WORDS - 1] : undefined
      places.set(digest, index)
      places[index + WORDS - 1] = value
      if (earlier === undefined) size += 1
      if (size * WORDS * 2 > places.length) grow()
      return earlier
    },
  }
}

/** An empty place has a 0 in the first word, which no digest has. */
const isTaken = (places: Uint32Array, index: number): boolean => places[index] !== 0

function digestOf(text: string): Uint32Array {
  const digest = createHash('sha256').update(text).digest()
  return Uint32Array.of(digest.readUInt32LE(0) || 1, digest.readUInt32LE(4), digest.readUInt32LE(8))
}

/** The place of a digest, or the next empty one, where it would be. */
function placeOf(places: Uint32Array, digest: Uint32Array): number {
  const [first = 0, second, third] = digest
  let index = (first * WORDS) % places.length
  while (
    isTaken(places, index) &&
    !(places[index] === first && places[index + 1] === second && places[index + 2] === third)
  )
    index = (index + WORDS) % places.length
  return index
}
