import { clockOf } from '#lib/intake/clock.ts'
import { type CsvFormat, readRows } from '#lib/intake/csv-rows.ts'
import type { ReadFormat } from '#lib/intake/record.ts'
import { callOfCdr } from './asterisk.ts'

/** What cdr.conf says about Master.csv, each off unless it is switched on there. */
export interface MasterProfile {
  readonly loguniqueid: boolean
  readonly loguserfield: boolean
  readonly newcdrcolumns: boolean
}

/**
 * The 16 to 21 columns of Master.csv in the order of build_csv_record (cdr/cdr_csv.c). How many there are does not tell
 * which: 17 are with the unique id as well as with the user field.
 */
export const masterColumns = ({ loguniqueid, loguserfield, newcdrcolumns }: MasterProfile): string[] => [
  ...ALWAYS,
  ...(loguniqueid ? ['uniqueid'] : []),
  ...(loguserfield ? ['userfield'] : []),
  ...(newcdrcolumns ? ['peeraccount', 'linkedid', 'sequence'] : []),
]

const ALWAYS = [
  'accountcode',
  'src',
  'dst',
  'dcontext',
  'clid',
  'channel',
  'dstchannel',
  'lastapp',
  'lastdata',
  'start',
  'answer',
  'end',
  'duration',
  'billsec',
  'disposition',
  'amaflags',
]

const AS_DELIVERED = masterColumns({ loguniqueid: false, loguserfield: false, newcdrcolumns: false })

/**
 * What Asterisk's cdr_csv writes into Master.csv (cdr/cdr_csv.c), without a header and, as delivered, without a unique id;
 * and what cdr_custom writes (configs/samples/cdr_custom.conf.sample) below a header with the names of the CDR fields.
 * The columns of the source say what a file without a header has. With `usegmtime` the source's zone is UTC.
 */
export const asteriskCsv: ReadFormat = (document, { zone, columns = AS_DELIVERED }) => {
  const clock = clockOf(zone)
  const format: CsvFormat = { columns: columns.map(nameIn), isHeader, nameIn }

  return readRows(document, format, (field) => ({ kind: 'call', call: callOfCdr(field, clock) }))
}

/** As in a mapping of cdr_custom: `${CSV_QUOTE(${CDR(src)})}`, `start(int64)`, or the name alone. */
const nameIn = (cell: string): string =>
  (/CDR\((\w+)/i.exec(cell)?.[1] ?? cell)
    .trim()
    .replace(/\([^)]*\)$/, '')
    .toLowerCase()

const isHeader = (row: readonly string[]): boolean => {
  const names = row.map(nameIn)
  return names.includes('disposition') && (names.includes('start') || names.includes('calldate'))
}
