import { Refusal } from '#lib/base/refusal.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** A packed file that is not whole, or has more bytes than may be unpacked. */
    readonly not_unpacked: { readonly why: 'damaged' | 'too large' }
  }
}

export const notUnpacked = (why: 'damaged' | 'too large'): Refusal<'not_unpacked'> =>
  new Refusal('not_unpacked', { why })

const damagedUnless = (isRight: boolean): void => {
  if (!isRight) throw notUnpacked('damaged')
}

const [BLOCK, END] = [0x314159265359, 0x177245385090]
const MAX_CODE_BITS = 20
const GROUP_SYMBOLS = 50

/** Reads numbers of up to 48 bits from bytes, the highest bit first. */
function bitsOf(bytes: Uint8Array) {
  let at = 0
  const bit = (): number => {
    damagedUnless(at < bytes.length * 8)
    const value = ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1
    at += 1
    return value
  }
  return {
    bit,
    read: (count: number): number => {
      let value = 0
      for (let left = count; left > 0; left -= 1) value = value * 2 + bit()
      return value
    },
    toByte: (): void => {
      at = Math.ceil(at / 8) * 8
    },
    isAtEnd: (): boolean => at >= bytes.length * 8,
  }
}

type Bits = ReturnType<typeof bitsOf>

/**
 * Unpacks bzip2, also several streams one after the other, as parallel packers write. Every block has a
 * checksum. No npm package that unpacks bzip2 is maintained (2026). Throws not_unpacked.
 */
export function bunzip(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const bits = bitsOf(bytes)
  const chunks: Uint8Array[] = []
  let size = 0
  do {
    damagedUnless(bits.read(24) === 0x425a68)
    const maxBlock = (bits.read(8) - 0x30) * 100_000
    damagedUnless(maxBlock >= 100_000 && maxBlock <= 900_000)
    let mark = bits.read(48)
    while (mark === BLOCK) {
      const block = blockOf(bits, maxBlock, maxBytes - size)
      chunks.push(block)
      size += block.length
      mark = bits.read(48)
    }
    damagedUnless(mark === END)
    bits.read(32)
    bits.toByte()
  } while (!bits.isAtEnd())
  return Buffer.concat(chunks)
}

function blockOf(bits: Bits, maxBlock: number, maxBytes: number): Uint8Array {
  const checksum = bits.read(32)
  damagedUnless(bits.bit() === 0)
  const origin = bits.read(24)
  const sorted = movedBytes(bits, maxBlock)
  damagedUnless(origin < sorted.length)
  const block = withoutRuns(unsorted(sorted, origin), maxBytes)
  damagedUnless(checksumOf(block) === checksum)
  return block
}

/** The bytes that occur in a block, in order. */
function alphabetOf(bits: Bits): number[] {
  const ranges = bits.read(16)
  const used: number[] = []
  for (let range = 0; range < 16; range += 1) {
    if (((ranges >> (15 - range)) & 1) === 0) continue
    const bytes = bits.read(16)
    for (let low = 0; low < 16; low += 1) if ((bytes >> (15 - low)) & 1) used.push(range * 16 + low)
  }
  damagedUnless(used.length > 0)
  return used
}

/** A Huffman code: its symbols by length and value, and the first value of each length. */
interface Code {
  readonly symbols: readonly number[]
  readonly counts: readonly number[]
}

function codeOf(bits: Bits, symbols: number): Code {
  const lengths: number[] = []
  let length = bits.read(5)
  while (lengths.length < symbols) {
    while (bits.bit() === 1) length += bits.bit() === 0 ? 1 : -1
    damagedUnless(length >= 1 && length <= MAX_CODE_BITS)
    lengths.push(length)
  }
  const order = lengths.map((_, symbol) => symbol)
  return {
    symbols: order.sort((one, other) => (lengths[one] ?? 0) - (lengths[other] ?? 0) || one - other),
    counts: Array.from(
      { length: MAX_CODE_BITS + 1 },
      (_, bitsUsed) => lengths.filter((one) => one === bitsUsed).length,
    ),
  }
}

