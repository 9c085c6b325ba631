import type { Day } from '#lib/base/calendar.ts'
import { add, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { LEDGER_SINCE } from '#lib/settings/settings.ts'
import type { Booking } from '#lib/table/entity.ts'
import { exactly, type Item } from '#lib/table/items.ts'
import { isSameKey, type Key, keyForm } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'

/**
 * An account's sums since Balance_From. Shard 0 has payments, adjustments and fees, each has calls. Shard 0
 * also has what the account owes, always.
 */
export const balanceKey = keyForm('BALANCE#<account>#<shard>', 'BALANCE')

/** Charged calls have as many shards as counted calls: a balance costs one unit for each. */
export const SHARDS_OF_BALANCE = 2

/** The attributes of such an item. */
export const BALANCE_SUMS = ['paid', 'adjusted', 'charged', 'fees'] as const

interface DocumentOfAccount {
  readonly user_id: number
}

const itemOf = ({ user_id }: DocumentOfAccount): Key => balanceKey(user_id, 0)

/** A document that may add to the balance of its account. */
interface BookedDocument extends DocumentOfAccount {
  readonly booked?: Money | undefined
}

/** Declares that documents add what they book to a sum in the balance of their account. */
export function bookedInBalance(attribute: (typeof BALANCE_SUMS)[number]): Booking<BookedDocument> {
  const amounts = ({ booked = ZERO }: BookedDocument) => ({ [attribute]: booked })
  return { item: itemOf, amounts, changes: differences(amounts, {}) }
}

/** The seller of a document is the owner that it was made under. */
interface LedgerDocument extends DocumentOfAccount {
  readonly owner_id: number
}

/** A document's entry in the ledger of its account in a currency, with VAT. A blank one is the default. */
export interface LedgerEntry {
  readonly currency: string
  readonly owed: Money
  /** The change of the open amounts of invoices. */
  readonly open?: Money
  /** The day since which it counts, where that is not the day of its document. */
  readonly day?: Day
}

/** Counts the changes of an account's debt, so that the migration notices concurrent ones. */
export const LEDGER_CHANGES = 'ledger_changes'

/** Declares that documents change what their account owes their seller. */
export function bookedInLedger<D extends object>(
  entriesOf: (row: D) => readonly LedgerEntry[],
): Booking<D & LedgerDocument> {
  const amounts = (row: D & LedgerDocument) => ledgerSums(row.owner_id, entriesOf(row))
  return {
    since: LEDGER_SINCE,
    item: itemOf,
    amounts,
    changes: differences(amounts, { [LEDGER_CHANGES]: exactly(1) }),
  }
}

/** The sums of entries, by the attributes that hold them. */
export function ledgerSums(seller: number, entries: readonly LedgerEntry[]): Record<string, Money> {
  const sums: Record<string, Money> = {}
  for (const { currency, owed, open = ZERO } of entries)
    for (const [name, amount] of [
      [`owed#${seller}#${currency}`, owed],
      [`open#${seller}#${currency}`, open],
    ] as const)
      if (!isZero(amount)) sums[name] = add(sums[name] ?? ZERO, amount)
  return sums
}

const LEDGER_ATTRIBUTE = /^(owed|open)#(\d+)#(.*)$/su

/** The names of the attributes that say what an account owes. */
export const ledgerAttributes = (item: Item): string[] =>
  Object.keys(item).filter((name) => LEDGER_ATTRIBUTE.test(name))

/** The sum that an attribute of the ledger holds. */
export function ledgerAttribute(name: string) {
  const [, what, seller, currency = ''] = LEDGER_ATTRIBUTE.exec(name) ?? []
  return { isOpen: what === 'open', seller: Number(seller), currency }
}

/** The changes of a row's amounts. `besides` is added to an item of which any amount changes. */
function differences<R extends DocumentOfAccount>(
  amountsOf: (row: R) => Readonly<Record<string, Money>>,
  besides: Readonly<Record<string, unknown>>,
) {
  const added = (row: R, amounts: readonly (readonly [string, Money])[]): Change[] => {
    const some = amounts.filter(([, amount]) => !isZero(amount))
    const sums = Object.fromEntries(some.map(([name, amount]) => [name, exactly(amount)]))
    return some.length === 0 ? [] : [{ update: itemOf(row), to: { add: { ...sums, ...besides } } }]
  }
  const taken = (amounts: Readonly<Record<string, Money>>) =>
    Object.entries(amounts).map(([name, amount]) => [name, subtract(ZERO, amount)] as const)
  return (before: R | undefined, after: R | undefined): Change[] => {
    const [had, has] = [before ? amountsOf(before) : {}, after ? amountsOf(after) : {}]
    if (before && after && isSameKey(itemOf(before), itemOf(after))) {
      const names = [...new Set([...Object.keys(had), ...Object.keys(has)])]
      return added(
        after,
        names.map((name) => [name, subtract(has[name] ?? ZERO, had[name] ?? ZERO)] as const),
      )
    }
    return [...(before ? added(before, taken(had)) : []), ...(after ? added(after, Object.entries(has)) : [])]
  }
}

/** Charges an account, for the transaction that stores the calls. `turn` picks the part. */
export const chargedInBalance = (accountId: number, price: Money, turn: number): Change => ({
  update: balanceKey(accountId, turn % SHARDS_OF_BALANCE),
  to: { add: { charged: exactly(price) } },
})
