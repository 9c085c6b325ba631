import { formatDateTime, today } from '#lib/base/calendar.ts'
import type { AskedColumn } from '#lib/base/refusals/value-sentences.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { cellOf } from '#lib/table/cells/row-source.ts'
import type { Column } from '#lib/table/columns.ts'
import type { RecordContext, RecordKind, RecordValues } from './record-kind.ts'
import { type KindName, kindUnder } from './record-kinds.ts'

/** A column as a form or a command asks for it. */
export interface RecordField extends AskedColumn {
  readonly name: string
  /** The meaning of its value; blank if the label says it all. */
  readonly says: string
  /** The meaning of a blank; blank if it means none. */
  readonly blank: string
  readonly of: KindName | 'countries' | undefined
  readonly isRequired: boolean
  /** A new record does not have it. */
  readonly isOfChange: boolean
  /** The value of a new record that is not given another one. */
  readonly default: string
}

type Viewer = Pick<RecordContext, 'settings' | 'owner' | 'clock'>

/** The values of a new record where a blank cell means something else. A reseller has its own records. */
export function defaultsOf(kind: RecordKind, { settings, clock, owner }: Viewer): RecordValues {
  const defaults = Object.entries(kind.defaults?.(settings, today(clock(), settings.Timezone)) ?? {})
  const references = referencesOf(kind)
  const own = owner === undefined ? defaults : defaults.filter(([name]) => !references.has(name))
  const owners = kind.entity.requires.filter(({ isOwner }) => isOwner)
  return Object.fromEntries([
    ...own,
    ...owners.map(({ column }) => [column, String(owner ?? ADMIN_ACCOUNT)] as const),
  ])
}

/** The fields of a kind for the account that looks at them. */
export function recordFields(kind: RecordKind, viewer: Viewer): RecordField[] {
  const isSeen = ({ seenBy }: Column) =>
    seenBy === undefined || (seenBy === 'operator' && viewer.owner === undefined)
  const defaults = defaultsOf(kind, viewer)
  // A currency is named by its name, which an import checks in a step of its own.
  const references = new Map([...referencesOf(kind), ['currency', 'currencies'] as const])
  return Object.entries(kind.columns)
    .filter(([name, column]) => name !== 'id' && isSeen(column))
    .map(([name, column]) => {
      const byDefault = defaults[name] ?? textOf(column.blank?.value, column, viewer)
      const field = fieldOf({ name, column, of: references.get(name) }, byDefault)
      const blank = kind.generated?.[name]
      return blank === undefined ? field : { ...field, blank, isRequired: false }
    })
}

export const fieldOf = (
  { name, column, of }: Pick<RecordField, 'name' | 'of'> & { readonly column: Column },
  byDefault: string,
): RecordField => ({
  ...{ name, of: of ?? (column.offers === 'countries' ? column.offers : undefined), default: byDefault },
  label: column.label ?? labelOf(name),
  says: column.meaning ?? '',
  blank: column.blankMeaning ?? '',
  control: of || column.offers === 'countries' ? 'reference' : controlOf(column),
  choices: choicesOf(column),
  isRequired: !column.blank && byDefault === '',
  isSecret: column.isSecret ?? false,
  isOfChange: column.isOfChange ?? false,
})

/** The hint of a field, after its label. */
export const hintOf = ({ says, blank }: Pick<RecordField, 'says' | 'blank'>): string =>
  [says, blank && `blank: ${blank}`].filter(Boolean).join('; ')

export function referencesOf({ entity, columns, refersTo = [] }: RecordKind): ReadonlyMap<string, KindName> {
  const named = [...entity.requires, ...refersTo].flatMap(({ column, names }) => {
    const kind = kindUnder(names)
    return kind && columns[column] ? [[column, kind] as const] : []
  })
  return new Map(named)
}

/** The text of a value as a form shows it and sends it back. */
export const textOf = (
  value: unknown,
  column: Column,
  { settings }: Pick<RecordContext, 'settings'>,
): string => cellOf(value, column, (moment) => formatDateTime(moment, settings.Timezone))

const labelOf = (name: string): string => {
  const words = name.replace(/_id$/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The parts of a valibot schema that decide its control. */
interface SchemaParts {
  readonly type: string
  readonly wrapped?: SchemaParts
  readonly options?: readonly string[]
}

const innermost = (schema: SchemaParts): SchemaParts => (schema.wrapped ? innermost(schema.wrapped) : schema)

const schemaOf = ({ schema }: Column): SchemaParts => innermost(schema as unknown as SchemaParts)

const CONTROLS_BY_SCHEMA: Readonly<Record<string, AskedColumn['control']>> = {
  boolean: 'switch',
  number: 'number',
  picklist: 'choice',
}

function controlOf(column: Column): AskedColumn['control'] {
  if (column.moment) return column.moment === 'date' ? 'date' : 'time'
  if (column.isAmount) return 'money'
  if (column.offers) return 'list'
  return CONTROLS_BY_SCHEMA[schemaOf(column).type] ?? 'text'
}

const choicesOf = (column: Column): readonly string[] => {
  if (typeof column.offers === 'object') return column.offers
  const { type, options = [] } = schemaOf(column)
  return type === 'picklist' ? options : []
}
