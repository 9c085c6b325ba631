import type { ActContext } from '#lib/acts/context.ts'
import { type Day, today } from '#lib/base/calendar.ts'
import { isPositive, isZero, type Money, ONE, subtract, ZERO } from '#lib/base/money.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Entity, Stored } from '#lib/table/entity.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { invocation } from '#lib/table/invocation.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm, keyReader, listedIn } from '#lib/table/keys.ts'
import { type Change, combined, is } from '#lib/table/requests/changes.ts'
import { isTransient, retryingRaces } from '#lib/table/requests/retries.ts'
import type { TableServices } from '#lib/table/store.ts'
import { balanceKey, ledgerAttribute, ledgerAttributes } from '../balance-item.ts'
import { type Books, type Converted, openBooks } from '../booking.ts'
import { asPayment, changesOfPayer, creditNotes, isNote, unassignedOfNote } from '../credit-note.ts'
import { documentPages } from '../document.ts'
import { findInvoices, invoices, newestInvoicePages, type StoredInvoice } from '../invoice.ts'
import { beforeClosing, closedByBalance, closedSince, openAmount } from '../invoice-payment.ts'
import { allocate, type InvoiceToPay } from '../ledger/allocating.ts'
import { MOST_AT_ONCE } from '../ledger/allocation.ts'
import { findFigures } from '../ledger/figures.ts'
import { figuresIn, type LedgerFigures } from '../ledger/ledger-figures.ts'
import { watchBalances } from '../notifications/watched-balances.ts'
import { namedOnly, payments, roomForParts, type StoredPayment, unassignedOf } from '../payment.ts'

type Source = Pick<ActContext, 'store' | 'settings' | 'now'>

// Customers with something to allocate

/** While something may be allocated, the balance of its customer is in this list of GSI1. */
const allocatingList = keyForm('ALLOCATING', '<account>')

/**
 * Notes that the unassigned payments of a customer may pay its open invoices, in the transaction of the
 * payment or invoice that has something left. Nothing while Allocate_Payments is off.
 */
export const willAllocate = (
  { Allocate_Payments }: Pick<Settings, 'Allocate_Payments'>,
  { id, user_id }: { readonly id: number; readonly user_id: number },
  left: Money,
): Change[] =>
  Allocate_Payments === 'oldest' && isPositive(left) ? [marked(user_id, { allocates: id })] : []

/**
 * The same for payments that a prepaid invoice could not take at its issue, because they are more than its
 * transaction has room for.
 */
export const willTake = ({ id, user_id }: { readonly id: number; readonly user_id: number }): Change =>
  marked(user_id, { allocates: id, takes: id })

const marked = (user_id: number, set: Readonly<Record<string, number>>): Change => ({
  update: balanceKey(user_id, 0),
  to: { set: { ...listedIn('GSI1', allocatingList(user_id)), ...set } },
})

/** A later document has noted it again if its id is another one. */
const unmarked = (user_id: number, { allocates }: Item): Change => ({
  update: balanceKey(user_id, 0),
  to: { set: { GSI1PK: undefined, GSI1SK: undefined, allocates: undefined, takes: undefined } },
  when: { allocates: is(allocates) },
})

// Allocating

/**
 * Lets the unassigned payments of a customer pay its open invoices, both oldest first, until one of them has
 * nothing left. Returns how many parts were allocated. A run that is killed is resumed by the hourly one.
 */
export async function allocateOldest(source: Source, user_id: number): Promise<number> {
  let count = 0
  for (;;) {
    const parts = await retryingRaces(source.store, () => allocateSome(source, user_id))
    count += parts
    if (parts < MOST_AT_ONCE) return count
  }
}

/** Up to ten parts, in one transaction. Fewer are all that there are. */
async function allocateSome({ store, now }: Source, user_id: number): Promise<number> {
  const item = await store.get(balanceKey(user_id, 0))
  if (item?.['allocates'] === undefined) return 0
  // Balance_From may have moved since the payment was stored, or the hourly run began.
  const source = { store, settings: await settingsOf(store), now }
  const taking = item['takes'] === undefined ? [] : await findInvoices(store, [Number(item['takes'])])
  const changes: Change[] = []
  let parts = 0
  for (const seller of sellersIn(item)) {
    const account = { user: user_id, seller, figures: figuresIn(item, source.settings, seller) }
    const own = presentOf(taking).filter(({ owner_id }) => owner_id === seller)
    const made = await allocateOfSeller(source, account, own, MOST_AT_ONCE - parts)
    changes.push(...made.changes)
    parts += made.parts
  }
  const done = parts < MOST_AT_ONCE ? [unmarked(user_id, item)] : []
  await store.transact(combined([...changes, ...done]))
  return parts
}

const sellersIn = (item: Item): number[] => [
  ...new Set(ledgerAttributes(item).map((name) => ledgerAttribute(name).seller)),
]

