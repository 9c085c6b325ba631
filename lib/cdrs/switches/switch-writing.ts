import {
  choiceInput,
  type InputValues,
  inputOf,
  listInput,
  optionalInput,
  type PlainInput,
} from '#lib/acts/inputs.ts'
import { DATE_ORDERS } from '#lib/base/date-order.ts'
import { ACCOUNT_CODES } from '#lib/base/switch-names.ts'
import { LENGTH_FORMS, lengthFormNamed, zoneNamed } from '#lib/csv/headings.ts'
import { settingError } from '#lib/settings/settings.ts'
import { masterColumns } from '../formats/asterisk.ts'
import { conditionIn } from '../formats/csv-rows.ts'
import type { CdrDocument } from '../formats/formats.ts'
import { MAPPED_FIELDS } from '../formats/mapped-csv.ts'

const MASTER_OPTIONS = ['loguniqueid', 'loguserfield', 'newcdrcolumns'] as const

/** The columns of a Master.csv with these options of cdr.conf, of which there may be none. */
function columnsOfMaster(text: string): string[] | undefined {
  const on = namesIn(text)
  if (on.some((name) => !(MASTER_OPTIONS as readonly string[]).includes(name))) return undefined
  const [loguniqueid = false, loguserfield = false, newcdrcolumns = false] = MASTER_OPTIONS.map((name) =>
    on.includes(name),
  )
  return masterColumns({ loguniqueid, loguserfield, newcdrcolumns })
}

const namesIn = (text: string): string[] => text.split(',').flatMap((name) => name.trim() || [])

const isMapped = (field: string): boolean => (MAPPED_FIELDS as readonly string[]).includes(field)

/** A field and its column, which may be blank but for the start of the call. */
function pairIn(text: string): readonly [string, string] | undefined {
  const [, field = '', column = ''] = /^(\w+)=(.*)$/s.exec(text) ?? []
  return isMapped(field) && !(field === 'start' && column === '') ? [field, column] : undefined
}

/** An operator's description of how a switch writes its CDRs. */
export const switchInputs = {
  zone: optionalInput(
    inputOf('time zone such as Europe/Vilnius, or an offset such as +02:00', 'ZONE', (text) =>
      settingError('Timezone', text) === undefined ? text : zoneNamed(text),
    )("the time zone of clock times in the CDRs (default: the installation's)"),
  ),
  master: {
    ...optionalInput(
      inputOf(
        `list of ${MASTER_OPTIONS.join(', ')}, or nothing`,
        'A,B',
        columnsOfMaster,
      )(
        `asterisk-csv: the options of Master.csv that cdr.conf sets (${MASTER_OPTIONS.join(', ')}); blank for none`,
      ),
    ),
    takesBlank: true,
  },
  columns: optionalInput(
    inputOf('names with commas between them', 'A,B', (text) => text.split(',').map((name) => name.trim()))(
      'the columns of a CSV without a header',
    ),
  ),
  map: optionalInput(
    listInput(
      `FIELD=COLUMN, where start has a column and the fields are ${MAPPED_FIELDS.join(', ')}`,
      'FIELD=COLUMN',
      pairIn,
    )(
      'csv: the column of a field, such as billsec=Length:ms with its unit, start=Time:+02:00 with its zone, dst=#7 by position; \
blank to leave the field out; repeat the option for each field',
    ),
  ),
  where: optionalInput(
    listInput('COLUMN=VALUE or COLUMN!=VALUE', 'COLUMN=VALUE', (text) =>
      conditionIn(text) === undefined ? undefined : text,
    )(
      'CSV: mediate the rows with this value, or without it (!=), and skip the others; repeat the option for several',
    ),
  ),
  dates: optionalInput(
    choiceInput(...DATE_ORDERS)('csv: month-day or day-month, for times such as 11/22/2026 10:00:48 PM'),
  ),
  lengthFormat: optionalInput(
    inputOf(
      `form of lengths: ${LENGTH_FORMS.join(', ')}`,
      'FORM',
      lengthFormNamed,
    )('csv, json: how lengths are written whose heading does not say it, such as hhmmss for 000123, or ms'),
  ),
  codes: optionalInput(
    choiceInput(...ACCOUNT_CODES)('what its account codes are (default: usernames, otherwise ids)'),
  ),
} satisfies Readonly<Record<string, PlainInput<unknown>>>

export type SwitchValues = InputValues<typeof switchInputs>

/** The fields of a CDR document by the operator's description. */
export function switchWritesAs({
  zone,
  master,
  columns = master,
  map,
  where,
  dates,
  lengthFormat: lengths,
  codes,
}: SwitchValues): Partial<
  Pick<CdrDocument, 'zone' | 'columns' | 'mapping' | 'where' | 'dates' | 'lengths' | 'codes'>
> {
  return {
    ...(zone && { zone }),
    ...(columns && { columns }),
    ...(map && { mapping: Object.fromEntries(map) }),
    ...(where && { where }),
    ...(dates && { dates }),
    ...(lengths && { lengths }),
    ...(codes && { codes }),
  }
}
