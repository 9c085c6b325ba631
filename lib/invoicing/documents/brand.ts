import { inflateSync } from 'node:zlib'
import * as v from 'valibot'
import { hexDigest } from '#lib/base/digest.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'

/** The look of a seller's documents: account 0 for admin, otherwise a reseller or a partner. */
export const brandKey = keyForm('BRAND#<account_id>', 'BRAND')

/** A look that documents were issued with. It never changes. */
export const keptBrandKey = keyForm('BRANDKEPT#<digest>', 'BRANDKEPT')

const brandSchema = v.object({
  /** A PNG or JPEG as a `data:` address; blank for none. */
  logo: v.optional(v.string(), ''),
  /** `#rrggbb`; blank for that of the console. */
  colour: v.optional(v.string(), ''),
  /** The seller's legal lines: register, directors, interest on late payments; separated by line feeds. */
  footer: v.optional(v.string(), ''),
})

export type Brand = v.InferOutput<typeof brandSchema>

export const readBrand = (item: Item | undefined): Brand => v.parse(brandSchema, item ?? {})

export const findBrand = async (store: Store, accountId: number): Promise<Brand> =>
  readBrand(await store.get(brandKey(accountId)))

/** Changes the look of a seller, and keeps it for the documents that are issued with it. */
export const putBrand = (accountId: number, { logo, colour, footer }: Brand): Change[] => {
  const kept = brandDigest({ logo, colour, footer })
  return [
    { put: { ...brandKey(accountId), logo, colour, footer, kept } },
    ...(kept === '' ? [] : [{ put: { ...keptBrandKey(kept), logo, colour, footer } }]),
  ]
}

/** The digest of a look; blank for one that is blank. */
const brandDigest = ({ logo, colour, footer }: Brand): string =>
  [logo, colour, footer].every((one) => one === '') ? '' : hexDigest(JSON.stringify([logo, colour, footer]))

/** The digest of a seller's present look, which is kept from now on. Earlier releases did not keep it. */
export async function keepBrand(store: Store, accountId: number): Promise<string> {
  const item = await store.get(brandKey(accountId))
  const brand = readBrand(item)
  const digest = brandDigest(brand)
  if (digest !== '' && item?.['kept'] !== digest) await store.transact(putBrand(accountId, brand))
  return digest
}

/** The look of this digest. Throws if it is lost. */
export async function findKeptBrand(store: Store, digest: string): Promise<Brand> {
  if (digest === '') return readBrand(undefined)
  const item = await store.get(keptBrandKey(digest))
  if (item) return readBrand(item)
  throw new Error(`The look ${digest} of a document is lost`)
}

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

/** A page has the logo in it, and a table's item is small. */
const MAX_LOGO_BYTES = 100_000

/** The first bytes of the formats that every browser and PDF knows. */
const FORMATS = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
] as const

/** A logo from the bytes of its file. Throws an error that says what is wrong with them. */
export function logoOf(bytes: Uint8Array): string {
  const [type] = FORMATS.find(([, first]) => first.every((byte, index) => bytes[index] === byte)) ?? []
  if (!type) throw new Error('a logo is a PNG or a JPEG')
  if (bytes.length > MAX_LOGO_BYTES)
    throw new Error(`a logo has at most ${MAX_LOGO_BYTES} bytes, and this one has ${bytes.length}`)
  const file = Buffer.from(bytes)
  if (!(type === 'image/png' ? isWholePng(file) : isWholeJpeg(file))) throw new Error('the file is damaged')
  return `data:${type};base64,${file.toString('base64')}`
}

/** A damaged logo would make every document fail. An image of this many bytes has 16 million points. */
const MAX_PIXEL_BYTES = 64_000_000

/** Chunks of a length, a name, data and a checksum, the last one IEND; the data of IDAT are compressed. */
function isWholePng(file: Buffer): boolean {
  const data: Buffer[] = []
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at)
    const name = file.toString('latin1', at + 4, at + 8)
    if (name === 'IDAT') data.push(file.subarray(at + 8, at + 8 + length))
    if (name === 'IEND') return isInflated(Buffer.concat(data))
    at += 12 + length
  }
  return false
}

function isInflated(data: Buffer): boolean {
  try {
    return inflateSync(data, { maxOutputLength: MAX_PIXEL_BYTES }).length > 0
  } catch {
    return false
  }
}

/** Segments of a marker and a length, up to the one that says the size of the picture. */
function isWholeJpeg(file: Buffer): boolean {
  for (let at = 2; at + 9 <= file.length; at += 2 + file.readUInt16BE(at + 2)) {
    if (file[at] !== 0xff) return false
    const marker = file[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return file.subarray(-64).includes(Buffer.from([0xff, 0xd9]))
  }
  return false
}

export const logoBytes = (logo: string): Buffer => Buffer.from(logo.slice(logo.indexOf(',') + 1), 'base64')
