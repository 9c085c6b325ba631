import * as v from 'valibot'
import type { LocalTime } from '#lib/base/calendar.ts'
import { lazily } from '#lib/base/collections.ts'
import { isMoney, type Money, moneyOf } from '#lib/base/money.ts'
import { rowRefused } from '#lib/base/row-refused.ts'
import { fitsXml, isVisibleName, isVisibleWord, MAX_TEXT_LENGTH, switchOf } from '#lib/base/text.ts'
import type { Item } from './items.ts'

/**
 * A column of an entity: the schema of its stored value, and how a text cell of a dataset becomes that value.
 * `blank` is the value of an empty or absent cell; without it, the cell is required.
 */
export interface Column<T = unknown> {
  readonly describes: string
  readonly schema: v.GenericSchema<unknown, T>
  /** May throw refused_row. */
  readonly fromCell: (cell: string, dialling: CellDialling) => unknown
  readonly blank?: { readonly value: T }
  /** The value is a list of rows with these columns. A packed row packs them too. */
  readonly rows?: Columns
  /** The cell is a date: a dataset may give it relative to its first import. */
  readonly moment?: 'date' | 'date-time'
  /** The moment is stored as the text that clocks show, and not in Unix seconds. */
  readonly isLocal?: true
  /** The value is an amount of money. */
  readonly isAmount?: true
  /** Items that earlier versions stored lack the column: they have its default. */
  readonly isLater?: true
  /** The label in forms, commands and lists; without this, its name in words. */
  readonly label?: string
  /** The meaning of its value, where the label does not say it. */
  readonly meaning?: string
  /** The meaning of a blank cell, where it is not none. */
  readonly blankMeaning?: string
  /** The choice in a form: words of which several are chosen, or countries. */
  readonly offers?: readonly string[] | 'countries'
  /** A password, a key or a PIN: it is masked, and no message repeats it. */
  readonly isSecret?: true
  /** The readers who see and set it in forms and commands; by default everyone who sees the row. */
  readonly seenBy?: 'operator' | 'nobody'
  /** It says how a record is changed, is not stored, and a new record does not have it. */
  readonly isOfChange?: true
}

/** The settings for reading a cell with a phone number or a dial code; blank where unknown. */
export interface CellDialling {
  readonly International_Prefix: string
  readonly National_Prefix: string
}

export type Columns = Readonly<Record<string, Column>>

export type Row<C extends Columns> = { readonly [K in keyof C]: C[K] extends Column<infer T> ? T : never }

const LARGEST_ID = 10 ** 15 - 1

const wholeNumber = /^-?\d{1,15}$/
const numberOf = (cell: string): unknown => (wholeNumber.test(cell.trim()) ? Number(cell) : cell)

const whole = v.pipe(v.number(), v.safeInteger())

export const id: Column<number> = {
  describes: 'whole number from 0',
  schema: v.pipe(whole, v.minValue(0), v.maxValue(LARGEST_ID)),
  fromCell: numberOf,
}

/** In exports of databases, a negative id means none. */
export const optionalId: Column<number | undefined> = {
  describes: 'whole number from 0, or blank',
  schema: v.optional(id.schema),
  fromCell: (cell) => (/^-\d{1,15}$/.test(cell.trim()) ? undefined : numberOf(cell)),
  blank: { value: undefined },
}

export const integer = (blank?: number): Column<number> => ({
  describes: 'whole number',
  schema: whole,
  fromCell: numberOf,
  ...(blank !== undefined && { blank: { value: blank } }),
})

/** A counter that other rows count up; absent until the first of them. */
export const counter: Column<number> = {
  describes: 'whole number',
  schema: v.optional(whole, 0),
  fromCell: numberOf,
}

const storable = v.pipe(v.string(), v.maxLength(MAX_TEXT_LENGTH), v.check(fitsXml, 'has invalid characters'))

