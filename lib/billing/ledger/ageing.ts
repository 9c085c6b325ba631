import { type Day, dayOf, LAST_DAY } from '#lib/base/calendar.ts'
import { add, isLessThan, isPositive, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { CreditNote } from '../credit-note.ts'
import { daysLate, type Invoice } from '../invoice.ts'
import { closingsOf, grossOf, openAmount } from '../invoice-payment.ts'
import { keptParts, type Payment } from '../payment.ts'
import { type Allocation, allPartsIn } from './allocation.ts'
import { createLedger, type LedgerFigures } from './ledger-figures.ts'
import { type LedgerDocument, ledgerDocuments } from './movements.ts'

/** The ages of open amounts, with their maximum days after the due day. */
export const AGES = [
  ['not_due', 0],
  ['1_30', 30],
  ['31_60', 60],
  ['61_90', 90],
  ['over_90', Number.POSITIVE_INFINITY],
] as const

type Age = (typeof AGES)[number][0]

/** The debts of an account on a day in a currency, with VAT. Owed is the sum of all ages, less unassigned. */
export interface Ageing extends LedgerFigures {
  readonly user_id: number
  readonly ages: Readonly<Record<Age, Money>>
}

const NO_AGES: Ageing['ages'] = { not_due: ZERO, '1_30': ZERO, '31_60': ZERO, '61_90': ZERO, over_90: ZERO }

function ageOn(day: Day, invoice: Invoice): Age {
  const days = daysLate(invoice, day)
  return AGES.find(([, most]) => days <= most)?.[0] ?? 'over_90'
}

/**
 * The ledger of a day, by account and currency: later documents, allocations and releases do not count. What
 * was imported as paid counts as it does today. Accounts without debts are missing. Memory has the sums of
 * all accounts, and later documents. `undefined` for more than `most` documents.
 */
export async function ageingOn(
  store: Store,
  settings: Pick<Settings, 'Timezone' | 'Default_Currency'>,
  scope: LimitedScope,
  { day, most = Number.POSITIVE_INFINITY }: { readonly day: Day; readonly most?: number },
): Promise<Ageing[] | undefined> {
  const later = createLater(day, settings.Timezone)
  const accounts = new Map<string, AccountOnDay>()
  const accountOf = (user_id: number, written: string): AccountOnDay => {
    const currency = written || settings.Default_Currency
    const name = `${user_id} ${currency}`
    const known = accounts.get(name) ?? { user_id, currency, ledger: createLedger(), ages: { ...NO_AGES } }
    accounts.set(name, known)
    return known
  }
  const countOpen = (invoice: Invoice): void => {
    const { ledger, ages } = accountOf(invoice.user_id, invoice.currency)
    const open = later.openOf(invoice)
    const age = ageOn(day, invoice)
    ledger.add('', { owed: ZERO, open })
    ages[age] = add(ages[age], open)
  }
  let count = 0
  for await (const page of ledgerDocuments(store, scope, settings)) {
    count += page.length
    if (count > most) return undefined
    for (const one of page) {
      const counted = one.movements.filter((movement) => movement.day <= day)
      for (const { currency, owed } of counted)
        accountOf(one.user_id, currency).ledger.add('', { owed, open: ZERO })
      later.add(one)
      if (one.invoice && counted.length > 0) countOpen(one.invoice)
    }
  }
  return [...accounts.values()].flatMap(({ user_id, currency, ledger, ages }) =>
    ledger
      .figures()
      .filter(({ owed, open }) => !isZero(owed) || !isZero(open))
      .map((figures) => ({ ...figures, user_id, currency, ages })),
  )
}

interface AccountOnDay {
  readonly user_id: number
  readonly currency: string
  readonly ledger: ReturnType<typeof createLedger>
  readonly ages: Record<Age, Money>
}

/** The changes of open amounts of invoices after a day. */
function createLater(day: Day, zone: string) {
  /** By the id of the invoice. */
  const paid = new Map<number, Money>()
  const credited = new Map<string, CreditNote[]>()
  /** The payments that were taken back, by their ids. */
  const undone = new Map<number, Payment>()
  const pay = (id: number, amount: Money) => paid.set(id, add(paid.get(id) ?? ZERO, amount))

  const wasPaying = (since: Day, released: Day): boolean => since <= day && released > day

  /** The parts that pay now and did not on the day, and the opposite. No part is older than its document. */
  const addParts = (parts: readonly Allocation[], first: Day, takenBack = LAST_DAY): void => {
    for (const { id, amount, day: own, released = takenBack } of parts.filter(({ to }) => to === 'invoice')) {
      const was = wasPaying(own > first ? own : first, released)
      if (was !== (released === LAST_DAY)) pay(id, was ? subtract(ZERO, amount) : amount)
    }
  }

  const addPayment = (payment: Payment): void => {
    const [before, first] = [undone.get(payment.takes_back ?? 0), dayOf(payment.date, zone)]
    if (payment.taken_back_by !== undefined) undone.set(payment.id, payment)
    else addParts(keptParts(payment), first)
    if (before) addParts(keptParts(before), dayOf(before.date, zone), first)
  }

  const addNote = (note: CreditNote): void => {
    const name = `${note.user_id} ${note.invoices}`
    addParts(allPartsIn(note.allocations), note.issue_date)
    if (note.issue_date > day) credited.set(name, [...(credited.get(name) ?? []), note])
  }

  return {
    add: ({ payment, note, adjustment }: LedgerDocument): void => {
      if (payment?.completed) addPayment(payment)
      if (note) addNote(note)
      if (adjustment?.written_off !== undefined && dayOf(adjustment.date, zone) > day)
        pay(adjustment.written_off, adjustment.gross ?? ZERO)
    },
    openOf: (invoice: Invoice): Money => {
      const notes = credited.get(`${invoice.user_id} ${invoice.number}`) ?? []
      const inPart = notes.filter(({ number }) => number !== invoice.credited_by)
      const back = add(paid.get(invoice.id) ?? ZERO, ...inPart.map(grossOf))
      const open = add(openAmount(invoice), back)
      if (notes.length === 0 && isZero(back)) return open
      const closed = closingsOf(invoice).filter((one) => one.day <= day)
      const left = subtract(grossOf(invoice), add(ZERO, ...closed.map(({ amount }) => amount)))
      const most = add(subtract(subtract(left, invoice.paid_amount), invoice.credited), back)
      const isWhole = notes.length > inPart.length
      const then = isWhole || isLessThan(most, open) ? most : open
      return isPositive(then) ? then : ZERO
    },
  }
}
