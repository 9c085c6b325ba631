import { accountIn } from '#lib/api/loads.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { idParam, timestamp, wordParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { addDays, type Days, dayOf, periodOfDay, today } from '#lib/base/calendar.ts'
import { niceDigits } from '#lib/base/money.ts'
import { documentScope, type LimitedScope } from '#lib/base/scope.ts'
import { type CreditNote, listCreditNotes } from '#lib/billing/credit-note.ts'
import { type Invoice, listInvoices } from '#lib/billing/invoice.ts'
import { listPayments, type Payment } from '#lib/billing/payment.ts'
import {
  createStatementTotals,
  inDefaultCurrency,
  isStatementPrinted,
  type Statement,
  type StatementRow,
  withoutRate,
} from '#lib/billing/statement.ts'
import { exchangeRatesOf } from '#lib/rates/currency.ts'
import { type Element, element, withAttributes } from '#lib/xml/element.ts'

const contract = defineContract({
  name: 'financial_statements_get',
  aliases: ['financial_statements'],
  summary: 'The number and the totals of invoices, credit notes and completed payments, by status.',
  callers: { allowed: ACCOUNT_TYPES, anonymous: 'Bad login' },
  params: {
    user_id: idParam,
    status: wordParam('paid', 'unpaid', 'all'),
    date_from: timestamp,
    date_till: timestamp,
  },
  hashOrders: [{ signs: ['user_id', 'status', 'date_from', 'date_till'] }],
  errors: { foreign: 'Dont_be_so_smart' },
  envelope: 'page',
  access: 'read',
  loads: { account: accountIn('user_id') },
})

type StatementsRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const { params, settings, refuse } = request
  const scope = documentScope(request.caller, params.user_id, request.loaded.account)
  if (!scope) throw refuse('foreign')
  const totals = await sumUpDocuments(request, scope)
  const rows = totals.rows(params.status === 'all' ? undefined : params.status)
  const rates = await findExchangeRates(request, rows)
  const statements = rows.map((row) => inDefaultCurrency(row, rates, niceDigits(settings)))

  return withAttributes(
    { currency: settings.Default_Currency },
    element('financial_statement', statements.filter(isStatementPrinted).map(statementElement)),
  )
})

export const handler = lambda(method)

/** Sums up the documents of the requested days without keeping them in memory. */
async function sumUpDocuments(request: StatementsRequest, scope: LimitedScope) {
  const { store, settings } = request
  const days = daysOf(request)
  const totals = createStatementTotals()
  await Promise.all([
    forEach(listInvoices(store, scope, days), (invoice) =>
      totals.count('invoices', invoice.status, amountsOf(invoice)),
    ),
    forEach(listCreditNotes(store, scope, days), (note) =>
      totals.count('credit_notes', note.pay_date === undefined ? 'unpaid' : 'paid', amountsOf(note)),
    ),
    forEach(listPayments(store, scope, periodOf(days, settings.Timezone)), (payment) => {
      if (payment.completed) totals.count('payments', 'paid', amountsOfPayment(payment))
    }),
  ])
  return totals
}

async function forEach<T>(batches: AsyncIterable<readonly T[]>, count: (one: T) => void): Promise<void> {
  for await (const batch of batches) for (const one of batch) count(one)
}

const amountsOf = ({ id, currency, exchange_rate, price, price_with_vat = price }: Invoice | CreditNote) => ({
  id,
  currency,
  exchange_rate,
  price,
  price_with_vat,
})

/** The amount that a payment books instead of its own is not a conversion of it. */
const amountsOfPayment = ({ amount, amount_with_vat = amount, booked, net, ...payment }: Payment) => ({
  ...payment,
  price: amount,
  price_with_vat: amount_with_vat,
  booked: net === undefined ? booked : undefined,
})

/** The requested days; today and tomorrow by default. */
function daysOf({ params, clock, settings: { Timezone: zone } }: StatementsRequest): Days {
  const day = today(clock(), zone)
  return {
    from: params.date_from === undefined ? day : dayOf(params.date_from, zone),
    till: params.date_till === undefined ? addDays(day, 1) : dayOf(params.date_till, zone),
  }
}

const periodOf = ({ from, till }: Days, zone: string) => ({
  from: periodOfDay(from, zone).from,
  till: periodOfDay(till, zone).till,
})

/** Documents without an exchange rate are in no sum: they are logged, and infra/logs.yml counts them. */
async function findExchangeRates({ store, settings, log }: StatementsRequest, rows: readonly StatementRow[]) {
  const currencies = new Set(rows.flatMap(({ byCurrency }) => [...byCurrency.keys()]))
  const rates = await exchangeRatesOf(store, currencies, settings.Default_Currency)
  const without_rate = withoutRate(rows, rates)
  const documents_left_out = without_rate.reduce((sum, { count }) => sum + count, 0)
  if (documents_left_out > 0) log({ method: contract.name, documents_left_out, without_rate })
  return rates
}

const statementElement = ({ type, status, count, price, price_with_vat }: Statement): Element =>
  withAttributes(
    { type },
    element(
      'statement',
      element('status', status),
      element('count', count),
      element('price', price),
      element('price_with_vat', price_with_vat),
    ),
  )
