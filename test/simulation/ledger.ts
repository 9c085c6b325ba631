import { createHash } from 'node:crypto'
import { dayOf } from '#lib/base/calendar.ts'
import type { Item } from '#lib/table/items.ts'
import { exact } from '#test/plain-sums.ts'
import { BOB, CAROL, DAVE, DOLLARS, PAUL, SIMULATED_FROM } from './dataset.ts'
import type { Invariant, SeenTable } from './seen.ts'

// The ledger and the journal, added up from the documents by plain numbers.

type PaidRow = SeenTable['payments'][number]
type InvoiceRow = SeenTable['invoices'][number]

/** A part of a payment that an invoice or a refund has. */
interface Part {
  readonly isRefund: boolean
  readonly id: number
  readonly own: bigint
  readonly amount: bigint
  readonly currency: string
  readonly booked: bigint
  readonly released: string | undefined
}

const inEuros = (currency: string | undefined): string => currency || 'EUR'

/** The parts of a payment, released ones among them. */
const allPartsIn = ({ allocations }: Pick<PaidRow, 'allocations'>): Part[] =>
  allocations
    .split(' ')
    .filter((text) => text !== '')
    .map((text) => {
      const [name = '', own, amount, currency, booked, , released] = text.split(':')
      return {
        isRefund: name.startsWith('r'),
        id: Number(name.slice(1)),
        ...{ own: exact(own), amount: exact(amount), currency: inEuros(currency), booked: exact(booked) },
        released,
      }
    })

const partsIn = (payer: Pick<PaidRow, 'allocations'>): Part[] =>
  allPartsIn(payer).filter(({ released }) => released === undefined)

const partsOf = (payment: PaidRow): Part[] => (payment.taken_back_by === undefined ? partsIn(payment) : [])

const grossOf = ({ price, price_with_vat }: { price: string; price_with_vat?: string | undefined }): bigint =>
  exact(price_with_vat ?? price)

const grossOfPayment = ({ amount, amount_with_vat }: PaidRow): bigint => exact(amount_with_vat ?? amount)

const total = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, one) => sum + one, 0n)

const most = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** The amount that payments, write-offs and credit notes take of an invoice, with VAT. */
function takenOf(invoice: InvoiceRow, { payments, adjustments, notes }: SeenTable) {
  const isOwn = ({ isRefund, id }: Part) => !isRefund && id === invoice.id
  const byNotes = notes.flatMap(partsIn).filter(isOwn)
  // Also one that was released: what was left of the net then stays booked.
  const isPaidByNotes = notes.flatMap(allPartsIn).some(isOwn)
  const parts = [...payments.flatMap(partsOf).filter(isOwn), ...byNotes]
  const lost = adjustments.filter(({ written_off }) => written_off === invoice.id)
  const credits = notes.filter(
    (note) => note.comment !== '' && note.invoices === invoice.number && note.owner_id === invoice.owner_id,
  )
  return {
    paid: total([...parts.map(({ amount }) => amount), ...lost.map(({ gross }) => exact(gross))]),
    booked: total([
      ...parts.map(({ booked }) => booked),
      ...lost.map(({ booked, amount }) => exact(booked ?? amount)),
    ]),
    isPaidByNotes,
    lost: total(lost.map(({ gross }) => exact(gross))),
    count: parts.length + lost.length,
    credits: credits.length,
    credited: total(credits.map(grossOf)),
    creditedNet: total(credits.map(({ price }) => exact(price))),
  }
}

interface Figures {
  readonly owed: bigint
  readonly open: bigint
  readonly unassigned: bigint
}

const NONE: Figures = { owed: 0n, open: 0n, unassigned: 0n }

/** The change of the figures of a currency by a document. */
type Entry = readonly [currency: string | undefined, by: Partial<Figures>]

function entryOfInvoice(invoice: InvoiceRow, seen: SeenTable): Entry {
  const [gross, closed] = [grossOf(invoice), exact(invoice.from_balance)]
  const { paid, credited } = takenOf(invoice, seen)
  const left = invoice.credited_by === '' ? gross - closed - paid - credited : 0n
  const by = { owed: gross - closed, open: most(left, 0n), unassigned: most(-left, 0n) }
  return [invoice.currency, by]
}

