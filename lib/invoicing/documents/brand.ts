import * as v from 'valibot'
import type { Item } from '#lib/table/items.ts'
import { keyForm } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'

/** The look of a seller's documents: account 0 for admin, otherwise a reseller or a partner. */
export const brandKey = keyForm('BRAND#<account_id>', 'BRAND')

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

export const putBrand = (accountId: number, brand: Brand): Change => ({
  put: { ...brandKey(accountId), ...brand },
})

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
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
}

export const logoBytes = (logo: string): Buffer => Buffer.from(logo.slice(logo.indexOf(',') + 1), 'base64')