export const text = (blank = ''): Column<string> => ({
  describes: 'text',
  schema: storable,
  fromCell: (cell) => cell,
  blank: { value: blank },
})

export const requiredText: Column<string> = {
  describes: 'text, not blank',
  schema: v.pipe(storable, v.minLength(1)),
  fromCell: (cell) => cell,
}

/** Refuses cells that look like another text. Rows stored by earlier versions may have such text. */
const looking = <T>(column: Column<T>, isRight: (cell: string) => boolean, takes: string): Column<T> => ({
  ...column,
  fromCell: (cell) => {
    if (isRight(cell)) return cell
    throw rowRefused(`takes ${takes} invisible characters`)
  },
})

/** A text by which people know a row. */
export const visible = <T>(column: Column<T>): Column<T> =>
  looking(column, isVisibleName, 'a name without blanks around it and without')

/** The same without blanks, such as an email address. */
export const visibleWord = <T>(column: Column<T>): Column<T> =>
  looking(column, isVisibleWord, 'a word without')

/** Text that matches `form`, or is the value of a blank cell. */
export const textLike = (describes: string, form: RegExp, blank?: string): Column<string> => ({
  describes,
  schema: v.pipe(
    storable,
    v.check((value) => value === blank || form.test(value), `is not: ${describes}`),
  ),
  fromCell: (cell) => cell,
  ...(blank !== undefined && { blank: { value: blank } }),
})

/** A cell may spell yes and no in several ways; `word` is a further spelling of yes. */
export const flag = (blank: boolean, word?: string): Column<boolean> => ({
  describes: '1 or 0',
  schema: v.boolean(),
  fromCell: (cell) => switchOf(cell) ?? letterOf(cell) ?? (cell.trim().toLowerCase() === word || cell),
  blank: { value: blank },
})

/** Databases export booleans as y, n, t and f. */
const letterOf = (cell: string): boolean | undefined => LETTERS.get(cell.trim().toLowerCase())

const LETTERS = new Map([
  ['y', true],
  ['t', true],
  ['n', false],
  ['f', false],
])

/** Yes or no. The cell has any spelling of a flag. */
export const yesOrNo = (blank: 'yes' | 'no'): Column<'yes' | 'no'> => ({
  describes: 'yes, no',
  schema: v.picklist(['yes', 'no']),
  fromCell: (cell) => {
    const isYes = switchOf(cell) ?? letterOf(cell)
    if (isYes === undefined) return cell
    return isYes ? 'yes' : 'no'
  },
  blank: { value: blank },
})

/** One of some words. The cell may be in any case; the value has the case of `words`. */
export const oneOf = <W extends string>(words: readonly W[], blank?: NoInfer<W>): Column<W> => ({
  describes: words.join(', '),
  schema: v.picklist(words),
  fromCell: (cell) => words.find((word) => word.toLowerCase() === cell.trim().toLowerCase()) ?? cell,
  ...(blank !== undefined && { blank: { value: blank } }),
})

export const labelled = <T>(column: Column<T>, label: string, meaning?: string): Column<T> => ({
  ...column,
  label,
  ...(meaning !== undefined && { meaning }),
})

export const blankMeans = <T>(column: Column<T>, blankMeaning: string): Column<T> => ({
  ...column,
  blankMeaning,
})

export const offering = <T>(column: Column<T>, offers: readonly string[] | 'countries'): Column<T> => ({
  ...column,
  offers,
})

export const secret = <T>(column: Column<T>): Column<T> => ({ ...column, isSecret: true })

/** A column that resellers and partners neither see nor set. */
export const forOperator = <T>(column: Column<T>): Column<T> => ({ ...column, seenBy: 'operator' })

/** A column of files and of the table, which no form shows. */
export const unseen = <T>(column: Column<T>): Column<T> => ({ ...column, seenBy: 'nobody' })

export const ofChange = <T>(column: Column<T>): Column<T> => ({ ...column, isOfChange: true })