/** A credit note of no invoice pays others. */
const entryOfNote = (note: SeenTable['notes'][number]): Entry => [
  note.currency,
  {
    owed: -grossOf(note),
    unassigned: note.comment === '' ? grossOf(note) - total(partsIn(note).map(({ own }) => own)) : 0n,
  },
]

/** A part in another currency leaves that of the payment, and comes into that of the invoice. */
function entriesOfPayment(payment: PaidRow): Entry[] {
  if (!payment.completed) return []
  const [gross, parts] = [grossOfPayment(payment), partsOf(payment)]
  const { taken_back_by, takes_back, refunds, currency } = payment
  const isOwn = [taken_back_by, takes_back, refunds].every((one) => one === undefined)
  const others = parts.filter((one) => !one.isRefund && one.currency !== inEuros(currency))
  const owed = total(others.map(({ own }) => own)) - gross
  const unassigned = isOwn ? gross - total(parts.map(({ own }) => own)) : 0n
  return [
    [currency, { owed, unassigned }],
    ...others.map((one): Entry => [one.currency, { owed: -one.amount }]),
  ]
}

/** Owed, open and unassigned of each customer, seller and currency. */
function figuresOf(seen: SeenTable): Map<string, Figures> {
  const all = new Map<string, Figures>()
  const add = (row: { user_id: number; owner_id: number }, entries: readonly Entry[]) => {
    for (const [currency, { owed = 0n, open = 0n, unassigned = 0n }] of entries) {
      const name = `${row.user_id} ${row.owner_id} ${inEuros(currency)}`
      const sums = all.get(name) ?? NONE
      all.set(name, {
        ...{ owed: sums.owed + owed, open: sums.open + open },
        unassigned: sums.unassigned + unassigned,
      })
    }
  }
  for (const invoice of seen.invoices) add(invoice, [entryOfInvoice(invoice, seen)])
  for (const note of seen.notes) add(note, [entryOfNote(note)])
  for (const payment of seen.payments) add(payment, entriesOfPayment(payment))
  for (const lost of seen.adjustments.filter(({ written_off }) => written_off !== undefined))
    add(lost, [[lost.gross_currency, { owed: -exact(lost.gross) }]])
  return all
}

/** The figures in the balances' items. */
function storedFigures(items: readonly Item[]): Map<string, Pick<Figures, 'owed' | 'open'>> {
  const stored = new Map<string, Pick<Figures, 'owed' | 'open'>>()
  for (const item of items.filter(({ SK }) => SK === 'BALANCE'))
    for (const [name, amount] of Object.entries(item)) {
      const [what, seller, currency] = name.split('#')
      if (what !== 'owed' && what !== 'open') continue
      const key = `${String(item['PK']).split('#')[1]} ${seller} ${inEuros(currency)}`
      const known = stored.get(key) ?? { owed: 0n, open: 0n }
      stored.set(key, { ...known, [what]: known[what] + exact(amount) })
    }
  return stored
}

/** Owed is the sum of the entries, and what is open less what is unassigned. */
function ledgerIsEntries(seen: SeenTable): string[] {
  const [figures, stored] = [figuresOf(seen), storedFigures(seen.items)]
  return [...new Set([...figures.keys(), ...stored.keys()])].flatMap((name) => {
    const { owed, open, unassigned } = figures.get(name) ?? NONE
    const is = stored.get(name) ?? NONE
    return [
      ...(is.owed === owed ? [] : [`${name} owes ${euros(is.owed)}, its entries are ${euros(owed)}`]),
      ...(is.open === open ? [] : [`${euros(is.open)} of ${name} is open, its invoices lack ${euros(open)}`]),
      ...(owed === open - unassigned
        ? []
        : [`${name} owes ${euros(owed)}, with ${euros(open)} open and ${euros(unassigned)} unassigned`]),
    ]
  })
}

const UNIT = 1e15

