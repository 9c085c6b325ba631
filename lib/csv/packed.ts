import { gunzipSync } from 'node:zlib'
import { isRefusal } from '#lib/base/refusal.ts'
import { fileRefused } from '#lib/base/row-refused.ts'
import { bunzip, notUnpacked } from './bunzip.ts'
import { unpackPart, type ZipPart, zipParts } from './zip.ts'

type Unpack = (bytes: Uint8Array, maxBytes: number) => Promise<Uint8Array>

/** How a file is packed. One without `unpack` is not read. */
interface Packing {
  readonly start: RegExp
  readonly name: string
  readonly remedy: string
  readonly unpack?: Unpack
}

const gunzip: Unpack = async (bytes, maxBytes) => {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw notUnpacked(isTooLarge ? 'too large' : 'damaged')
  }
}

/** The first bytes of packed files, and of workbooks, which are packed by zip. */
const PACKED: readonly Packing[] = [
  { start: /^\x1f\x8b/, name: 'packed by gzip', remedy: 'unpack it first (gunzip)', unpack: gunzip },
  {
    start: /^BZh[1-9](?:1AY&SY|\x17\x72\x45\x38\x50\x90)/,
    name: 'packed by bzip2',
    remedy: 'unpack it first (bunzip2)',
    unpack: async (bytes, maxBytes) => bunzip(bytes, maxBytes),
  },
  { start: /^\x28\xb5\x2f\xfd/, name: 'packed by zstd', remedy: 'unpack it first (unzstd)' },
  { start: /^\xfd7zXZ/, name: 'packed by xz', remedy: 'unpack it first (unxz)' },
  { start: /^7z\xbc\xaf\x27\x1c/, name: 'packed by 7-Zip', remedy: 'unpack it first' },
  { start: /^Rar!\x1a\x07/, name: 'packed by RAR', remedy: 'unpack it first' },
  { start: /^\x04\x22\x4d\x18/, name: 'packed by lz4', remedy: 'unpack it first (unlz4)' },
  { start: /^\x1f\x9d/, name: 'packed by compress', remedy: 'unpack it first (uncompress)' },
  { start: /^[^\0]{1,100}\0[\s\S]{156,256}ustar/, name: 'a tar archive', remedy: 'unpack it first (tar xf)' },
  { start: /^SQLite format 3\0/, name: 'a database of SQLite', remedy: 'have sqlite3 write its rows as CSV' },
  { start: /^%PDF-/, name: 'a PDF', remedy: 'ask for CSV, or a workbook' },
  { start: /^-----BEGIN PGP MESSAGE/, name: 'encrypted by PGP', remedy: 'decrypt it first (gpg)' },
  {
    start: /^PK\x03\x04[\s\S]*(?:xl\/|\[Content_Types\]\.xml|_rels\/)/,
    name: 'a workbook',
    remedy: 'save its rows as CSV',
  },
  { start: /^\xd0\xcf\x11\xe0/, name: 'a workbook (.xls)', remedy: 'save its rows as CSV' },
  {
    start: /^PK\x03\x04[\s\S]{26}mimetypeapplication\/vnd\.oasis/,
    name: 'a workbook (.ods)',
    remedy: 'save its rows as CSV',
  },
  { start: /^PK\x03\x04/, name: 'packed by zip', remedy: 'unpack it first (unzip)', unpack: unzip },
]

const START_BYTES = 4000

function packingIn(bytes: Uint8Array): Packing | undefined {
  const start = Buffer.from(bytes.subarray(0, START_BYTES)).toString('latin1')
  return PACKED.find((packing) => packing.start.test(start))
}

/** How a file is packed, and what to do; `undefined` for one that is not. */
export function packingOf(bytes: Uint8Array): string | undefined {
  const packing = packingIn(bytes)
  return packing && `${packing.name}: ${packing.remedy}`
}

/**
 * The bytes of a file, unpacked if gzip, bzip2 or zip packed it. Throws refused_file for other packed files,
 * and for more bytes than `maxBytes`.
 */
export async function unpacked(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const packing = packingIn(bytes)
  if (packing === undefined) return bytes
  const { name, remedy, unpack } = packing
  if (unpack === undefined) throw fileRefused(`it is ${name}: ${remedy}`)
  try {
    const whole = await unpack(bytes, maxBytes)
    const inner = packingIn(whole)
    if (inner === undefined) return whole
    throw fileRefused(`it is ${name}, and ${inner.name} in it: unpack both first`)
  } catch (error) {
    if (!isRefusal(error, 'not_unpacked')) throw error
    const why = error.values.why === 'too large' ? `has more than ${maxBytes} bytes` : 'damaged'
    throw fileRefused(`it is ${name}, and ${why}: ${remedy}`)
  }
}

/** The only file of a zip archive. */
async function unzip(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const files = partsOf(bytes).filter(({ name }) => !NO_FILE.test(name))
  const [file] = files
  if (file === undefined || files.length > 1)
    throw fileRefused(`it is packed by zip with ${files.length} files: unpack it, and name the files`)
  if (file.isUnreadable)
    throw fileRefused('it is packed by zip with a password, or otherwise than usual: unpack it first')
  if (file.size > maxBytes) throw notUnpacked('too large')
  const chunks = await Array.fromAsync(unpackPart(file)).catch(() => {
    throw notUnpacked('damaged')
  })
  const whole = Buffer.concat(chunks)
  if (whole.length !== file.size) throw notUnpacked('damaged')
  return whole
}

function partsOf(bytes: Uint8Array): ZipPart[] {
  try {
    return zipParts(bytes)
  } catch {
    throw notUnpacked('damaged')
  }
}

/** Folders, and what the Finder of a Mac adds. */
const NO_FILE = /\/$|^__MACOSX\/|(?:^|\/)\.DS_Store$/
