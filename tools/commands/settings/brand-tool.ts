import { readFile } from 'node:fs/promises'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import {
  type Brand,
  findBrand,
  isColour,
  logoBytes,
  logoOf,
  putBrand,
} from '#lib/invoicing/documents/brand.ts'
import { openSheet } from '#lib/invoicing/documents/pdf-sheet.ts'
import type { Store } from '#lib/table/store.ts'
import { findAccountNamed } from '../../command-line/named.ts'
import { type Act, openLog } from '../../command-line/over-table.ts'
import { CommandError, countOf } from '../../machine/terminal.ts'

/** The look of a seller's documents, as an operator changes it. Omitted values stay. */
export interface BrandOptions {
  /** The reseller or partner; without it, admin. */
  readonly seller?: string | undefined
  /** The path of a file, or false for no logo. */
  readonly logo?: string | false | undefined
  readonly colour?: string | undefined
  /** `\\n` begins a line. */
  readonly footer?: string | undefined
}

/** Changes logo, colour and footer of documents and the customers' page. Returns the present ones. */
export async function changeBrand(store: Store, options: BrandOptions, act: Act): Promise<string[]> {
  const { seller, logo, colour, footer } = options
  const id = seller === undefined ? ADMIN_ACCOUNT : (await findAccountNamed(store, seller)).id
  const before = await findBrand(store, id)
  const brand = { ...before, ...(await newLogo(logo)), ...newColour(colour), ...newFooter(footer) }
  if (logo !== undefined || colour !== undefined || footer !== undefined) {
    const action = `changed the logo, the colour or the footer of ${seller ?? 'admin'}`
    const log = await openLog(store, act)
    await store.transact([putBrand(id, brand), log(action)])
  }
  return brandLines(brand)
}

const brandLines = ({ logo, colour, footer }: Brand): string[] => [
  `logo: ${logo === '' ? 'none' : countOf(logoBytes(logo).length, 'byte')}`,
  `colour: ${colour || 'that of the console'}`,
  `footer: ${footer === '' ? 'none' : footer.replaceAll('\n', ' / ')}`,
]

async function newLogo(path: string | false | undefined): Promise<Partial<Brand>> {
  if (path === undefined) return {}
  if (path === false) return { logo: '' }
  const logo = await readFile(path)
    .then(logoOf)
    .catch((error: unknown) => {
      throw new CommandError(`${path}: ${error instanceof Error ? error.message : error}`)
    })
  await refuseUnreadable(path, logo)
  return { logo }
}

/** Draws the logo once: a damaged one would make every document fail. */
async function refuseUnreadable(path: string, logo: string): Promise<void> {
  try {
    const { pdf } = openSheet({ paper: 'A4', language: 'en', title: '', author: '', created: new Date(0) })
    pdf.image(logoBytes(logo), 0, 0, { fit: [100, 100] })
    pdf.end()
    await Array.fromAsync(pdf)
  } catch (error) {
    throw new CommandError(`${path} cannot be drawn: ${error instanceof Error ? error.message : error}`)
  }
}

function newColour(colour: string | undefined): Partial<Brand> {
  if (colour === undefined) return {}
  if (colour === '' || isColour(colour)) return { colour: colour.toLowerCase() }
  throw new CommandError(`${colour} is not a colour: pass one such as #0a7d5a, or a blank text`)
}

const MAX_FOOTER = 1000

function newFooter(footer: string | undefined): Partial<Brand> {
  if (footer === undefined) return {}
  const text = footer.replaceAll('\\n', '\n').trim()
  if (text.length > MAX_FOOTER)
    throw new CommandError(`a footer has at most ${MAX_FOOTER} characters, and this one has ${text.length}`)
  return { footer: text }
}