const euros = (amount: bigint): string => String(Number(amount) / UNIT)

const MILLIONTH = 1_000_000_000n

const HALF_CENT = 5000n * MILLIONTH

const isNear = (one: bigint, other: bigint, within: bigint): boolean =>
  one - other <= within && other - one <= within

/** The hourly run allocates what an interrupted run has left. */
const nothingIsLeftToAllocate = ({ items }: SeenTable): string[] =>
  items
    .filter((item) => 'allocates' in item)
    .map(({ PK, allocates }) => `${PK} still has something to allocate since ${allocates}`)

const DAY_MS = 86_400_000

/** A payment of a prepaid invoice is not credited or moved: its balance closes only the rest of it. */
function prepaidInvoicesTake(seen: SeenTable): string[] {
  return seen.invoices
    .filter(({ user_id, month }) => month !== '' && (user_id === PAUL || user_id === CAROL))
    .flatMap((invoice) => {
      const [closed, { paid }] = [exact(invoice.from_balance), takenOf(invoice, seen)]
      const before = Date.parse(invoice.issue_date) - DAY_MS
      const free = seen.payments.filter(
        (one) =>
          one.user_id === invoice.user_id &&
          one.date * 1000 < before &&
          entriesOfPayment(one).some(([, { unassigned = 0n }]) => unassigned > 0n),
      )
      return [
        ...(paid + closed === grossOf(invoice)
          ? []
          : [
              `${invoice.number} is ${euros(grossOf(invoice))}: ${euros(paid)} paid, ${euros(closed)} closed`,
            ]),
        ...(closed > 0n ? free : []).map(
          ({ id }) => `${invoice.number} is closed by the balance, and payment ${id} is unassigned`,
        ),
      ]
    })
}

/** A credit of a paid invoice is free again. Only a write-off stays. */
function invoicesAreNotOverpaid(seen: SeenTable): string[] {
  return seen.invoices.flatMap((invoice) => {
    const { paid, credited, lost } = takenOf(invoice, seen)
    const over = exact(invoice.from_balance) + paid + credited - grossOf(invoice)
    return invoice.credited_by !== '' || over <= 0n || lost > 0n
      ? []
      : [`${invoice.number} has ${euros(over)} too much`]
  })
}

/** A part of a credit note books the net of the note in proportion. */
const notePartsOf = ({ id, number }: InvoiceRow, { notes }: SeenTable): string[] =>
  notes.flatMap((note) =>
    partsIn(note)
      .filter((part) => !part.isRefund && part.id === id)
      .filter(({ own, booked }) => {
        const must = (exact(note.price) * own) / most(grossOf(note), 1n)
        return !isNear(booked, must, MILLIONTH)
      })
      .map(({ own, booked }) => `${euros(own)} of ${note.number} book ${euros(booked)} of ${number}`),
  )

/** Payments of an invoice book its net, in proportion, and the last one what is left of it. */
function paymentsBookNets(seen: SeenTable): string[] {
  return seen.invoices
    .filter(({ user_id, credited_by }) => credited_by === '' && (user_id === BOB || user_id === DAVE))
    .flatMap((invoice) => {
      const { paid, booked, count, credited, credits, creditedNet, isPaidByNotes } = takenOf(invoice, seen)
      if (isPaidByNotes) return notePartsOf(invoice, seen)
      const [net, gross] = [exact(invoice.price), grossOf(invoice)]
      const left = gross - paid - credited
      const must = left === 0n ? net - creditedNet : (net * paid) / most(gross, 1n)
      // A credit that closes the invoice after its payments has a net of whole cents.
      const within = left === 0n ? HALF_CENT * BigInt(credits) : MILLIONTH * BigInt(count)
      return left < 0n || (credited > 0n && left > 0n) || isNear(booked, must, within)
        ? []
        : [`${euros(paid)} of ${invoice.number} book ${euros(booked)}, not ${euros(must)}`]
    })
}

/** Nothing is booked until it is confirmed, and before the day from which balances count. */
const isCounted = ({ completed, date, confirm_date }: PaidRow, balanceFrom: string): boolean =>
  completed && dayOf(confirm_date ?? date, 'UTC') >= balanceFrom

