import { isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import type { Booking } from '#lib/table/entity.ts'
import { exactly } from '#lib/table/items.ts'
import { type Key, keyForm } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'

/** An account's sums since Balance_From. Shard 0 has payments, adjustments and fees, each has calls. */
export const balanceKey = keyForm('BALANCE#<account>#<shard>', 'BALANCE')

/** Charged calls have as many shards as counted calls: a balance costs one unit for each. */
export const SHARDS_OF_BALANCE = 2

/** The attributes of such an item. */
export const BALANCE_SUMS = ['paid', 'adjusted', 'charged', 'fees'] as const

/** A document that may add to the balance of its account. */
interface BookedDocument {
  readonly user_id: number
  readonly booked?: Money | undefined
}

/** Declares that documents add what they book to a sum in the balance of their account. */
export function bookedInBalance(attribute: (typeof BALANCE_SUMS)[number]): Booking<BookedDocument> {
  const item = ({ user_id }: BookedDocument): Key => balanceKey(user_id, 0)
  const amount = ({ booked = ZERO }: BookedDocument): Money => booked
  const added = (row: BookedDocument, by: Money): Change[] =>
    isZero(by) ? [] : [{ update: item(row), to: { add: { [attribute]: exactly(by) } } }]
  const changes = (before: BookedDocument | undefined, after: BookedDocument | undefined): Change[] => {
    if (before && after?.user_id === before.user_id)
      return added(after, subtract(amount(after), amount(before)))
    return [
      ...(before ? added(before, subtract(ZERO, amount(before))) : []),
      ...(after ? added(after, amount(after)) : []),
    ]
  }
  return { attribute, item, amount, changes }
}

/** Charges an account, for the transaction that stores the calls. `turn` picks the part. */
export const chargedInBalance = (accountId: number, price: Money, turn: number): Change => ({
  update: balanceKey(accountId, turn % SHARDS_OF_BALANCE),
  to: { add: { charged: exactly(price) } },
})
