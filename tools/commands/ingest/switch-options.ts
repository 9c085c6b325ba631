import { type Command, Option, type OptionValues } from '@commander-js/extra-typings'
import { DATE_ORDERS, type DateOrder } from '#lib/base/date-order.ts'
import { ACCOUNT_CODES, type AccountCodes } from '#lib/base/switch-names.ts'
import { masterColumns } from '#lib/cdrs/formats/asterisk.ts'
import { conditionIn } from '#lib/cdrs/formats/csv-rows.ts'
import type { CdrDocument } from '#lib/cdrs/formats/formats.ts'
import { MAPPED_FIELDS } from '#lib/cdrs/formats/mapped-csv.ts'
import { LENGTH_FORMS, type LengthForm, lengthFormNamed, zoneNamed } from '#lib/csv/headings.ts'
import { settingError } from '#lib/settings/settings.ts'
import { UsageError } from '../../machine/terminal.ts'

/** An operator's description of how a switch writes. */
export interface SwitchOptions {
  readonly zone?: string | undefined
  readonly columns?: string | undefined
  /** The options of Master.csv that cdr.conf sets, separated by commas; blank for none. */
  readonly master?: string | undefined
  readonly map?: readonly string[] | undefined
  /** `COLUMN=VALUE` or `COLUMN!=VALUE` for CSV: the rows to mediate. */
  readonly where?: readonly string[] | undefined
  /** The order in times whose year comes last. */
  readonly dates?: string | undefined
  /** How lengths are written whose heading does not say it. */
  readonly lengthFormat?: string | undefined
  /** What its account codes are. */
  readonly codes?: AccountCodes | undefined
}

/** Declares the options that describe how a switch writes. They are checked before the table is asked. */
export const withSwitchOptions = <A extends unknown[], O extends OptionValues, G extends OptionValues>(
  command: Command<A, O, G>,
) =>
  command
    .option('--zone <ZONE>', "the time zone of clock times in the CDRs (default: the installation's)")
    .option(
      '--master <A,B>',
      'asterisk-csv: the options of Master.csv that cdr.conf sets (loguniqueid, loguserfield, newcdrcolumns)',
    )
    .option('--columns <A,B>', 'the columns of a CSV without a header')
    .option(
      '--map <FIELD=COLUMN>',
      'csv: the column of a field, such as billsec=Length:ms with its unit, start=Time:+02:00 with its zone, dst=#7 by position; \
blank to leave the field out; repeat the option for each field',
      collect,
    )
    .option(
      '--where <COLUMN=VALUE>',
      'CSV: mediate the rows with this value, or without it (!=), and skip the others; repeat the option for several',
      collect,
    )
    .option('--dates <ORDER>', 'csv: month-day or day-month, for times such as 11/22/2026 10:00:48 PM')
    .option(
      '--length-format <FORM>',
      'csv, json: how lengths are written whose heading does not say it, such as hhmmss for 000123, or ms',
    )
    .addOption(
      new Option('--codes <KIND>', 'what its account codes are (default: usernames, otherwise ids)').choices(
        ACCOUNT_CODES,
      ),
    )
    .hook('preAction', (called) => void switchWritesAs(called.opts()))

/** The values of an option that may be repeated. */
export const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value]

/** The fields of a CDR document by the operator's description. Throws CommandError if it is malformed. */
export function switchWritesAs(
  options: SwitchOptions,
): Partial<Pick<CdrDocument, 'zone' | 'columns' | 'mapping' | 'where' | 'dates' | 'lengths' | 'codes'>> {
  const columns = columnsOf(options)
  const { where, codes } = options
  return {
    ...zoneOf(options),
    ...(columns && { columns }),
    ...mappingOf(options),
    ...conditionsOf(where),
    ...datesOf(options),
    ...lengthsOf(options),
    ...(codes && { codes }),
  }
}

function zoneOf({ zone }: SwitchOptions): { zone?: string } {
  if (zone === undefined) return {}
  const named = settingError('Timezone', zone) === undefined ? zone : zoneNamed(zone)
  if (named !== undefined) return { zone: named }
  throw new UsageError(
    `--zone "${zone}" is not a time zone: use an IANA name such as Europe/Vilnius, or an offset such as +02:00`,
  )
}

const MASTER_OPTIONS = ['loguniqueid', 'loguserfield', 'newcdrcolumns'] as const

function columnsOf({ columns, master }: SwitchOptions): string[] | undefined {
  if (master === undefined) return columns?.split(',').map((name) => name.trim())
  const on = master.split(',').flatMap((name) => name.trim() || [])
  const unknown = on.find((name) => !(MASTER_OPTIONS as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw new UsageError(`--master "${unknown}" is unknown: use any of ${MASTER_OPTIONS.join(', ')}`)
  const [loguniqueid, loguserfield, newcdrcolumns] = MASTER_OPTIONS.map((name) => on.includes(name))
  return masterColumns({
    loguniqueid: loguniqueid ?? false,
    loguserfield: loguserfield ?? false,
    newcdrcolumns: newcdrcolumns ?? false,
  })
}

function mappingOf({ map = [] }: SwitchOptions): { mapping?: Record<string, string> } {
  const pairs = map.map((pair) => /^(\w+)=(.*)$/s.exec(pair) ?? [])
  const malformed = pairs.findIndex(
    ([, field]) => !(MAPPED_FIELDS as readonly string[]).includes(field ?? ''),
  )
  if (malformed >= 0)
    throw new UsageError(
      `--map "${map[malformed]}" is not FIELD=COLUMN: the fields are ${MAPPED_FIELDS.join(', ')}`,
    )
  if (pairs.some(([, field, column]) => field === 'start' && column === ''))
    throw new UsageError('--map start= leaves out what every CDR needs: name its column')
  return pairs.length === 0
    ? {}
    : { mapping: Object.fromEntries(pairs.map(([, field = '', column = '']) => [field, column])) }
}

function conditionsOf(where: readonly string[] = []): { where?: readonly string[] } {
  const malformed = where.find((text) => conditionIn(text) === undefined)
  if (malformed !== undefined)
    throw new UsageError(`--where "${malformed}" is neither COLUMN=VALUE nor COLUMN!=VALUE`)
  return where.length === 0 ? {} : { where }
}

function lengthsOf({ lengthFormat }: SwitchOptions): { lengths?: LengthForm } {
  if (lengthFormat === undefined) return {}
  const lengths = lengthFormNamed(lengthFormat)
  if (lengths !== undefined) return { lengths }
  throw new UsageError(
    `--length-format "${lengthFormat}" is not a form of lengths: use ${LENGTH_FORMS.join(', ')}`,
  )
}

function datesOf({ dates }: SwitchOptions): { dates?: DateOrder } {
  if (dates === undefined) return {}
  const order = DATE_ORDERS.find((name) => name === dates)
  if (order) return { dates: order }
  throw new UsageError(`--dates "${dates}" is not an order of dates: use ${DATE_ORDERS.join(' or ')}`)
}