/** The columns that hold a password, a key or a PIN. */
export const secretsAmong = (columns: Columns): string[] =>
  Object.keys(columns).filter((name) => columns[name]?.isSecret)

/** A row of the given values and the values of blank cells. `given` has the columns that cannot be blank. */
export const filledRow = <C extends Columns>(columns: C, given: Partial<Row<C>>): Row<C> =>
  ({
    ...Object.fromEntries(
      Object.entries(columns).flatMap(([name, { blank }]) => (blank ? [[name, blank.value]] : [])),
    ),
    ...given,
  }) as Row<C>

/** An amount, stored as plain decimal text without trailing zeros or exponent. */
export const money = (blank?: Money): Column<Money> => ({
  describes: 'decimal number of at most 30 digits',
  isAmount: true,
  schema: v.pipe(v.string(), v.check(isMoney)),
  fromCell: (cell) => moneyOf(cell) ?? cell,
  ...(blank !== undefined && { blank: { value: blank } }),
})

/** A moment in Unix seconds. The cell has a local date and time, or one with an offset. */
export const dateTime: Column<number> = {
  ...integer(),
  describes: 'YYYY-MM-DD HH:MM:SS',
  moment: 'date-time',
}

/** A time on the clocks of the installation, stored as text: its day stays when the zone is changed. */
export const localTime: Column<LocalTime> = {
  ...dateTime,
  schema: v.union([v.string(), whole]),
  isLocal: true,
}

export const date: Column<string> = { ...requiredText, describes: 'YYYY-MM-DD', moment: 'date' }

export const optional = <T>(column: Column<T>): Column<T | undefined> => ({
  ...column,
  describes: `${column.describes}, or blank`,
  schema: v.optional(column.schema),
  blank: { value: undefined },
})

/**
 * A column that earlier versions did not store: `blank` is its value in their items, and is not stored in new
 * ones either. In a packed row such columns come last.
 */
export const addedLater = <T>(column: Column<T>, blank: NoInfer<T>): Column<T> => ({
  ...column,
  schema: v.optional(column.schema, blank) as Column<T>['schema'],
  blank: { value: blank },
  isLater: true,
})

/** The row without the defaults of columns that were added later. */
export const withoutLaterDefaults = (columns: Columns, row: Item): Item =>
  Object.fromEntries(
    Object.entries(row).filter(([name, value]) => {
      const column = columns[name]
      return !(column?.isLater && value === column.blank?.value)
    }),
  )

/** The name of a currency. */
export const currencyColumn: Column<string> = blankMeans(text(), 'that of the installation')

/** The digest of the dataset row that an item was imported from. An item that the API created has none. */
export const digest: Column<string | undefined> = optional(requiredText)

/** A row together with the digest that its item keeps. */
export type Imported<R> = R & { readonly digest?: string | undefined }

type Schemas<C extends Columns> = { readonly [K in keyof C]: C[K]['schema'] }

/** The schema of objects with these columns; other properties are dropped. */
export const rowSchema = <C extends Columns>(columns: C) =>
  v.object(
    Object.fromEntries(Object.entries(columns).map(([name, { schema }]) => [name, schema])) as Schemas<C>,
  )

/**
 * Reads a stored item as a row. Throws for a bug or damage; nothing here is a refusal.
 * @__NO_SIDE_EFFECTS__
 */
export function rowReader<C extends Columns>(columns: C): (item: Item) => Row<C> {
  const schemaOf = lazily(() => rowSchema(columns))
  return (item) => v.parse(schemaOf(), item) as Row<C>
}

/** Reads a stored item as a row with its digest and its version. */
export const storedReader = <C extends Columns>(
  columns: C,
): ((item: Item) => Imported<Row<C>> & { readonly version: number }) => {
  const readerOf = lazily(() => rowReader({ ...columns, digest, version: integer() }))
  return ((item) => readerOf()(item)) as ReturnType<typeof storedReader<C>>
}
