import { createHmac } from 'node:crypto'
import type { APIGatewayProxyResult } from 'aws-lambda'
import { type BankEntry, numbered } from '#lib/billing/bank/bank-row.ts'
import { bookBankRows, type RowsBooked } from '#lib/billing/bank/book-rows.ts'
import { previewBankFile } from '#lib/billing/bank/preview.ts'
import type { BankFile } from '#lib/billing/bank/read-bank-file.ts'
import { listInvoices } from '#lib/billing/invoice.ts'
import { openAmount } from '#lib/billing/invoice-payment.ts'
import { stripeEndpoint } from '#lib/ingest/http/stripe-endpoint.ts'
import { aContext, anEvent } from '#test/event.ts'
import { exact } from '#test/plain-sums.ts'
import { contextAt } from '#tools/command-line/act-commands.ts'
import { type Acts, carries, type Deed, doneOf, type Simulated } from '../actors.ts'
import type { CardPayment, StripeTold } from '../book.ts'
import { BOB, DAVE, SIMULATED_SETTINGS } from '../dataset.ts'
import type { Invariant, SeenTable } from '../seen.ts'

// Money comes by a bank, whose statement is booked again and again, and by cards, of which Stripe tells in
// any order, until it is answered.

const dayOf = ({ outside }: Simulated): string => new Date(outside.now).toISOString().slice(0, 10)

// A bank

/** One of Bob's or Dave's invoices is paid, wholly or not; some movements nobody knows. */
async function statementOf(scene: Simulated, seller: 'admin' | 'rick'): Promise<BankEntry[]> {
  const { draws, installation, book } = scene
  const user = seller === 'rick' ? DAVE : BOB
  const all = (await Array.fromAsync(listInvoices(installation.store(), { user }))).flat()
  return Array.from({ length: 1 + draws.below(3) }, () => {
    const [one, other] = all.length > 0 ? [draws.one(all), draws.one(all)] : []
    const open = one ? openAmount(one) : '0'
    const amount = Number(open) > 0 && draws.onceIn(2) ? open : `${1 + draws.below(20)}.1`
    return {
      ...{ account: 'DE00', day: dayOf(scene), amount, currency: 'EUR', isCredit: true, isReturn: false },
      ...{ payer: 'somebody', payerAccount: `DE0${user}`, references: [], statement: 0 },
      ...{ text: `${one?.number ?? 'unknown'} ${draws.onceIn(3) ? other?.number : ''}` },
      ids: [`E${book.next++}`],
    }
  })
}

const fileOf = (entries: readonly BankEntry[]): BankFile => ({
  ...{ format: 'CSV', questions: [], profile: {} },
  rows: () =>
    numbered(
      (async function* () {
        yield* entries
      })(),
    ),
})

/** A statement is previewed and booked, at times by two people at once, and often again. */
export const booksStatement: Acts = (scene) => {
  const { draws, book, installation } = scene
  const seller = draws.one(['admin', 'rick'] as const)
  const known = book.statements.filter((one) => one.seller === seller)
  const again = known.length > 0 && draws.onceIn(2) ? draws.one(known) : undefined
  const people = draws.onceIn(3) ? 2 : 1
  return {
    who: seller,
    what: again ? 'books a statement again' : 'books a new statement',
    work: async () => {
      const entries = again?.entries ?? (await statementOf(scene, seller))
      if (!again) book.statements.push({ seller, entries })
      const books = async () => {
        const store = installation.store()
        const context = await contextAt(store, { as: seller, now: new Date() })
        const { rows, agreed } = await previewBankFile(context, fileOf(entries), [])
        const { answer } = await carries(scene, bookBankRows(rows), seller, { agreed }, store)
        return { rows, answer: answer as RowsBooked }
      }
      for (const { rows, answer } of await Promise.all(Array.from({ length: people }, books))) {
        const refused = answer.refused.map(({ place }) => place)
        const paid = rows.filter(
          ({ row, proposal }) => proposal.does === 'pay' && !refused.includes(row.place),
        )
        for (const { row } of paid) book.bankRows.set(row.id, row.amount)
      }
    },
  }
}

/** Each row of a bank's statement is one payment. */
function rowsAreBookedOnce({ payments, scene: { book } }: SeenTable): string[] {
  const byRow = Map.groupBy(
    payments.filter(({ bank_row }) => bank_row !== ''),
    ({ owner_id, bank_row }) => `${owner_id} ${bank_row}`,
  )
  const rows = new Map(payments.map((one) => [one.bank_row, one]))
  return [
    ...[...byRow].flatMap(([row, some]) =>
      some.length === 1 ? [] : [`the row ${row} of a bank is ${some.length} payments`],
    ),
    ...[...book.bankRows].flatMap(([row, amount]) =>
      exact(rows.get(row)?.amount) === exact(amount)
        ? []
        : [`the row ${row} of a bank is booked as ${rows.get(row)?.amount}, not ${amount}`],
    ),
  ]
}

// Cards

/** Bob pays an invoice by card. */
async function newSession(scene: Simulated): Promise<StripeTold | undefined> {
  const { draws, installation, book } = scene
  const all = (await Array.fromAsync(listInvoices(installation.store(), { user: BOB }))).flat()
  const invoice = all[draws.below(all.length)]
  if (!invoice) return undefined
  const of = {
    intent: `pi_${book.next++}`,
    amount: 100 + draws.below(900),
    refunded: 0,
    told: 0,
    isPaid: false,
  }
  book.cards.push(of)
  const session = {
    payment_status: 'paid',
    amount_total: of.amount,
    metadata: { tollgate_invoice: `${invoice.id}` },
  }
  return { of, refunded: 0, body: eventOf(scene, 'checkout.session.completed', of, session) }
}

