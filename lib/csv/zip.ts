import { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import type { Refusal } from '#lib/base/refusal.ts'
import { fileRefused } from '#lib/base/row-refused.ts'

/** A part of a zip archive as its directory states it. */
export interface ZipPart {
  readonly name: string
  readonly packed: Uint8Array
  readonly isDeflated: boolean
  /** Neither deflated nor plain, or encrypted. */
  readonly isUnreadable: boolean
  /** The unpacked bytes; the reader stops there. Infinity if the directory does not state them. */
  readonly size: number
}

/** The parts of a zip archive. Sizes beyond 4 GB, which zip states in other fields, count as hidden. */
export function zipParts(bytes: Uint8Array): ZipPart[] {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  try {
    const end = archive.lastIndexOf(END_OF_DIRECTORY, archive.length - 22)
    const size = archive.readUInt32LE(end + 12)
    if (end < 0 || size === HIDDEN) throw new RangeError('No directory')
    let at = archive.readUInt32LE(end + 16)
    return Array.from({ length: archive.readUInt16LE(end + 10) }, () => {
      const part = partAt(archive, at)
      const lengths = [28, 30, 32].map((field) => archive.readUInt16LE(at + field))
      at += lengths.reduce((sum, length) => sum + length, 46)
      return part
    })
  } catch (error) {
    throw damaged(error)
  }
}

const END_OF_DIRECTORY = Buffer.from('504b0506', 'hex')
const HIDDEN = 0xffff_ffff
const [PLAIN, DEFLATED] = [0, 8]

/** The bytes of a packed empty part. A larger part without a size hides it. */
const EMPTY_PACKED_BYTES = 5

function partAt(archive: Buffer, at: number): ZipPart {
  const packedSize = archive.readUInt32LE(at + 20)
  const size = archive.readUInt32LE(at + 24)
  const method = archive.readUInt16LE(at + 10)
  const isEncrypted = (archive.readUInt16LE(at + 8) & 1) === 1
  const isDeflated = method === DEFLATED
  const isHidden = [size, packedSize].includes(HIDDEN) || (size === 0 && packedSize > EMPTY_PACKED_BYTES)
  const local = archive.readUInt32LE(at + 42)
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
  return {
    name: archive.toString('utf8', at + 46, at + 46 + archive.readUInt16LE(at + 28)),
    packed: archive.subarray(start, start + packedSize),
    isDeflated,
    isUnreadable: isEncrypted || ![PLAIN, DEFLATED].includes(method),
    size: isHidden || (isDeflated && packedSize === 0) ? Number.POSITIVE_INFINITY : size,
  }
}

const damaged = (cause: unknown): Refusal<'refused_file'> =>
  fileRefused('The file is damaged: it is not a whole zip archive', { cause })

/** Unpacks up to the stated size. */
export async function* unpackPart({ packed, isDeflated, size }: ZipPart): AsyncGenerator<Buffer> {
  if (!isDeflated) return yield Buffer.from(packed)
  const inflating = Readable.from([packed]).pipe(createInflateRaw({ chunkSize: 65_536 }))
  let left = size
  try {
    for await (const chunk of inflating) {
      yield chunk
      left -= chunk.length
      if (left < 0) return
    }
  } catch (error) {
    throw damaged(error)
  }
}
