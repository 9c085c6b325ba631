import type { AccountType } from '#lib/domain/accounts/account.ts'
import type { Day } from '#lib/domain/calendar.ts'
import type { Money } from '#lib/domain/money.ts'
import type { SettingName } from '#lib/domain/settings.ts'
import type { Product } from '#lib/store/billing/invoice-product.ts'
import type { KeyForm } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import type { Calendar } from './moments.ts'

/** The table, the clock and the context against which rows of a dataset, or records of a queue, are checked. */
export interface ImportWorld {
  readonly store: Store
  readonly clock: () => Date
  readonly accepted: Accepted
  /** The base of dates in cells. */
  readonly calendar: Calendar
  /** Lists that are replaced as a whole are replaced even if some of their rows were refused. */
  readonly acceptRejected?: boolean | undefined
}

/** Rows that earlier files and batches of the dataset brought. Other rows may refer to them before the table holds them. */
export interface Accepted {
  readonly settings: Map<SettingName, AcceptedSetting>
  readonly users: Map<number, AcceptedAccount>
  /** The ids of the rows of other files, by the form of their keys. */
  readonly ids: Map<KeyForm, Set<number | string>>
  /** Rows of the table that rows of the dataset named, by form of key and id. Only columns that decide ownership. */
  readonly named: Map<KeyForm, Map<number, NamedRow>>
  readonly invoices: Map<number, { readonly line: number; readonly price: Money }>
  /** The ids of invoices of which at least one product row was refused. */
  readonly incompleteInvoices: Set<number>
  /** The products of each invoice, by its id. */
  readonly products: Map<number, AcceptedProducts>
  /** Whether the days of calls had none before the import, as far as that was asked. */
  readonly emptyDays: Map<Day, boolean>
}

/** The owner of a named account, and whether it can be one; blank for a row of another kind. */
export interface NamedRow {
  readonly usertype?: AccountType | undefined
  readonly owner_id?: number | undefined
}

export interface AcceptedSetting {
  readonly line: number
  readonly value: string
}

export interface AcceptedAccount {
  readonly line: number
  readonly usertype: AccountType
  readonly owner_id: number
  /** `undefined` also if the row keeps its stored value, which was checked when it was stored. */
  readonly tariff_id: number | undefined
  /** As `tariff_id`. */
  readonly currency: string | undefined
}

/** The product rows of one invoice. */
export interface AcceptedProducts {
  readonly count: number
  readonly sum: Money
  /** The digest of all rows, in their order. */
  readonly digest: string
  readonly lines: number[]
  /** The products that were read again to be written. */
  readonly gathered: Product[]
}

export const nothingAccepted = (): Accepted => ({
  settings: new Map(),
  users: new Map(),
  ids: new Map(),
  named: new Map(),
  invoices: new Map(),
  incompleteInvoices: new Set(),
  products: new Map(),
  emptyDays: new Map(),
})

/** The ids that the dataset brings for keys of this form; a check adds to them. */
export function acceptedIds({ ids }: Accepted, key: KeyForm): Set<number | string> {
  const known = ids.get(key) ?? new Set()
  ids.set(key, known)
  return known
}

/**
 * Tells which ids are neither in these rows nor in earlier ones of the dataset. A stored name of a row of the dataset does not
 * block others, because the row may get another name.
 */
export function isOutsideDataset(
  rows: readonly { readonly id: number }[],
  accepted: { has(id: number): boolean },
): (id: number) => boolean {
  const inTheseRows = new Set(rows.map(({ id }) => id))
  return (id) => !inTheseRows.has(id) && !accepted.has(id)
}