/** Canonical: the codes of one length are consecutive numbers. */
function symbolIn(bits: Bits, { symbols, counts }: Code): number {
  let [value, first, index] = [0, 0, 0]
  for (let length = 1; length <= MAX_CODE_BITS; length += 1) {
    value = value * 2 + bits.bit()
    const count = counts[length] ?? 0
    if (value - first < count) return symbols[index + value - first] ?? 0
    index += count
    first = (first + count) * 2
  }
  throw notUnpacked('damaged')
}

/** The symbols of a block: each group of fifty has one of several codes. */
function symbolReader(bits: Bits, symbols: number): () => number {
  const codes = bits.read(3)
  const selectors = bits.read(15)
  damagedUnless(codes >= 2 && codes <= 6 && selectors > 0)
  const recent = Array.from({ length: codes }, (_, index) => index)
  const chosen = Array.from({ length: selectors }, () => {
    let place = 0
    while (bits.bit() === 1) place += 1
    damagedUnless(place < codes)
    return toFront(recent, place)
  })
  const tables = Array.from({ length: codes }, () => codeOf(bits, symbols))
  let read = 0
  return () => {
    const code = tables[chosen[Math.floor(read / GROUP_SYMBOLS)] ?? -1]
    read += 1
    if (code === undefined) throw notUnpacked('damaged')
    return symbolIn(bits, code)
  }
}

function toFront(list: number[], place: number): number {
  const [moved = 0] = list.splice(place, 1)
  list.unshift(moved)
  return moved
}

/** Undoes the Huffman codes, the runs of the first byte, and the moves to the front. */
function movedBytes(bits: Bits, maxBlock: number): Uint8Array {
  const recent = alphabetOf(bits)
  const end = recent.length + 1
  const next = symbolReader(bits, end + 1)
  const out = new Uint8Array(maxBlock)
  let [size, run, weight] = [0, 0, 1]
  for (let symbol = next(); ; symbol = next()) {
    if (symbol <= 1) {
      run += weight * (symbol + 1)
      weight *= 2
      damagedUnless(size + run <= maxBlock)
      continue
    }
    out.fill(recent[0] ?? 0, size, size + run)
    size += run
    ;[run, weight] = [0, 1]
    if (symbol === end) return out.subarray(0, size)
    damagedUnless(size < maxBlock)
    out[size] = toFront(recent, symbol - 1)
    size += 1
  }
}

/** Undoes the sorting of Burrows and Wheeler. */
function unsorted(sorted: Uint8Array, origin: number): Uint8Array {
  const starts = new Uint32Array(256)
  for (const byte of sorted) starts[byte] = (starts[byte] ?? 0) + 1
  let sum = 0
  for (const [byte, count] of starts.entries()) {
    starts[byte] = sum
    sum += count
  }
  const next = new Uint32Array(sorted.length)
  for (const [index, byte] of sorted.entries()) {
    next[starts[byte] ?? 0] = index
    starts[byte] = (starts[byte] ?? 0) + 1
  }
  let at = next[origin] ?? 0
  return Uint8Array.from(sorted, () => {
    const byte = sorted[at] ?? 0
    at = next[at] ?? 0
    return byte
  })
}

/** Four equal bytes are followed by the number of further ones. */
function withoutRuns(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const chunks: Uint8Array[] = []
  let [size, from, same] = [0, 0, 0]
  const add = (chunk: Uint8Array) => {
    size += chunk.length
    if (size > maxBytes) throw notUnpacked('too large')
    chunks.push(chunk)
  }
  for (let at = 0; at < bytes.length; at += 1) {
    if (same === 4) {
      add(bytes.subarray(from, at))
      add(new Uint8Array(bytes[at] ?? 0).fill(bytes[at - 1] ?? 0))
      ;[from, same] = [at + 1, 0]
    } else same = same > 0 && bytes[at] === bytes[at - 1] ? same + 1 : 1
  }
  add(bytes.subarray(from))
  return Buffer.concat(chunks)
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24
  for (let bit = 0; bit < 8; bit += 1) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1
  return value >>> 0
})

function checksumOf(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) sum = ((sum << 8) ^ (TABLE[((sum >>> 24) ^ byte) & 255] ?? 0)) >>> 0
  return ~sum >>> 0
}
