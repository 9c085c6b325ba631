import type { AccountType } from '#lib/domain/accounts/account.ts'
import type { Money } from '#lib/domain/money.ts'
import type { Outcome } from '#lib/domain/row-refused.ts'
import type { Product } from '#lib/store/billing/invoice-product.ts'
import type { Columns } from '#lib/store/columns.ts'
import type { Named } from '#lib/store/devices/device-claims.ts'
import type { Counted } from '#lib/store/id-counter.ts'
import type { Store } from '#lib/store/store.ts'
import type { Cells } from './source.ts'

export type AnyRow = Readonly<Record<string, unknown>>

/** A row that can be read: its cells, what they say, and the digest by which the same row is known again. */
export interface Entry<R = AnyRow> {
  readonly line: number
  readonly cells: Cells
  readonly row: R
  readonly digest: string
}

/** Why the entry at the same position cannot be imported; `undefined`: it can. */
export type Reasons = readonly (string | undefined)[]

/** One file of the format. Methods, not function properties: a list holds files of unlike rows. */
export interface DatasetFile<R = AnyRow> {
  readonly columns: Columns
  /** Columns that are not listed are kept, under any name an XML element may have. */
  readonly takesFurtherColumns?: true
  /** Cells that never enter the digest: it would be a cheap way to guess at them. */
  readonly secretColumns?: readonly string[]
  /** Ids of the file's rows move this counter past them. */
  readonly counted?: Counted
  /** What no two rows of the file may have in common, in words. */
  claims(row: R): readonly string[]
  /** What a row must be like besides its columns. Asked before anything is written, batch by batch. */
  check(entries: readonly Entry<R>[], world: ImportWorld): Promise<Reasons>
  /** What only the whole file shows: reasons by line. */
  checkWhole?(world: ImportWorld): Promise<ReadonlyMap<number, string>>
  /** What only the other files show, once all of them are checked: reasons by line. */
  checkLast?(world: ImportWorld): Promise<ReadonlyMap<number, string>>
  write(entries: readonly Entry<R>[], world: ImportWorld): Promise<readonly Outcome[]>
  /** After the last row. */
  finish?(world: ImportWorld): Promise<void>
}

/** What earlier files and rows of the same dataset bring: rows may refer to what the table does not hold yet. */
export interface Accepted {
  readonly settings: Map<string, string>
  readonly users: Map<number, AcceptedAccount>
  readonly devices: Map<number, Named>
  readonly services: Set<number>
  readonly dids: Set<number>
  readonly tariffs: Set<number>
  readonly lcrs: Set<number>
  readonly location_groups: Set<number>
  readonly locations: Set<number>
  readonly invoices: Map<number, { readonly line: number; readonly price: Money }>
  /** By invoice. */
  readonly products: Map<number, AcceptedProducts>
}

export const nothingAccepted = (): Accepted => ({
  settings: new Map(),
  users: new Map(),
  devices: new Map(),
  services: new Set(),
  dids: new Set(),
  tariffs: new Set(),
  lcrs: new Set(),
  location_groups: new Set(),
  locations: new Set(),
  invoices: new Map(),
  products: new Map(),
})

/** The product rows of one invoice. */
export interface AcceptedProducts {
  readonly count: number
  readonly sum: Money
  /** Of all the rows, in their order. */
  readonly digest: string
  readonly lines: number[]
  /** Those that have come up for writing. */
  readonly gathered: Product[]
}

export interface AcceptedAccount {
  readonly line: number
  readonly usertype: AccountType
  readonly owner_id: number
}

export interface ImportWorld {
  readonly store: Store
  readonly clock: () => Date
  readonly accepted: Accepted
}
