import { formatDateTime } from '#lib/domain/calendar.ts'
import { remembering } from '#lib/domain/collections.ts'
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

/** A row has this around its cells when none of them is empty: rather too long an answer is announced than too short. */
const TAGS_OF_A_ROW = ['rate', ...FIELDS].reduce((sum, name) => sum + `<${name}></${name}>`.length, 0)

/** How many rows there will be, and the length of the lines in which they are stored. */
interface Announced {
  readonly rows: number
  readonly bytes: number
}

/** The rows of a tariff of any length, rendered page by page. */
export function rateRows(
  pages: AsyncIterable<readonly Rate[]>,
  { rows, bytes }: Announced = { rows: 0, bytes: 0 },
  settings: Settings,
): Rows {
  const decimals = niceDigits(settings)
  const amount = remembering((text: string) => fixed(text, decimals), MOST_REMEMBERED)
  const dateTime = remembering((moment: number) => formatDateTime(moment, settings.Timezone), MOST_REMEMBERED)
  const toRow = (rate: Rate) => ({
    ...rate,
    tariff_rate: amount(rate.tariff_rate),
    con_fee: amount(rate.con_fee),
    effective_from: rate.effective_from === undefined ? undefined : dateTime(rate.effective_from),
  })
  return rowsOf(pages, (page) => write(page.map(toRow)), bytes + rows * TAGS_OF_A_ROW)
}

/** Few amounts and moments make up a tariff. */
const MOST_REMEMBERED = 10_000
