import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { csvLine } from '#lib/csv/writer.ts'
import type { Cells } from '#lib/dataset/format/row-source.ts'
import { DAY_SECONDS } from '#lib/domain/calendar.ts'
import { generatedRates } from '#test/examples/generated-rates.ts'
import { callingAccounts, KEY } from './installation.ts'
import { type CallsToWrite, FIRST_CUSTOMER } from './written-calls.ts'

/** How large a dataset is. Its calls are of the days up to now. */
export interface Size extends CallsToWrite {
  readonly rates: number
  readonly devices: number
}

const DAYS = 31

/** A dataset of so many calls, with half as many rates, a device for 50 calls, and customers with a thousand calls each. */
export function sizeOf(calls: number): Size {
  const owners = 20
  const customers = Math.ceil(calls / 1000 / owners) * owners
  const start = Math.floor(Date.now() / 1000) - DAYS * DAY_SECONDS
  const devices = Math.max(Math.ceil(calls / 50), customers)
  return { count: calls, start, days: DAYS, owners, customers, rates: Math.ceil(calls / 2), devices }
}

export const customerAt = (position: number, { customers }: Size): number =>
  FIRST_CUSTOMER + (position % customers)

export const TARIFF = 1

/** Writes all but the calls. */
export async function writeLarge(folder: string, size: Size): Promise<void> {
  const files: Readonly<Record<string, Iterable<Cells>>> = {
    settings: Object.entries({
      Allow_API: '1',
      API_Secret_Key: KEY,
      Devices_Check_Rate: '1',
      Default_Currency: 'EUR',
      Timezone: 'UTC',
      Device_Range_MIN: '2001',
      Device_Range_MAX: '9999999',
    }).map(([name, value]) => ({ name, value })),
    currencies: [{ name: 'EUR', exchange_rate: '1' }],
    tariffs: [{ id: String(TARIFF), name: 'Retail', currency: 'EUR', purpose: 'retail', owner_id: '0' }],
    users: callingAccounts(size).map((user) => ({ ...user, tariff_id: String(TARIFF) })),
    devices: devicesOf(size),
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

const FIRST_EXTENSION = 100_000

/** Each customer has as many. Their extensions leave free what the first new devices get. */
function* devicesOf(size: Size): Generator<Cells> {
  for (let index = 0; index < size.devices; index += 1) {
    const extension = String(FIRST_EXTENSION + index)
    yield {
      id: String(1 + index),
      user_id: String(customerAt(index, size)),
      device_type: 'SIP',
      name: extension,
      secret: `secret-of-${extension}`,
      extension,
    }
  }
}
