import { formatDateTime } from '#lib/domain/calendar.ts'
import { fixed, niceDigits } from '#lib/domain/money.ts'
import type { Rate } from '#lib/domain/rates/rating.ts'
import type { Settings } from '#lib/domain/settings.ts'
import { rowsOf } from '#lib/xml/batches.ts'
import type { Rows } from '#lib/xml/element.ts'
import { rowWriter } from '#lib/xml/row-writer.ts'

/** The columns come in the documented order (wire.md tariff_rates_get). */
const FIELDS = [
  'direction',
  'destination',
  'prefix',
  'code',
  'tariff_rate',
  'con_fee',
  'increment',
  'min_time',
  'start_time',
  'end_time',
  'daytype',
  'effective_from',
] as const satisfies readonly (keyof Rate)[]

const write = rowWriter('rate', FIELDS)

const tagBytes = (name: string): number => `<${name}></${name}>`.length

const TAGS_OF_A_ROW = ['rate', ...FIELDS].reduce((sum, name) => sum + tagBytes(name), 0)
const DATE_TIME_BYTES = 'YYYY-MM-DD HH:MM:SS'.length

/** The bytes of a row's markup but for the decimals of its amounts and what escaping adds. */
export function printedBytes(rate: Rate): number {
  let bytes = TAGS_OF_A_ROW
  for (const name of FIELDS) {
    const own = cellBytes(rate, name)
    bytes += own === 0 ? `<${name}/>`.length - tagBytes(name) : own
  }
  return bytes
}

function cellBytes(rate: Rate, name: (typeof FIELDS)[number]): number {
  if (name === 'effective_from') return rate.effective_from === undefined ? 0 : DATE_TIME_BYTES
  if (name === 'tariff_rate' || name === 'con_fee') return rate[name].split('.', 1)[0]?.length ?? 0
  const cell = rate[name]
  return typeof cell === 'number' ? String(cell).length : Buffer.byteLength(cell)
}

/** How many rows there will be, and the bytes of their markup but for the decimals of their amounts. */
interface Announced {
  readonly rows: number
  readonly bytes: number
}

const AMOUNTS_OF_A_ROW = 2

/** The rows of a tariff of any length, rendered page by page. */
export function rateRows(
  pages: AsyncIterable<readonly Rate[]>,
  { rows, bytes }: Announced = { rows: 0, bytes: 0 },
  settings: Settings,
): Rows {
  const decimals = niceDigits(settings)
  const amount = remembering((text: string) => fixed(text, decimals))
  const dateTime = remembering((moment: number) => formatDateTime(moment, settings.Timezone))
  const toRow = (rate: Rate) => ({
    ...rate,
    tariff_rate: amount(rate.tariff_rate),
    con_fee: amount(rate.con_fee),
    effective_from: rate.effective_from === undefined ? undefined : dateTime(rate.effective_from),
  })
  const expectedBytes = bytes + rows * AMOUNTS_OF_A_ROW * (decimals > 0 ? decimals + 1 : 0)
  return rowsOf(pages, (page) => write(page.map(toRow)), expectedBytes)
}

const MOST_REMEMBERED = 10_000

/** Few amounts and moments make up a tariff. */
function remembering<K>(textOf: (key: K) => string): (key: K) => string {
  const known = new Map<K, string>()
  return (key) => {
    const text = known.get(key) ?? textOf(key)
    if (known.size < MOST_REMEMBERED) known.set(key, text)
    return text
  }
}