function eventOf(
  { outside, book }: Simulated,
  type: string,
  { intent }: CardPayment,
  object: object,
): string {
  const created = Math.floor(outside.now / 1000)
  const about = { payment_intent: intent, currency: 'eur', ...object }
  return JSON.stringify({ id: `evt_${book.next++}`, type, created, data: { object: about } })
}

/** The sum of the refunds of a charge rises with each event. */
function newRefund(scene: Simulated, of: CardPayment): StripeTold | undefined {
  const left = of.amount - of.refunded
  if (left < 2 || of.dispute !== undefined) return undefined
  of.refunded += 1 + scene.draws.below(left - 1)
  const charge = { amount_refunded: of.refunded, metadata: { tollgate_invoice: '1' } }
  return { of, refunded: of.refunded, body: eventOf(scene, 'charge.refunded', of, charge) }
}

/** A dispute takes all of a payment away, and gives it back if it is won: Stripe tells each by two events. */
function newDispute(scene: Simulated, of: CardPayment): StripeTold[] {
  const { draws, book } = scene
  if (!of.isPaid || of.refunded > 0 || of.dispute !== undefined) return []
  of.dispute = `dp_${book.next++}`
  const tells = (type: string, status: string, isWon = false): StripeTold => {
    const body = eventOf(scene, `charge.dispute.${type}`, of, { id: of.dispute, amount: of.amount, status })
    return { of, refunded: of.amount, isWon, body }
  }
  const begins = ['created', 'funds_withdrawn'].map((type) => tells(type, 'needs_response'))
  if (draws.onceIn(3)) return [...begins, tells('closed', 'lost')]
  return [...begins, tells('closed', 'won', true), tells('funds_reinstated', 'won', true)]
}

export const cardsPay: Acts = (scene) => {
  const { draws, book } = scene
  const known = book.cards[draws.below(book.cards.length)]
  if (known && draws.onceIn(3)) book.stripe.push(...newDispute(scene, known))
  const refund = known && draws.onceIn(2) ? newRefund(scene, known) : undefined
  return {
    who: 'stripe',
    what: refund ? `has refunded ${refund.refunded} of ${refund.of.intent}` : 'has a new payment',
    work: async () => refund ?? newSession(scene),
    ended: (ending) => {
      const told = doneOf<StripeTold>(ending)
      if (told) book.stripe.push(told)
    },
  }
}

const SECRET = SIMULATED_SETTINGS.Stripe_Webhook_Secret

/** Stripe tells each event until it is answered, at times twice at once, in any order. */
export const stripeTells: Acts = (scene) => {
  const { draws, book } = scene
  const told = book.stripe[draws.below(book.stripe.length)]
  if (!told) return undefined
  return tellingOf(scene, told, draws.onceIn(4) ? 2 : 1)
}

function tellingOf(scene: Simulated, told: StripeTold, times: number): Deed {
  const { book, installation, outside, draws } = scene
  const { of, body, refunded, isWon } = told
  const at = Math.floor(outside.now / 1000)
  const signature = `t=${at},v1=${createHmac('sha256', SECRET).update(`${at}.${body}`).digest('hex')}`
  const event = anEvent({ path: '/stripe', body, headers: { 'Stripe-Signature': signature } })
  const post = () => stripeEndpoint(installation.services)(event, aContext(30_000))
  return {
    who: 'stripe',
    what: `tells ${JSON.parse(body).type} of ${of.intent}`,
    work: () => Promise.all(Array.from({ length: times }, post)),
    ended: (ending) => {
      const answers = doneOf<APIGatewayProxyResult[]>(ending) ?? []
      if (!answers.some(({ statusCode }) => statusCode === 200)) return
      of.isPaid ||= refunded === 0
      of.told = Math.max(of.told, refunded)
      of.isWon ||= isWon ?? false
      if (!draws.onceIn(4)) book.stripe.splice(book.stripe.indexOf(told), Number(book.stripe.includes(told)))
    },
  }
}

/** A payment by card is booked once, and all that was refunded or disputed is what Stripe has told. */
function cardsAreBookedOnce({ payments, scene: { book } }: SeenTable): string[] {
  const pending = new Set(book.stripe.map(({ of }) => of))
  return book.cards.flatMap((card) => {
    const { intent, amount, told, isPaid } = card
    const booked = payments.filter(({ transaction_id }) => transaction_id === intent)
    const ids = booked.map(({ id }) => id)
    const cents = centsOf(payments.filter(({ refunds: of }) => of !== undefined && ids.includes(of)))
    const isBooked = booked.length === 1 && centsOf(booked) === -amount
    return [
      ...(isBooked || (booked.length === 0 && !isPaid)
        ? []
        : [`${intent} of ${amount} cents is booked as ${booked.map((one) => one.amount)}`]),
      ...(cents === told || (cents > told && pending.has(card))
        ? []
        : [`${told} cents of ${intent} are refunded, and ${cents} booked`]),
      ...givenBackWrongly(card, payments),
    ]
  })
}

const centsOf = (rows: readonly { readonly amount: string }[]): number =>
  rows.reduce((sum, one) => sum - Math.round(Number(one.amount) * 100), 0)

/** A dispute that is won gives the money back once. */
function givenBackWrongly(
  { dispute, isWon = false }: CardPayment,
  payments: SeenTable['payments'],
): string[] {
  const back = payments.filter((one) => one.transaction_id === dispute && one.refunds === undefined)
  return back.length === 1 || (back.length === 0 && !isWon)
    ? []
    : [`the dispute ${dispute} gives back ${back.map((one) => one.amount)}`]
}

export const PAYERS_INVARIANTS: Readonly<Record<string, Invariant>> = {
  'bank rows': rowsAreBookedOnce,
  cards: cardsAreBookedOnce,
}
