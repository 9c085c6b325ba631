import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { csvLine } from '#lib/csv/writer.ts'
import type { Cells } from '#lib/dataset/format/row-source.ts'
import { generatedRates } from '#test/examples/generated-rates.ts'
import { callingAccounts, KEY } from '../installation.ts'
import { type CallsToWrite, FIRST_CUSTOMER } from '../written-calls.ts'

/** The size of the dataset that both servers hold. */
export interface Size extends CallsToWrite {
  readonly rates: number
}

export const customerAt = (position: number, { customers }: Size): number =>
  FIRST_CUSTOMER + (position % customers)

export const TARIFF = 1

/** Writes all but the calls into a folder. */
export async function writeDataset(folder: string, size: Size): Promise<void> {
  const files: Readonly<Record<string, Iterable<Cells>>> = {
    settings: Object.entries({
      Allow_API: '1',
      API_Secret_Key: KEY,
      Devices_Check_Rate: '1',
      Default_Currency: 'EUR',
      Timezone: 'UTC',
    }).map(([name, value]) => ({ name, value })),
    currencies: [{ name: 'EUR', exchange_rate: '1' }],
    tariffs: [{ id: String(TARIFF), name: 'Retail', currency: 'EUR', purpose: 'retail', owner_id: '0' }],
    users: callingAccounts(size).map((user) => ({ ...user, tariff_id: String(TARIFF) })),
    rates: generatedRates(TARIFF, size.rates),
  }
  for (const [name, rows] of Object.entries(files))
    await pipeline(Readable.from(linesOf(rows)), createWriteStream(join(folder, `${name}.csv`)))
}

function* linesOf(rows: Iterable<Cells>): Generator<string> {
  let hasHeader = false
  for (const row of rows) {
    if (!hasHeader) yield csvLine(Object.keys(row))
    hasHeader = true
    yield csvLine(Object.values(row).map(String))
  }
}
