import { expect } from 'vitest'
import { ALL_TIME, addDays, type Day, today } from '#lib/base/calendar.ts'
import { multiply, round } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { chargeEveryone } from '#lib/billing/charges/charge-run.ts'
import { listInvoices } from '#lib/billing/invoice.ts'
import { grossOf, openAmount } from '#lib/billing/invoice-payment.ts'
import { payments } from '#lib/billing/payment.ts'
import { assignPayment } from '#lib/billing/payments/assign-payment.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import { isChange, openRerater, storeRerated } from '#lib/calls/rating/rerating.ts'
import { type BilledCustomer, billMonth } from '#lib/invoicing/bill-month.ts'
import { chargesToIssue, chargesToPreview } from '#lib/invoicing/charges-of.ts'
import { addMonths, lastMonthBefore, type Month } from '#lib/invoicing/month.ts'
import { billedAccounts, openMonth } from '#lib/invoicing/month-customers.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore, type Store } from '#lib/table/store.ts'
import { rate } from '#test/examples/tariffs.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { aFailingClient, type MishapName } from '#test/faults/faulty-endpoint.ts'
import { aBilledWorld, aCall } from '#test/invoicing/a-month.ts'
import type { World } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { addCreditNote } from '#tools/commands/credit-notes/credit-notes.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { aChargeModel, type ChargeModel, noteTerms } from './charge-model.ts'
import { type BillingStep, DRAWN_CUSTOMERS, dataset, FIRST_DAY, OWNERS } from './history-steps.ts'

// The world that steps change

type Cells = Record<string, string>

/** What a history has made so far, after the invoices of May. */
export interface BillingHistory {
  readonly world: World
  readonly calls: Cells[]
  readonly subscriptions: Cells[]
  /** The ids of payments. */
  readonly payments: number[]
  /** The charges by their formulas, if charges are made after each step, as the hourly function does. */
  readonly model: ChargeModel | undefined
  /** Refusals of commands, which are in order. */
  readonly refusals: string[]
}

export async function aHistory(isHourly = false): Promise<BillingHistory> {
  const world = await aBilledWorld(dataset, { Charges_From: FIRST_DAY, Timezone: 'UTC' })
  world.now = new Date('2026-06-10T08:00:00Z')
  const calls = DRAWN_CUSTOMERS.map(({ id }) =>
    aCall(id, '2026-05-03 10:00:00', `${id}.1234`, {
      uniqueid: `first-${id}`,
      reseller_price: id === 20 ? '3.21' : '',
    }),
  )
  await world.given({ calls })
  for (const owner of OWNERS) await issueMonthOf(world, { month: '2026-05', owner })
  const model = isHourly ? aChargeModel() : undefined
  return { world, calls, subscriptions: [], payments: [], model, refusals: [] }
}

const chosen = <T>(from: readonly T[], which: number): T | undefined => from[which % Math.max(1, from.length)]

/** The owner of a customer acts for it. */
const act = ({ now }: World, owner = 0) => ({ as: `u${owner}`, now })

const dayBefore = ({ now }: World, back: number): Day => addDays(today(now, 'UTC'), -back)

/** Carries out a step. A command may refuse it, such as a payment of an invoice that was credited. */
export async function playStep(history: BillingHistory, step: BillingStep): Promise<void> {
  const { world } = history
  world.now = new Date(world.now.getTime() + 1000)
  await doStep(history, step).catch((error: unknown) => {
    if (!(error instanceof CommandError || error instanceof Refusal)) throw error
    history.refusals.push(error.message)
  })
  if (!history.model) return
  await charge(world)
  noteTerms(history.model, history.subscriptions, today(world.now, 'UTC'))
}

function doStep(history: BillingHistory, step: BillingStep): Promise<unknown> {
  const { world } = history
  switch (step.step) {
    case 'time':
      world.now = new Date(world.now.getTime() + step.days * 86_400_000)
      return Promise.resolve()
    case 'call':
      return storeCall(history, step)
    case 'correct': {
      const call = chosen(history.calls, step.which)
      if (!call) return Promise.resolve()
      return world.given({
        calls: [
          {
            ...call,
            user_price: step.price,
            billsec: String(step.seconds),
            disposition: answered(step.isAnswered),
          },
        ],
      })
    }
    case 'rerate':
      return rerateAll(world, step.price)
    case 'subscribe':
      return subscribe(history, step)
    case 'end':
      return changeSubscription(history, step.which, { till: `${dayBefore(world, step.back)} 23:59:59` })
    case 'change':
      return changeSubscription(history, step.which, { quantity: String(step.quantity) }, step.price)
    case 'charge':
      return charge(world)
    case 'issue':
      return issueAmidMishaps(history, step)
    case 'credit':
      return credit(history, step)
    case 'pay':
      return pay(history, step)
    case 'takeBack':
      return takeBack(history, chosen(history.payments, step.which))
  }
}

