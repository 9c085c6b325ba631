import { type Actor, ownsCustomers } from '#lib/base/account-types.ts'
import { totalOf } from '#lib/base/balance.ts'
import { ALL_TIME, type Day, LAST_DAY } from '#lib/base/calendar.ts'
import { add, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { type Adjustment, adjustments } from '#lib/billing/adjustment.ts'
import { type AccountBalance, findBalance } from '#lib/billing/balance.ts'
import { type Charge, listCharges } from '#lib/billing/charges/charge.ts'
import { type CreditNote, isOfMonth, listCreditNotes } from '#lib/billing/credit-note.ts'
import { documentPages, type OwnedDocument } from '#lib/billing/document.ts'
import { type Invoice, isIssued, listInvoices } from '#lib/billing/invoice.ts'
import { bookedAtRate } from '#lib/billing/invoice-payment.ts'
import { type Allocation, allocationsIn } from '#lib/billing/ledger/allocation.ts'
import { allocationsOf, listPayments, type Payment } from '#lib/billing/payment.ts'
import { listDaysOfCalls } from '#lib/calls/counters/call-stats.ts'
import { hasFurtherSums } from '#lib/calls/retention.ts'
import { chargedFor, TRAFFIC } from '#lib/invoicing/billed.ts'
import { adjustmentIdOf } from '#lib/invoicing/issue.ts'
import type { Month } from '#lib/invoicing/month.ts'
import { billedKey, readBilled, type StoredBilled } from '#lib/invoicing/month-items.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'

/** The parts of a balance, in the default currency. Those that lower it are negative. */
export interface PartsOfBalance {
  readonly opening: Money
  /** The booked net of invoices, less what payments and write-offs booked of it. */
  readonly invoices: Money
  /** The same of prepaid invoices, of which the balance closed the rest. */
  readonly from_balance: Money
  /** The booked net of months that gave back more than they billed. */
  readonly credit_notes: Money
  /** The booked part of payments that no invoice has. */
  readonly unassigned: Money
  readonly adjustments: Money
  /** Charged, and on no document yet. */
  readonly calls: Money
  readonly charges: Money
}

export interface Reconciled {
  readonly parts: PartsOfBalance
  readonly balance: Money
  /** The balance less the sum of its parts. */
  readonly difference: Money
  /** A sentence for each place in which two figures of the same thing differ. */
  readonly where: readonly string[]
}

type Source = { readonly store: Store; readonly settings: Settings }

/**
 * Adds up a balance from its documents and from its unbilled amounts; `undefined` if there is no such
 * account. A wrong balance is read again, because it may have changed meanwhile.
 */
export async function reconcile(
  source: Source,
  account: Pick<Actor, 'id' | 'usertype'>,
): Promise<Reconciled | undefined> {
  const first = await readBooks(source, account)
  if (!first) return undefined
  const found = reconciledOf(first)
  if (found.where.length === 0 && isZero(found.difference)) return found
  const again = await readBooks(source, account)
  return again && reconciledOf(again)
}

/** The stored books of an account. */
interface AccountBooks {
  readonly found: AccountBalance
  readonly invoices: readonly OwnedDocument<Invoice>[]
  readonly notes: readonly OwnedDocument<CreditNote>[]
  readonly payments: readonly Payment[]
  readonly adjustments: readonly Adjustment[]
  readonly charges: readonly Charge[]
  readonly billed: readonly BilledShare[]
  /** The price of its calls by the counters of their days. */
  readonly charged: Money
}

async function readBooks(
  { store, settings }: Source,
  account: Pick<Actor, 'id' | 'usertype'>,
): Promise<AccountBooks | undefined> {
  const { id } = account
  const { Charged_From: from, shards } = settings
  const [scope, days] = [{ user: id }, { from, till: LAST_DAY }]
  const all = async <T>(pages: AsyncIterable<readonly T[]>) => (await Array.fromAsync(pages)).flat()
  const [found, invoices, notes, payments, rows, charges, months, own, resold] = await Promise.all([
    findBalance(store, id),
    all(listInvoices(store, scope)),
    all(listCreditNotes(store, scope)),
    all(listPayments(store, scope, ALL_TIME)),
    all(documentPages(store, adjustments, { scope })),
    all(listCharges(store, scope)),
    store.list(billedKey.range(id)),
    listDaysOfCalls(store, scope, days, shards),
    ownsCustomers(account) ? listDaysOfCalls(store, { owner: id }, days, shards) : [],
  ])
  if (!found) return undefined
  const counted = sum([...own, ...resold], ({ further }) => further.charged)
  const booked = charges.filter((charge) => charge.booked !== undefined).map((charge) => String(charge.id))
  const billed = months.map((item) => readBilled(String(item['SK']), item))
  return {
    ...{ found, invoices, notes, payments, adjustments: rows, charges },
    billed: billed.flatMap((month) => sharesOf(month, from, new Set(booked))),
    // The counters of earlier releases did not count prices.
    charged: hasFurtherSums(from, settings) ? counted : found.balance.charged,
  }
}

function reconciledOf(books: AccountBooks): Reconciled {
  const { invoices, payments, found } = books
  const documents = issuedDocuments(books)
  const ofDocuments = new Set([...documents.values()].flatMap(({ adjustments: made }) => made))
  const paid = payments.filter(({ booked }) => booked !== undefined)
  const allocated = paid.flatMap((one) => allocationsOf(one).filter(({ to }) => to === 'invoice'))
  const credited = books.notes.flatMap(({ allocations }) => allocationsIn(allocations))
  const ordinary = books.adjustments.filter(({ id }) => !ofDocuments.has(id))
  const lefts = (some: readonly Pick<Invoice, 'id'>[]): Money => {
    const ids = new Set(some.map(({ id }) => id))
    return add(
      sum(some, ({ id }) => documents.get(id)?.inBalance),
      sumBooked([...allocated, ...credited].filter(({ id }) => ids.has(id))),
      sumBooked(ordinary.filter(({ written_off }) => ids.has(written_off ?? 0))),
    )
  }
  const shares = books.billed.filter(({ document }) => documents.has(document))
  const isClosed = ({ from_balance }: Invoice): boolean => !isZero(from_balance)
  const parts: PartsOfBalance = {
    opening: found.balance.opening,
    invoices: lefts(invoices.filter((one) => !isClosed(one))),
    from_balance: lefts(invoices.filter(isClosed)),
    credit_notes: subtract(lefts(books.notes), sumBooked(credited)),
    unassigned: subtract(sumBooked(paid), sumBooked(allocated)),
    adjustments: sumBooked(ordinary.filter(({ written_off }) => written_off === undefined)),
    calls: subtract(
      sum(shares, ({ calls }) => calls),
      books.charged,
    ),
    charges: subtract(
      sum(shares, ({ charges }) => charges),
      sumBooked(books.charges),
    ),
  }
  const balance = totalOf(found.balance)
  const difference = subtract(balance, add(ZERO, ...Object.values<Money>({ ...parts })))
  return { parts, balance, difference, where: placesOf(books, documents, [...allocated, ...credited]) }
}

const sum = <T>(rows: readonly T[], of: (row: T) => Money | undefined): Money =>
  add(ZERO, ...rows.map((row) => of(row) ?? ZERO))

const sumBooked = (rows: readonly { readonly booked?: Money | undefined }[]): Money =>
  sum(rows, ({ booked }) => booked)

/** Two figures of one thing that differ. */
function placesOf(
  books: AccountBooks,
  documents: ReadonlyMap<number, IssuedDocument>,
  pays: readonly Allocation[],
): string[] {
  const { paid, adjusted, fees, charged } = books.found.balance
  const figures = [
    ...[...documents.values()].map(
      ({ name, nets, takes }) => [`${name} is`, nets, 'it takes', takes] as const,
    ),
    ['paid is', paid, 'payments are', sumBooked(books.payments)] as const,
    ['adjusted is', adjusted, 'adjustments are', sumBooked(books.adjustments)] as const,
    ['fees are', fees, 'charges are', sumBooked(books.charges)] as const,
    ['charged is', charged, 'calls are', books.charged] as const,
  ]
  const ids = new Set(books.invoices.map(({ id }) => id))
  return [
    ...figures
      .filter(([, one, , other]) => !isZero(subtract(one, other)))
      .map(([is, one, are, other]) => `${is} ${one}, ${are} ${other}`),
    ...pays
      .filter(({ id }) => !ids.has(id))
      .map(({ id, booked }) => `${booked} is allocated to invoice ${id}, which is none of its invoices`),
    ...books.billed
      .filter(({ document }) => !documents.has(document))
      .map(({ document, month }) => `${month} is billed by document ${document}, which does not exist`),
  ]
}

interface IssuedDocument {
  readonly name: string
  /** Its net in the default currency; 0 for an invoice that is credited whole. */
  readonly nets: Money
  /** The billed amount of calls and charges, less its adjustments and those of its credit notes. */
  readonly takes: Money
  /** The amount that it adds to a balance that does not count the time before Balance_From. */
  readonly inBalance: Money
  /** The ids of these adjustments. */
  readonly adjustments: readonly number[]
}

function issuedDocuments(books: AccountBooks): Map<number, IssuedDocument> {
  const rows = new Map(books.adjustments.map((row) => [row.id, row]))
  const shares = Map.groupBy(books.billed, ({ document }) => document)
  const documentOf = (name: string, id: number, nets: Money, notes: readonly { id: number }[]) => {
    const made = [{ id }, ...notes].flatMap((one) => rows.get(adjustmentIdOf(one.id)) ?? [])
    const billed = shares.get(id) ?? []
    const uncounted = sum(
      made.filter(({ booked }) => booked === undefined),
      ({ amount }) => amount,
    )
    return {
      ...{ name, nets, adjustments: made.map((one) => one.id) },
      takes: subtract(
        sum(billed, ({ all }) => all),
        sum(made, ({ amount }) => amount),
      ),
      inBalance: subtract(
        sum(billed, ({ all, calls, charges }) => subtract(all, add(calls, charges))),
        add(nets, uncounted),
      ),
    }
  }
  const [ofMonths, credits] = [books.notes.filter(isOfMonth), books.notes.filter(isOfInvoice)]
  return new Map([
    ...books.invoices.filter(isIssued).map((invoice) => {
      const { id, number, owner_id, price, credited_net, credited_by } = invoice
      const own = credits.filter((note) => note.invoices === number && note.owner_id === owner_id)
      const nets = credited_by === '' ? bookedAtRate(subtract(price, credited_net), invoice) : ZERO
      return [id, documentOf(`invoice ${number}`, id, nets, own)] as const
    }),
    ...ofMonths.map((note) => {
      const nets = subtract(ZERO, bookedAtRate(note.price, note))
      return [note.id, documentOf(`credit note ${note.number}`, note.id, nets, [])] as const
    }),
  ])
}

/** A credit note of an invoice says why. */
const isOfInvoice = ({ month, comment }: CreditNote): boolean => month !== '' && comment !== ''

/** The billed amount of a month: all of it, and the part of its calls and charges that balances count. */
interface BilledShare {
  readonly month: Month
  readonly document: number
  readonly all: Money
  readonly calls: Money
  readonly charges: Money
}

const sharesOf = ({ month, billed }: StoredBilled, from: Day, charged: ReadonlySet<string>): BilledShare[] =>
  Object.entries(billed.parts).map(([document, part]) => {
    const days = TRAFFIC.flatMap((traffic) => Object.entries(part.calls[traffic]))
    return {
      ...{ month, document: Number(document), all: chargedFor(part) },
      calls: sum(
        days.filter(([day]) => day >= from),
        ([, { amount }]) => amount,
      ),
      charges: sum(
        Object.entries(part.charges).filter(([id]) => charged.has(id)),
        ([, amount]) => amount,
      ),
    }
  })