/** A customer of a seller, with what it owes. */
interface LedgerAccount {
  readonly user: number
  readonly seller: number
  readonly figures: readonly LedgerFigures[]
}

/** Prepaid invoices take their payments before others do. */
async function allocateOfSeller(
  { store, settings, now }: Source,
  account: LedgerAccount,
  taking: readonly StoredInvoice[],
  most: number,
) {
  const mayPay = settings.Allocate_Payments === 'oldest' && isAny(account, 'open')
  const isNeeded = most > 0 && isAny(account, 'unassigned') && (mayPay || taking.length > 0)
  const { paying } = isNeeded ? await findUnassigned({ store, settings }, account) : NOTHING_UNASSIGNED
  if (paying.length === 0) return { changes: [], parts: 0 }
  const open = mayPay ? await findOpen({ store, settings }, account) : []
  const books = await openBooks(store, settings, [...paying, ...taking, ...open])
  const day = today(now, settings.Timezone)
  const opened = taking.map(beforeClosing)
  const taken = payInTurn(paying, opened, books, { day, most, isPrepaid: true })
  const paid = payInTurn(taken.paying, open, books, { day, most: most - taken.parts, isPrepaid: false })
  return {
    changes: [
      ...paying.flatMap((one, index) => changesOfPayer(one, paid.paying[index])),
      ...taking.flatMap((one, index) => {
        const after = taken.open[index]
        if (!after || after === opened[index]) return []
        const closed = closedSince(
          { ...closedByBalance(after), from_balance: one.from_balance },
          openAmount(after),
          day,
        )
        return changesOf(invoices, one, closed)
      }),
      ...open.flatMap((one, index) => changeOfDocument(invoices, one, paid.open[index])),
    ],
    parts: taken.parts + paid.parts,
  }
}

/** The changes of a document that was paid or pays; none of one that stayed as it was. */
export const changeOfDocument = <D extends object>(
  entity: Entity<D>,
  before: Stored<D>,
  after: Stored<D> | undefined,
): Change[] => (after === undefined || after === before ? [] : changesOf(entity, before, after))

const isAny = ({ figures }: LedgerAccount, which: 'open' | 'unassigned'): boolean =>
  figures.some((one) => isPositive(one[which]))

/**
 * Lets payments pay invoices, in the order of both. One in a currency without a rate is left out. Returns all
 * of them as they are then.
 */
export function payInTurn<P extends StoredPayment, I extends InvoiceToPay>(
  paying: readonly P[],
  open: readonly I[],
  books: Books,
  { day, most, isPrepaid }: { readonly day: Day; readonly most: number; readonly isPrepaid: boolean },
) {
  const hasRate = ({ currency }: { readonly currency: string }) => books.rates.has(currency)
  const canPay = (pays: P, invoice: I) =>
    hasRate(pays) && hasRate(invoice) && (!isNote(pays) || hasOneRate(pays, invoice, books))
  const after = [...open]
  let parts = 0
  const mayPay = (payment: P) => parts < most && roomForParts(payment) > 0
  const pay = (payment: P): P => {
    let pays = payment
    for (const [index, invoice] of after.entries()) {
      if (!mayPay(pays) || !canPay(pays, invoice)) continue
      const next = allocate(pays, invoice, books, { day, isPrepaid: isPrepaid || isNote(pays) })
      parts += next.part ? 1 : 0
      pays = next.payment
      after[index] = next.invoice
    }
    return pays
  }
  return { paying: paying.map(pay), open: after, parts }
}

/** Payments alone post a difference of rates. */
export const hasOneRate = (
  one: Converted,
  other: Converted,
  { settings: { Default_Currency } }: Books,
): boolean =>
  (one.currency || Default_Currency) === (other.currency || Default_Currency) &&
  (one.exchange_rate ?? ONE) === (other.exchange_rate ?? ONE)

// The unassigned amounts of a customer

/** A page of either list. An open rest is rarely old. */
const PAGE_SIZE = 25

type Read = Pick<Source, 'store' | 'settings'>

/** The oldest payments and credit notes with something unassigned, up to ten, and whether there are more. */
export interface Unassigned {
  readonly paying: readonly StoredPayment[]
  readonly hasMore: boolean
}

export const NOTHING_UNASSIGNED: Unassigned = { paying: [], hasMore: false }

/** The unassigned payments of a customer to its present owner. One read unit if there are none. */
export async function findUnassignedOf(
  read: Read,
  { id, owner_id }: { readonly id: number; readonly owner_id: number },
): Promise<Unassigned> {
  if (!read.settings.hasLedger) return NOTHING_UNASSIGNED
  const figures = await findFigures(read.store, read.settings, id, owner_id)
  const account = { user: id, seller: owner_id, figures }
  return isAny(account, 'unassigned') ? findUnassigned(read, account) : NOTHING_UNASSIGNED
}