/** Taking back and giving back book the opposite; the rest of a payment is credit without VAT. */
function paymentsAreBooked({ payments, balanceFrom, scene: { book } }: SeenTable): string[] {
  const byId = new Map(payments.map((one) => [one.id, one]))
  const mustBook = (payment: PaidRow): (number | undefined)[] => {
    if (!isCounted(payment, balanceFrom)) return [undefined]
    const of = byId.get(payment.takes_back ?? payment.refunds ?? 0)
    const percents = book.vatOf.get(payment.user_id) ?? [0]
    return of ? bookedByOpposite(payment, of, percents) : mayBeBooked(payment, percents)
  }
  const isNearly = (booked: string | undefined) => (one: number | undefined) =>
    one === undefined || booked === undefined ? one === booked : Math.abs(one - Number(booked)) < 0.000_002
  return payments.flatMap((payment) => {
    const must = mustBook(payment)
    return balanceFrom === '' || must.some(isNearly(payment.booked))
      ? []
      : [`the payment ${payment.id} books ${payment.booked}, not ${must.join(' or ')}`]
  })
}

/** A payment of before Balance_From is in the opening balance, from which it is taken. */
function bookedByOpposite({ id, takes_back }: PaidRow, of: PaidRow, percents: Iterable<number>): number[] {
  if (takes_back !== undefined && of.taken_back_by !== id) return []
  if (takes_back !== undefined)
    return of.booked === undefined ? mayBeBooked(of, percents).map((one) => -one) : [-Number(of.booked)]
  return partsIn(of).flatMap((one) => (one.isRefund && one.id === id ? [-Number(one.booked) / UNIT] : []))
}

/** By each VAT percent that the customer may have had, and by the parts that it may have had. */
function mayBeBooked(payment: PaidRow, percents: Iterable<number>): number[] {
  const rate = inEuros(payment.currency) === 'USD' ? DOLLARS : 1
  return partsWhenBooked(payment).flatMap((parts) => {
    const rest = Number(grossOfPayment(payment) - total(parts.map(({ own }) => own))) / UNIT
    const ofParts = Number(total(parts.map((one) => one.booked))) / UNIT
    return rest < 0 ? [] : [...percents].map((percent) => ofParts + rest / rate / (1 + percent / 100))
  })
}

/**
 * Taking a payment back releases its parts, and changes nothing of what they have booked. Others may have
 * been released on the same day, before it.
 */
function partsWhenBooked(payment: PaidRow): Part[][] {
  if (payment.taken_back_by === undefined) return [partsIn(payment)]
  const all = allPartsIn(payment)
  const last = all
    .map(({ released = '' }) => released)
    .sort()
    .at(-1)
  return all
    .filter(({ released }) => released === last)
    .reduce<Part[][]>((sets, part) => sets.flatMap((set) => [set, [...set, part]]), [[]])
}

// The journal

interface Posted {
  readonly seller: string
  readonly user: number
  readonly lines: readonly (readonly [account: string, amount: bigint])[]
}

/** Entries with and without a number. */
const entriesIn = (items: readonly Item[]): Posted[] =>
  items.flatMap((item) => {
    const [kind = '', seller = ''] = String(item['PK']).split('#')
    if (kind === 'UNPOSTED') {
      const { lines } = JSON.parse(String(item['row']))
      return [
        {
          seller,
          user: Number(item['user_id']),
          lines: lines.map(([of, , by]: string[]) => [of, exact(by)]),
        },
      ]
    }
    if (kind !== 'JOURNAL') return []
    const { lines, user_id } = JSON.parse(String(item['row']))
    const amounts = lines.map((line: { of: string; exact: string }) => [line.of, exact(line.exact)])
    return [{ seller, user: user_id, lines: amounts }]
  })

/** Each cent that a conversion into dollars rounds. */
const ROUNDED = exact('0.02')

