import type { ComponentChildren } from 'preact'
import type { Money } from '#lib/base/money.ts'
import { dash, formatAmount, formatCount } from '../base/format.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import { Badge, type Tone } from '../ui/badge.tsx'

interface ColumnHead<R> {
  readonly title: string
  /** A table that is too narrow for all columns leaves out those of rank 3 first, then those of rank 2. */
  readonly rank?: 2 | 3
  /** On a phone: `first` next to what names the row; in rows of one height `below` them, or `left out`. */
  readonly onPhone?: 'first' | 'below' | 'left out'
  /** Renders a cell whose text alone is not enough. */
  readonly show?: (row: R) => ComponentChildren
}

/** A column of a table. The name of its reader is the type of its values, which decides how they look. */
export type TypedColumn<R> = ColumnHead<R> &
  (
    | { readonly text: (row: R) => string | null | undefined }
    /** At the right. A number is written as a count. */
    | { readonly number: (row: R) => string | number | null | undefined }
    /** With two decimals. */
    | { readonly money: (row: R) => Money | null | undefined }
    | {
        readonly customer: (
          row: R,
        ) => { readonly id: number | string; readonly name: string } | null | undefined
      }
    | { readonly state: (row: R) => readonly [text: string, tone: Tone] }
  )

export const isNumberColumn = <R,>(column: TypedColumn<R>): boolean => 'number' in column || 'money' in column

/** The text of a cell, by which rows are sorted: a dash for a blank. */
export function cellText<R>(column: TypedColumn<R>, row: R): string {
  if ('text' in column) return dash(column.text(row))
  if ('money' in column) return formatAmount(column.money(row))
  if ('customer' in column) return dash(column.customer(row)?.name)
  if ('state' in column) return column.state(row)[0]
  const number = column.number(row)
  return typeof number === 'number' ? formatCount(number) : dash(number)
}

export function cellContent<R>(column: TypedColumn<R>, row: R): ComponentChildren {
  if (column.show) return column.show(row)
  if ('customer' in column) return <CustomerLink {...(column.customer(row) ?? { id: '', name: '' })} />
  if ('state' in column) {
    const [text, tone] = column.state(row)
    return <Badge tone={tone} text={text} />
  }
  return cellText(column, row)
}

/** The names of classes, without those that do not apply. */
export const classes = (...names: readonly (string | false | undefined)[]): string | undefined =>
  names.filter(Boolean).join(' ') || undefined

export const rankClass = ({ rank }: Pick<ColumnHead<never>, 'rank'>): string | undefined =>
  rank && `rank-${rank}`

export const phoneClass = ({ onPhone }: Pick<ColumnHead<never>, 'onPhone'>): string | undefined =>
  onPhone && `phone-${onPhone.replace(' ', '-')}`
