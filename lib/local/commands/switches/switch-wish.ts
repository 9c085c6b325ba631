import type { Command, OptionValues } from '@commander-js/extra-typings'
import { settingError } from '#lib/domain/settings.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { masterColumns } from '#lib/mediation/formats/asterisk.ts'
import type { CdrDocument } from '#lib/mediation/formats/cdr.ts'
import { MAPPED_FIELDS } from '#lib/mediation/formats/mapped-csv.ts'

/** An operator's description of how a switch writes. */
export interface SwitchWish {
  /** In which its clock times are. */
  readonly zone?: string | undefined
  /** The columns of a CSV without a header, with commas between them. */
  readonly columns?: string | undefined
  /** The switches that cdr.conf has on for Master.csv, with commas between the names; blank for none. */
  readonly master?: string | undefined
  /** `FIELD=COLUMN`, for the generic CSV. */
  readonly map?: readonly string[] | undefined
}

/** Declares the options that describe how a switch writes. */
export const withSwitchOptions = <A extends unknown[], O extends OptionValues, G extends OptionValues>(
  command: Command<A, O, G>,
) =>
  command
    .option('--zone <ZONE>', "the zone of clock times in the CDRs (default: the installation's)")
    .option(
      '--master <A,B>',
      'asterisk-csv: the options of Master.csv that cdr.conf sets (loguniqueid, loguserfield, newcdrcolumns)',
    )
    .option('--columns <A,B>', 'the columns of a CSV without a header')
    .option('--map <FIELD=COLUMN>', 'csv: the column that holds a field; repeat it for each field', collect)

/** The values of an option that may be repeated. */
export const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value]

/** How a switch writes, where anything was said about it. Throws CommandError when the words do not say it. */
export function switchWritesAs(wish: SwitchWish): Partial<Pick<CdrDocument, 'zone' | 'columns' | 'mapping'>> {
  const columns = columnsOf(wish)
  return { ...zoneOf(wish), ...(columns && { columns }), ...mappingOf(wish) }
}

function zoneOf({ zone }: SwitchWish): { zone?: string } {
  if (zone === undefined) return {}
  if (settingError('Timezone', zone) === undefined) return { zone }
  throw new CommandError(`--zone takes the IANA name of a time zone, not ${zone}`)
}

const MASTER_SWITCHES = ['loguniqueid', 'loguserfield', 'newcdrcolumns'] as const

function columnsOf({ columns, master }: SwitchWish): string[] | undefined {
  if (master === undefined) return columns?.split(',').map((name) => name.trim())
  const on = master.split(',').flatMap((name) => name.trim() || [])
  const unknown = on.find((name) => !(MASTER_SWITCHES as readonly string[]).includes(name))
  if (unknown !== undefined) throw new CommandError(`--master takes some of ${MASTER_SWITCHES.join(', ')}`)
  const [loguniqueid, loguserfield, newcdrcolumns] = MASTER_SWITCHES.map((name) => on.includes(name))
  return masterColumns({
    loguniqueid: loguniqueid ?? false,
    loguserfield: loguserfield ?? false,
    newcdrcolumns: newcdrcolumns ?? false,
  })
}

function mappingOf({ map = [] }: SwitchWish): { mapping?: Record<string, string> } {
  const pairs = map.map((pair) => /^(\w+)=(.+)$/.exec(pair) ?? [])
  const isMapping = pairs.every(([, field]) => (MAPPED_FIELDS as readonly string[]).includes(field ?? ''))
  if (!isMapping)
    throw new CommandError(`--map takes FIELD=COLUMN; the fields are ${MAPPED_FIELDS.join(', ')}`)
  return pairs.length === 0
    ? {}
    : { mapping: Object.fromEntries(pairs.map(([, field = '', column = '']) => [field, column])) }
}