/** Debits are credits, and the receivables of a customer are what he owes. */
function journalIsLedger(seen: SeenTable): string[] {
  const entries = entriesIn(seen.items)
  const wrong = entries
    .filter(({ lines }) => total(lines.map(([, amount]) => amount)) !== 0n)
    .map(
      ({ user, lines }) =>
        `an entry of ${user} is not balanced: ${lines.map(([of, by]) => `${of} ${euros(by)}`)}`,
    )
  const figures = figuresOf(seen)
  const parts = seen.payments.filter(({ currency }) => currency === 'USD').flatMap(partsIn).length
  for (const [name, some] of Map.groupBy(entries, ({ user, seller }) => `${user} ${seller}`)) {
    const receivable = total(
      some.flatMap(({ lines }) => lines.filter(([of]) => of === 'receivables').map(([, by]) => by)),
    )
    const dollars = figures.get(`${name} USD`)?.owed ?? 0n
    const owed = (figures.get(`${name} EUR`)?.owed ?? 0n) + (dollars * 4n) / 5n
    if (!isNear(receivable, owed, ROUNDED * BigInt(parts)))
      wrong.push(`the receivables of ${name} are ${euros(receivable)}, it owes ${euros(owed)}`)
  }
  return wrong
}

/** The entries of a month are numbered from 1. */
function entriesAreNumbered({ items }: SeenTable): string[] {
  const entries = items.filter(({ PK }) => String(PK).startsWith('JOURNAL#'))
  return [...Map.groupBy(entries, ({ PK }) => String(PK))].flatMap(([month, some]) => {
    const numbers = some.map(({ SK }) => Number(SK)).sort((one, other) => one - other)
    return numbers.every((number, index) => number === index + 1)
      ? []
      : [`the numbers of ${month} are ${numbers}`]
  })
}

const journalDigest = (entries: readonly Item[]): string => {
  const rows = entries.map(({ SK, row }) => [SK, row])
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
}

/** The journal of a closed month never changes: no entry comes, and those that were seen stay. */
function closedMonthsStay({ items, scene: { book, outside } }: SeenTable): string[] {
  const changed = items
    .filter(({ PK }) => String(PK).startsWith('JOURNALCLOSED#'))
    .flatMap(({ PK, till }) => {
      const seller = String(PK).split('#')[1]
      return monthsUntil(String(till), outside.now).flatMap((month) => {
        const name = `${seller}#${month}`
        const digest = journalDigest(items.filter((item) => item['PK'] === `JOURNAL#${name}`))
        const known = book.closed.get(name) ?? digest
        book.closed.set(name, known)
        return known === digest ? [] : [`the closed journal of ${name} has changed`]
      })
    })
  return [...book.postedLate, ...changed]
}

/** A payment keeps its seller, and a refund has that of its payment. */
function sellersStay({ payments, scene: { book } }: SeenTable): string[] {
  const byId = new Map(payments.map((one) => [one.id, one.owner_id]))
  return payments.flatMap(({ id, owner_id, refunds, takes_back }) => {
    const known = book.sellers.get(id) ?? byId.get(refunds ?? takes_back ?? id) ?? owner_id
    book.sellers.set(id, owner_id)
    return known === owner_id ? [] : [`the payment ${id} is one of ${owner_id}, and was one of ${known}`]
  })
}

function monthsUntil(till: string, now: number): string[] {
  const months = new Set<string>()
  for (let at = Date.parse(SIMULATED_FROM); at <= now; at += 20 * 86_400_000)
    months.add(new Date(at).toISOString().slice(0, 7))
  return [...months].filter((month) => month <= till)
}

export const LEDGER_INVARIANTS: Readonly<Record<string, Invariant>> = {
  ledger: ledgerIsEntries,
  allocations: nothingIsLeftToAllocate,
  'prepaid invoices': prepaidInvoicesTake,
  'paid nets': paymentsBookNets,
  overpaid: invoicesAreNotOverpaid,
  booked: paymentsAreBooked,
  sellers: sellersStay,
  journal: journalIsLedger,
  'numbers of entries': entriesAreNumbered,
  'closed months': closedMonthsStay,
}
