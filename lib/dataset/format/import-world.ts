import type { Calendar } from '#lib/dataset/cells/moments.ts'
import type { AccountType } from '#lib/domain/accounts/account.ts'
import type { Money } from '#lib/domain/money.ts'
import type { SettingName } from '#lib/domain/settings.ts'
import type { Product } from '#lib/store/billing/invoice-product.ts'
import type { KeyForm } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'

/** What earlier files and rows of the same dataset bring. A row may refer to it before the table holds it. */
export interface Accepted {
  readonly settings: Map<SettingName, AcceptedSetting>
  readonly users: Map<number, AcceptedAccount>
  /** The ids of the rows of other files, by the key of these rows. */
  readonly ids: Map<KeyForm, Set<number | string>>
  readonly invoices: Map<number, { readonly line: number; readonly price: Money }>
  /** Of which a row with products was refused. */
  readonly shortInvoices: Set<number>
  /** The products of each invoice, by its id. */
  readonly products: Map<number, AcceptedProducts>
}

export const nothingAccepted = (): Accepted => ({
  settings: new Map(),
  users: new Map(),
  ids: new Map(),
  invoices: new Map(),
  shortInvoices: new Set(),
  products: new Map(),
})

/** The ids that files bring of the rows with this key. */
export function acceptedIds({ ids }: Accepted, key: KeyForm): Set<number | string> {
  const known = ids.get(key) ?? new Set()
  ids.set(key, known)
  return known
}

/** The product rows of one invoice. */
export interface AcceptedProducts {
  readonly count: number
  readonly sum: Money
  /** The digest of all the rows, in their order. */
  readonly digest: string
  readonly lines: number[]
  /** The products that have come up for writing. */
  readonly gathered: Product[]
}

export interface AcceptedSetting {
  readonly line: number
  readonly value: string
}

export interface AcceptedAccount {
  readonly line: number
  readonly usertype: AccountType
  readonly owner_id: number
  /** Where the row says them: what is kept was accepted once. */
  readonly tariff_id: number | undefined
  readonly currency: string | undefined
}

/** The side effects of an import. */
export interface ImportServices {
  readonly store: Store
  readonly clock: () => Date
}

/** What the rows of a dataset, or the records of a queue, are checked against and written into. */
export interface ImportWorld extends ImportServices {
  readonly accepted: Accepted
  /** What dates in cells are read against. */
  readonly calendar: Calendar
}

/**
 * Tells the ids that this dataset does not bring, neither in these rows nor before them. What one of its own things is known
 * by may be free by the time it is written, for that one may get another name.
 */
export function isNotBrought(
  rows: readonly { readonly id: number }[],
  accepted: { has(id: number): boolean },
): (id: number) => boolean {
  const inTheseRows = new Set(rows.map(({ id }) => id))
  return (id) => !inTheseRows.has(id) && !accepted.has(id)
}