async function takeBack({ world }: BillingHistory, id: number | undefined): Promise<void> {
  const payment = id === undefined ? undefined : await payments.find(world.store, id)
  if (!payment) return
  const given = { payment: String(id), why: 'Returned' }
  await carryOutAs(world.store, takeBackPayment, act(world, payment.owner_id), given)
}

// Calls

const answered = (isAnswered: boolean) => (isAnswered ? 'ANSWERED' : 'NO ANSWER')

type Of<K extends BillingStep['step']> = Extract<BillingStep, { step: K }>

async function storeCall(history: BillingHistory, step: Of<'call'>): Promise<void> {
  const { world, calls } = history
  const day = dayBefore(world, step.back)
  const { id } = chosen(DRAWN_CUSTOMERS, step.who) ?? DRAWN_CUSTOMERS[0]
  if (day < FIRST_DAY) return
  const of20 = id === 20 && { reseller_price: round(multiply(step.price, '0.7'), 6) }
  const call = aCall(id, `${day} 07:00:${String(calls.length % 60).padStart(2, '0')}`, step.price, {
    uniqueid: `call-${calls.length}`,
    billsec: String(step.seconds),
    disposition: answered(step.isAnswered),
    dst: chosen(['4915123456', '442079460000', '861234567'], step.seconds) ?? '',
    ...of20,
  })
  const rated =
    step.isRated && id === 10 ? { ...call, user_price: '', dst: '4915123456', disposition: 'ANSWERED' } : call
  calls.push(rated)
  await world.given({ calls: [rated] })
}

/** Another price of the tariff, also for calls of invoiced days. */
async function rerateAll(world: World, tariff_rate: string): Promise<void> {
  const { store } = world
  await world.given({ rates: [rate({ prefix: '4915', tariff_rate })] })
  const rerate = await openRerater(store, { with: 'active', includeInvoiced: true, includePriced: false })
  const days = await listCallDays(store, ['everyone'], { from: FIRST_DAY, till: '2027-12-31' })
  for await (const some of listCalls(store, days, ALL_TIME))
    await storeRerated(store, rerate, (await rerate(some)).filter(isChange))
}

// Subscriptions

async function subscribe(history: BillingHistory, step: Of<'subscribe'>): Promise<void> {
  const { world, subscriptions } = history
  const { id, services } = chosen(DRAWN_CUSTOMERS, step.who) ?? DRAWN_CUSTOMERS[0]
  const row = {
    id: String(subscriptions.length + 1),
    user_id: String(id),
    service_id: String(chosen(services, step.which)),
    from: `${dayBefore(world, step.back)} 00:00:00`,
    quantity: String(step.quantity),
  }
  subscriptions.push(row)
  await world.given({ subscriptions: [row] })
}

async function changeSubscription(
  { world, subscriptions, model }: BillingHistory,
  which: number,
  cells: Cells,
  price?: string,
) {
  const row = chosen(subscriptions, which)
  if (!row) return
  if (cells['till'] !== undefined && cells['till'] < String(row['from'])) return
  Object.assign(row, cells)
  if (price !== undefined) model?.prices.set(String(row['service_id']), price)
  await world.given({
    ...(price !== undefined && {
      services: dataset.services
        .filter(({ id }) => id === row['service_id'])
        .map((one) => ({ ...one, price })),
    }),
    subscriptions: [row],
  })
}

async function charge(world: World): Promise<void> {
  const run = { store: world.store, settings: await settingsOf(world.store), now: world.now }
  for await (const _ of chargeEveryone(run));
}

// Months

export interface MonthOfOwner {
  readonly month: Month
  readonly owner: number
}

export async function bill(
  world: World,
  { month, owner }: MonthOfOwner,
  what: 'preview' | 'issue',
  store: Store = world.store,
): Promise<BilledCustomer[]> {
  const run = await openMonth(store, {
    month,
    owner_id: owner,
    now: world.now,
    suspended: new Map(),
    isDespiteSuspense: false,
    chargesOf: what === 'issue' ? chargesToIssue : chargesToPreview,
  })
  return Array.fromAsync(billMonth(run, billedAccounts(store, owner), what))
}

export const newestMonth = ({ now }: World): Month => lastMonthBefore(now, 'UTC')

