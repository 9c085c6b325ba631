import { clockOf } from '#lib/intake/clock.ts'
import { type CsvFormat, readRows } from '#lib/intake/csv-rows.ts'
import type { ReadFormat } from '#lib/intake/record.ts'
import { halfOf } from './kamailio.ts'

/**
 * Rows of the table `acc` that Kamailio's acc module fills (utils/kamctl/mysql/acc-create.sql), exported below a header
 * with the names of its columns; missed_calls has the same ones.
 */
export const kamailioCsv: ReadFormat = (document, { zone, columns }) => {
  const clock = clockOf(zone)
  const format: CsvFormat = { columns, isHeader: (row) => row.map(nameIn).includes('callid'), nameIn }

  return readRows(document, format, (field) => {
    const half = halfOf(field, clock)
    return half && { kind: 'half', half }
  })
}

const nameIn = (cell: string): string => cell.trim().toLowerCase()
