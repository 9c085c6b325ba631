import { clockOf } from '#lib/intake/clock.ts'
import { readRows } from '#lib/intake/csv-rows.ts'
import type { ReadFormat } from '#lib/intake/record.ts'
import { firstOf } from '#lib/intake/texts.ts'
import { callOfLeg } from './freeswitch.ts'

/**
 * What FreeSWITCH's mod_cdr_csv writes by one of its templates (cdr_csv.conf.xml). It writes no header: the first line of
 * the document, or the columns of the source, are the template's own text or the names in it (`"${uuid}"` or `uuid`).
 * Only legs A are billed: leave `legs` at `a`, or have `${originator}` in the template.
 */
export const freeswitchCsv: ReadFormat = (document, { zone, columns }) => {
  const clock = clockOf(zone)
  const format = { columns: columns?.map(nameIn), isHeader: isTemplate, nameIn }

  return readRows(document, format, (field) => {
    if (firstOf(field, 'originator', 'originating_leg_uuid') !== '') return undefined
    return { kind: 'call', call: callOfLeg({ variable: field, caller: field }, clock) }
  })
}

/** The templates have a space before a quote here and there. */
const nameIn = (cell: string): string => cell.trim().replace(/^"?\$\{([^}]*)\}"?$/, '$1')

const isTemplate = (row: readonly string[]): boolean => {
  const names = row.map(nameIn)
  return names.includes('start_stamp') || names.includes('start_epoch')
}