async function issueAmidMishaps({ world }: BillingHistory, step: Of<'issue'>): Promise<void> {
  const wanted = { month: addMonths(newestMonth(world), 1 - step.back), owner: step.owner }
  if (wanted.month < FIRST_DAY.slice(0, 7)) return
  for (const [requests, mishap] of step.mishaps) await issueAmid(world, wanted, requests, mishap)
  await issueMonthOf(world, wanted, step.isTwice ? 2 : 1)
}

/** A run whose process dies when it has met a mishap that it does not survive: nothing of it continues. */
async function issueAmid(world: World, wanted: MonthOfOwner, requests: number, mishap: MishapName) {
  const client = await aFailingClient([...Array.from({ length: requests }, () => undefined), mishap])
  const sent: Promise<unknown>[] = []
  let isDead = false
  const mortal = aroundRequests(client, (_command, send) => {
    if (isDead) return Promise.reject(new Error('killed'))
    const answer = send()
    sent.push(answer)
    return answer
  })
  const store = createStore({ ...world.table, client: mortal, meter: createMeter() })
  await bill(world, wanted, 'issue', store).catch(() => {
    isDead = true
  })
  await Promise.allSettled(sent)
}

/** Previews the month and issues it by concurrent runs: the invoices bill what the preview shows. */
export async function issueMonthOf(world: World, wanted: MonthOfOwner, runs = 1): Promise<BilledCustomer[]> {
  const before = await world.dump()
  const previewed = await bill(world, wanted, 'preview')
  expect(await world.dump(), 'a preview writes nothing').toEqual(before)
  const all = await Promise.all(Array.from({ length: runs }, () => bill(world, wanted, 'issue')))
  const issued = (all[0] ?? []).map((one, place) => (one.outcome === 'done' ? (all[1]?.[place] ?? one) : one))
  for (const [place, one] of previewed.entries()) {
    const other = issued[place]
    const shown = JSON.stringify(seenOf(one))
    if (shown !== JSON.stringify(other && seenOf(other)))
      throw new Error(`the preview is ${shown}, the issue ${JSON.stringify(other && seenOf(other))}`)
  }
  return issued
}

const seenOf = ({ account, net, vat, gross, products, reason, currency }: BilledCustomer) => ({
  id: account.id,
  net,
  vat,
  gross,
  products,
  reason,
  currency,
})

// Credit notes and payments

const issuedInvoices = async ({ store }: World) =>
  (
    await Promise.all(
      OWNERS.map(async (owner) => (await Array.fromAsync(listInvoices(store, { owner }))).flat()),
    )
  ).flat()

async function credit({ world }: BillingHistory, step: Of<'credit'>): Promise<void> {
  const invoice = chosen(await issuedInvoices(world), step.which)
  if (!invoice) return
  const { number, price: net } = invoice
  const part = {
    whole: {},
    row: { rows: [1 + (step.part % Math.max(1, invoice.products.length))] },
    amount: {
      amount: round(
        multiply(net, `0.${String(step.part).padStart(2, '0')}`),
        invoice.currency === 'JPY' ? 0 : 2,
      ),
    },
  }[step.how]
  await addCreditNote(world.store, { invoice: number, why: 'drawn', ...part }, act(world))
}

async function pay(history: BillingHistory, step: Of<'pay'>): Promise<void> {
  const { world, payments } = history
  const invoice = chosen(await issuedInvoices(world), step.which)
  if (!invoice) return
  const open = openAmount(invoice)
  const digits = invoice.currency === 'JPY' ? 0 : 2
  const part = round(multiply(grossOf(invoice), `0.${String(step.part).padStart(2, '0')}`), digits)
  const amount = { exactly: open, part, more: String(Number(open) + step.part), later: open }[step.how]
  const customer = String(invoice.user_id)
  const paid = { customer, amount, currency: invoice.currency, type: 'bank', again: 'yes' }
  const names = step.how === 'later' ? {} : { invoice: invoice.number }
  const by = act(world, invoice.owner_id)
  const { answer } = await carryOutAs(world.store, recordPayment, by, { ...paid, ...names })
  const { id } = answer
  payments.push(id)
  if (step.how === 'later')
    await carryOutAs(world.store, assignPayment, by, {
      payment: String(id),
      invoice: invoice.number,
    })
}

/** Pays what is open of each invoice, exactly. */
export async function payEverything(world: World): Promise<void> {
  for (const invoice of await issuedInvoices(world)) {
    const amount = openAmount(invoice)
    if (Number(amount) === 0) continue
    world.now = new Date(world.now.getTime() + 1000)
    const paid = { customer: String(invoice.user_id), amount, invoice: invoice.number, again: 'yes' }
    await carryOutAs(world.store, recordPayment, act(world, invoice.owner_id), paid)
  }
}