async function findUnassigned(
  { store, settings }: Read,
  { figures, ...scope }: LedgerAccount,
): Promise<Unassigned> {
  const pages = documentPages(store, payments, { scope, newestFirst: true, pageSize: PAGE_SIZE })
  const totals = new Map(figures.map(({ currency, unassigned }) => [currency, unassigned]))
  const found = await withSomeLeft(pages, unassignedOf, totals, settings)
  const notePages = documentPages(store, creditNotes, { scope, newestFirst: true, pageSize: PAGE_SIZE })
  const notes = await withSomeLeft(notePages, unassignedOfNote, totals, settings)
  const named = await findInvoices(store, [...new Set(found.flatMap(namedOnly))])
  const waitedFor = new Set(
    presentOf(named)
      .filter(isWaitedFor)
      .map(({ id }) => id),
  )
  const free = found.filter((one) => !namedOnly(one).some((id) => waitedFor.has(id)))
  const credits = presentOf(await creditNotes.findMany(store, firstIds(notes))).map(asPayment)
  const paid = presentOf(await payments.findMany(store, firstIds(free)))
  const paying = [...credits, ...paid].slice(0, MOST_AT_ONCE)
  return { paying, hasMore: notes.length + free.length > paying.length }
}

/**
 * A payment that names a credited invoice waits for the next invoice of its month, and one that names an open
 * invoice for the payment that opened it again.
 */
const isWaitedFor = (invoice: StoredInvoice): boolean =>
  invoice.credited_by !== '' || isPositive(openAmount(invoice))

async function findOpen({ store, settings }: Read, { figures, ...scope }: LedgerAccount) {
  const pages = newestInvoicePages(store, { scope, pageSize: PAGE_SIZE })
  const totals = figures.map(({ currency, open }) => [currency, open] as const)
  const found = await withSomeLeft(pages, openAmount, new Map(totals), settings)
  return presentOf(await findInvoices(store, firstIds(found)))
}

const firstIds = (rows: readonly { readonly id: number }[]) => rows.slice(0, MOST_AT_ONCE).map(({ id }) => id)

const presentOf = <T>(found: readonly (T | undefined)[]): T[] => found.filter((one) => one !== undefined)

/**
 * The documents that have something left, oldest first. Reads the newest first, until what they have left
 * makes up these totals by currency. More than a total is not free: it has paid invoices that were imported
 * as paid, which no payment is assigned to.
 */
async function withSomeLeft<T extends { readonly currency: string }>(
  pages: AsyncIterable<readonly T[]>,
  leftOf: (one: T) => Money,
  totals: Map<string, Money>,
  { Default_Currency }: Pick<Settings, 'Default_Currency'>,
): Promise<T[]> {
  const found: T[] = []
  if (isUsedUp(totals)) return found
  for await (const page of pages) {
    for (const one of page) {
      const left = leftOf(one)
      const currency = one.currency || Default_Currency
      const rest = subtract(totals.get(currency) ?? ZERO, left)
      if (isZero(left) || isPositive(subtract(ZERO, rest))) continue
      totals.set(currency, rest)
      found.push(one)
    }
    if (isUsedUp(totals)) break
  }
  return found.reverse()
}

const isUsedUp = (totals: ReadonlyMap<string, Money>): boolean =>
  [...totals.values()].every((amount) => !isPositive(amount))

// Afterwards

/**
 * The follow-up of a stored payment, or of a credit that frees one: it pays the oldest open invoices, and
 * the thresholds of the balance are looked at.
 */
export async function afterPayment(source: Source, user_id: number): Promise<void> {
  if (source.settings.Allocate_Payments === 'oldest') await allocateSoon(source, user_id)
  await watchBalances(source, [user_id])
}

/** Allocates now, unless the table refuses it now: then the hourly run does. */
export async function allocateSoon(source: Source, user_id: number): Promise<void> {
  await allocateOldest(source, user_id).catch((error: unknown) => {
    if (!isTransient(error)) throw error
  })
}

const accountOf = keyReader(balanceKey)

/** Resumes what was interrupted. A customer whose allocation fails does not stop the others. */
export async function allocateEveryone(source: Source) {
  const done = { parts: 0, failed: 0, reason: undefined as string | undefined }
  for await (const page of source.store.pages({ index: 'GSI1', partition: allocatingList.partition() }))
    for (const item of page) {
      const account = Number(accountOf(item)?.account)
      try {
        done.parts += await allocateOldest(source, account)
        await watchBalances(source, [account])
      } catch (error) {
        done.failed += 1
        done.reason ??= `account ${account}: ${error}`
      }
    }
  return done
}

/** Resumes what was interrupted, and writes a log line. */
export const hourlyAllocations = (services: TableServices) => async (): Promise<void> => {
  await invocation(services, 'allocate_payments', async ({ store, startedAt }) => {
    const done = await allocateEveryone({ store, settings: await settingsOf(store), now: startedAt })
    return { outcome: 'allocated', ...done }
  })
}
