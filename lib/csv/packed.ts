import { gunzipSync } from 'node:zlib'
import { FileRefused } from '#lib/base/row-refused.ts'

/** The first bytes of packed files, and of workbooks, which are packed by zip. */
const PACKED: readonly (readonly [start: RegExp, name: string])[] = [
  [/^\x1f\x8b/, 'packed by gzip'],
  [/^BZh[1-9]1AY&SY/, 'packed by bzip2: unpack it first (bunzip2)'],
  [/^\x28\xb5\x2f\xfd/, 'packed by zstd: unpack it first (unzstd)'],
  [/^\xfd7zXZ/, 'packed by xz: unpack it first (unxz)'],
  [/^7z\xbc\xaf\x27\x1c/, 'packed by 7-Zip: unpack it first'],
  [/^PK\x03\x04[\s\S]*(?:xl\/|\[Content_Types\]\.xml|_rels\/)/, 'a workbook: save its rows as CSV'],
  [/^PK\x03\x04/, 'packed by zip: unpack it first (unzip)'],
]

const START_BYTES = 4000

/** How a file is packed, and what to do; `undefined` for one that is not. */
export function packingOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, START_BYTES)).toString('latin1')
  return PACKED.find(([begins]) => begins.test(start))?.[1]
}

/** The bytes of a file, unpacked if gzip packed it. Throws FileRefused for other packed files. */
export function unpacked(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const packing = packingOf(bytes)
  if (packing === undefined) return bytes
  if (packing !== PACKED[0]?.[1]) throw new FileRefused(`it is ${packing}`)
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw new FileRefused(
      `it is ${packing}, and ${isTooLarge ? `has more than ${maxBytes} bytes` : 'damaged'}: unpack it first (gunzip)`,
    )
  }
}
