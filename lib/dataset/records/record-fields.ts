import { formatDateTime, today } from '#lib/base/calendar.ts'
import { cellOf } from '#lib/table/cells/row-source.ts'
import type { Column } from '#lib/table/columns.ts'
import type { RecordKind, RecordValues, RecordWorld } from './record-kind.ts'
import { type KindName, kindUnder } from './record-kinds.ts'
import { RECORD_WORDS } from './record-words.ts'

export const CONTROLS = ['text', 'number', 'money', 'date', 'time', 'choice', 'switch', 'reference'] as const

export type Control = (typeof CONTROLS)[number]

/** A column as a form or a command asks for it. */
export interface RecordField {
  readonly name: string
  readonly label: string
  /** The meaning of its value; blank if the label says it all. */
  readonly says: string
  readonly control: Control
  readonly choices: readonly string[]
  readonly of: KindName | undefined
  readonly isRequired: boolean
  readonly isSecret: boolean
  /** The value of a new record that is not given another one. */
  readonly default: string
}

type Viewer = Pick<RecordWorld, 'settings' | 'owner' | 'clock'>

/** The values of a new record where a blank cell means something else. */
export const defaultsOf = (
  { defaults }: RecordKind,
  { settings, clock }: Pick<RecordWorld, 'settings' | 'clock'>,
): RecordValues => defaults?.(settings, today(clock(), settings.Timezone)) ?? {}

/** The fields of a kind for the account that looks at them. */
export function recordFields(kind: RecordKind, viewer: Viewer): RecordField[] {
  const forOperators = viewer.owner === undefined ? [] : (kind.limited?.hidden ?? [])
  const hidden = ['id', ...(kind.hidden ?? []), ...forOperators]
  const defaults = defaultsOf(kind, viewer)
  const references = referencesOf(kind)
  // A currency is named by its name, which an import checks in a step of its own.
  const shown = new Map([...references, ['currency', 'currencies'] as const])
  return Object.entries(kind.columns).flatMap(([name, column]) => {
    if (hidden.includes(name)) return []
    const of = shown.get(name)
    // The records of the operator are not those of a reseller.
    const preset = references.has(name) && viewer.owner !== undefined ? undefined : defaults[name]
    return [fieldOf(kind, { name, column, of }, preset ?? textOf(column.blank?.value, column, viewer))]
  })
}

export function fieldOf(
  kind: Pick<RecordKind, 'secrets' | 'drawn'>,
  { name, column, of }: Pick<RecordField, 'name' | 'of'> & { readonly column: Column },
  byDefault: string,
): RecordField {
  const [label = labelOf(name), says = ''] = RECORD_WORDS[name] ?? []
  return {
    ...{ name, label, says, of, default: byDefault },
    control: of ? 'reference' : controlOf(column),
    choices: choicesOf(column),
    isRequired: !column.blank && byDefault === '' && !kind.drawn?.includes(name),
    isSecret: kind.secrets.includes(name),
  }
}

/** The columns that name a record of a kind by its id. */
export function referencesOf({ entity, columns, refersTo = [] }: RecordKind): ReadonlyMap<string, KindName> {
  const named = [...entity.requires, ...refersTo].flatMap(({ column, names }) => {
    const kind = kindUnder(names)
    return kind && columns[column] ? [[column, kind] as const] : []
  })
  return new Map(named)
}

/** The text of a value as a form shows it and sends it back. */
export const textOf = (value: unknown, column: Column, { settings }: Pick<RecordWorld, 'settings'>): string =>
  cellOf(value, column, (moment) => formatDateTime(moment, settings.Timezone))

const labelOf = (name: string): string => {
  const words = name.replace(/_id$/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The parts of a schema of valibot that tell its control. */
interface SchemaParts {
  readonly type: string
  readonly wrapped?: SchemaParts
  readonly options?: readonly string[]
}

const innermost = (schema: SchemaParts): SchemaParts => (schema.wrapped ? innermost(schema.wrapped) : schema)

const schemaOf = ({ schema }: Column): SchemaParts => innermost(schema as unknown as SchemaParts)

const CONTROLS_BY_SCHEMA: Readonly<Record<string, Control>> = {
  boolean: 'switch',
  number: 'number',
  picklist: 'choice',
}

function controlOf(column: Column): Control {
  if (column.moment) return column.moment === 'date' ? 'date' : 'time'
  if (column.isAmount) return 'money'
  return CONTROLS_BY_SCHEMA[schemaOf(column).type] ?? 'text'
}

const choicesOf = (column: Column): readonly string[] => schemaOf(column).options ?? []
