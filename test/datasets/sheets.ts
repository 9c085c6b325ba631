import type { Profile } from '#lib/rates/sheets/profile.ts'
import type { SheetEntry } from '#lib/rates/sheets/rate-rows.ts'
import { readSheet, type SheetReading } from '#lib/rates/sheets/read-sheet.ts'

export const readSheetText = (text: string, profile: Profile = {}): Promise<SheetReading> =>
  readSheet(new TextEncoder().encode(text), profile)

export const entriesOfSheet = async (text: string, profile?: Profile): Promise<SheetEntry[]> => [
  ...(await readSheetText(text, profile)).rows(),
]

/** Line, prefix and price of each row; for a row that ends prefixes, or is refused, that. */
export async function pricesOfSheet(text: string, profile?: Profile): Promise<string[]> {
  return (await entriesOfSheet(text, profile)).map((entry) => {
    if ('ended' in entry) return `${entry.line}: ${entry.ended} ends ${entry.from}`.trim()
    const { prefix, tariff_rate } = entry.cells
    return `${entry.line}: ${entry.problem ?? `${prefix} ${tariff_rate}`}`
  })
}

/** The questions about a sheet, and the answers to choose from. */
export const questionsOfSheet = async (text: string): Promise<string[]> =>
  (await readSheetText(text)).questions.map(({ about, choices }) => `${about}: ${choices.join(' or ')}`)
