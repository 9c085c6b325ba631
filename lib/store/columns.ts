import * as v from 'valibot'
import { isMoney, type Money, moneyOf } from '#lib/domain/money.ts'
import { switchOf } from '#lib/domain/settings.ts'
import { fitsXml, MAX_TEXT_LENGTH } from '#lib/domain/text.ts'
import type { Item } from '#lib/store/items.ts'

/**
 * A column of an entity: what is stored, and how the text cell of a dataset becomes it. `blank` is what an empty or
 * absent cell stands for; without one the cell must hold something.
 */
export interface Column<T = unknown> {
  readonly describes: string
  readonly schema: v.GenericSchema<unknown, T>
  readonly fromCell: (cell: string) => unknown
  readonly blank?: { readonly value: T }
  /** The value is a list of rows with these columns. A packed row packs them too. */
  readonly rows?: Columns
  /** The cell is a date: a dataset may give it relative to its first import. */
  readonly moment?: 'date' | 'date-time'
}

export type Columns = Readonly<Record<string, Column>>

/** A row of an entity with these columns. */
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

export const optionalId: Column<number | undefined> = {
  describes: 'whole number from 0, or blank',
  schema: v.optional(id.schema),
  fromCell: numberOf,
  blank: { value: undefined },
}

export const integer = (blank?: number): Column<number> => ({
  describes: 'whole number',
  schema: whole,
  fromCell: numberOf,
  ...(blank !== undefined && { blank: { value: blank } }),
})

/** A counter that the writes of other rows count up; absent until the first of them. */
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

/** Text of one form. */
export const textLike = (describes: string, form: RegExp, blank?: string): Column<string> => ({
  describes,
  schema: v.pipe(
    storable,
    v.check((value) => value === blank || form.test(value), `is not: ${describes}`),
  ),
  fromCell: (cell) => cell,
  ...(blank !== undefined && { blank: { value: blank } }),
})

/** In any spelling of yes and no; `word` is a further one of yes. */
export const flag = (blank: boolean, word?: string): Column<boolean> => ({
  describes: '1 or 0',
  schema: v.boolean(),
  fromCell: (cell) => switchOf(cell) ?? letterOf(cell) ?? (cell.trim().toLowerCase() === word || cell),
  blank: { value: blank },
})

/** As databases abbreviate what is true. */
const letterOf = (cell: string): boolean | undefined => LETTERS.get(cell.trim().toLowerCase())

const LETTERS = new Map([
  ['y', true],
  ['t', true],
  ['n', false],
  ['f', false],
])

/** Yes or no, in any spelling of a flag. */
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

/** One of some words, in any case; kept as it is written here. */
export const oneOf = <W extends string>(words: readonly W[], blank?: NoInfer<W>): Column<W> => ({
  describes: words.join(', '),
  schema: v.picklist(words),
  fromCell: (cell) => words.find((word) => word.toLowerCase() === cell.trim().toLowerCase()) ?? cell,
  ...(blank !== undefined && { blank: { value: blank } }),
})

/** What the blank cells stand for, of those columns that may be blank. */
export const blankRow = <C extends Columns>(columns: C): Partial<Row<C>> =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([name, { blank }]) => (blank ? [[name, blank.value]] : [])),
  ) as Partial<Row<C>>

/** An amount; kept as its plain decimal text, without trailing zeros or exponent. */
export const money = (blank?: Money): Column<Money> => ({
  describes: 'decimal number of at most 30 digits',
  schema: v.pipe(v.string(), v.check(isMoney)),
  fromCell: (cell) => moneyOf(cell) ?? cell,
  ...(blank !== undefined && { blank: { value: blank } }),
})

/** A moment in Unix seconds. The cell is a local date and time, or carries an offset of its own. */
export const dateTime: Column<number> = {
  ...integer(),
  describes: 'YYYY-MM-DD HH:MM:SS',
  moment: 'date-time',
}

/** A calendar day, `YYYY-MM-DD`. */
export const date: Column<string> = { ...requiredText, describes: 'YYYY-MM-DD', moment: 'date' }

/** The same column, which may be blank. */
export const optional = <T>(column: Column<T>): Column<T | undefined> => ({
  ...column,
  describes: `${column.describes}, or blank`,
  schema: v.optional(column.schema),
  blank: { value: undefined },
})

/** What an item keeps of the dataset row that made it; what the API made has none. */
export const digest: Column<string | undefined> = optional(requiredText)

/** A row together with the digest that its item keeps. */
export type Imported<R> = R & { readonly digest?: string | undefined }

type Schemas<C extends Columns> = { readonly [K in keyof C]: C[K]['schema'] }

/** For what has these columns, perhaps among others. */
export const rowSchema = <C extends Columns>(columns: C) =>
  v.object(
    Object.fromEntries(Object.entries(columns).map(([name, { schema }]) => [name, schema])) as Schemas<C>,
  )

/**
 * Reads a stored item as a row. What does not fit is a bug or a damaged table, not a refusal.
 * @__NO_SIDE_EFFECTS__
 */
export function rowReader<C extends Columns>(columns: C): (item: Item) => Row<C> {
  const schema = rowSchema(columns)
  return (item) => v.parse(schema, item) as Row<C>
}

/** Reads a stored item as a row with the digest that it keeps. */
export const importedReader = <C extends Columns>(columns: C): ((item: Item) => Imported<Row<C>>) =>
  rowReader({ ...columns, digest }) as (item: Item) => Imported<Row<C>>
