import { accountNames } from '#lib/accounts/account.ts'
import { accountIn } from '#lib/api/loads.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { idParam, textParam, timestamp, wordParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { formatDateTime, type Period, periodOrToday } from '#lib/base/calendar.ts'
import { fixed, niceDigits } from '#lib/base/money.ts'
import { documentScope, type LimitedScope, ownScope } from '#lib/base/scope.ts'
import { listPayments, type Payment } from '#lib/billing/payment.ts'
import { rowStream } from '#lib/xml/batches.ts'
import { element } from '#lib/xml/element.ts'
import { rowWriter } from '#lib/xml/row-writer.ts'

const contract = defineContract({
  name: 'payments_get',
  aliases: ['payments_list'],
  summary: 'The payments of a period, by date, of one customer or of all in scope.',
  callers: { allowed: ACCOUNT_TYPES, anonymous: 'Bad login' },
  params: {
    s_user_id: idParam,
    s_from: timestamp,
    s_till: timestamp,
    s_completed: wordParam('1', '0'),
    s_paymenttype: textParam,
    s_currency: textParam,
  },
  hashOrders: [{ signs: ['s_user_id', 's_from', 's_till', 's_completed', 's_paymenttype', 's_currency'] }],
  errors: { foreign: 'Dont_be_so_smart' },
  envelope: 'status',
  access: 'read',
  streams: true,
  loads: { account: accountIn('s_user_id') },
})

type PaymentsRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const scope = scopeOf(request)
  if (!scope) throw request.refuse('foreign')

  const payments = listPayments(request.store, scope, periodOf(request))
  const matchesFilter = filterOf(request)
  const toRows = paymentRows(request)
  return [
    element('pagename', 'Payments_list'),
    element(
      'payments',
      rowStream(payments, (batch) => toRows(batch.filter(matchesFilter))),
    ),
  ]
})

export const handler = lambda(method)

/** The own id of a reseller or partner means all of its customers (wire.md payments_get). */
function scopeOf({ caller, params, loaded }: PaymentsRequest): LimitedScope | undefined {
  const ownsCustomers = caller.usertype === 'reseller' || caller.usertype === 'partner'
  const namesItself = ownsCustomers && params.s_user_id === caller.id
  if (namesItself) return ownScope(caller)
  return documentScope(caller, params.s_user_id, loaded.account)
}

const periodOf = ({ params, clock, settings: { Timezone } }: PaymentsRequest): Period =>
  periodOrToday({ from: params.s_from, till: params.s_till }, clock(), Timezone)

/** Compares types in any case, currencies exactly. A blank filter is ignored (4.6, payments_get). */
function filterOf({ params, settings }: PaymentsRequest): (payment: Payment) => boolean {
  const type = params.s_paymenttype?.trim().toLowerCase()
  const currency = params.s_currency?.trim()
  return (payment) =>
    (params.s_completed === undefined || payment.completed === (params.s_completed === '1')) &&
    (!type || payment.type.toLowerCase() === type) &&
    (!currency || (payment.currency || settings.Default_Currency) === currency)
}

const writePayments = rowWriter('payment', [
  'user',
  'transaction_id',
  'date',
  'confirm_date',
  'type',
  'amount',
  'fee',
  'currency',
  'completed',
  'comments_for_user',
])

function paymentRows({ store, settings }: PaymentsRequest) {
  const { Timezone: zone, Default_Currency } = settings
  const digits = niceDigits(settings)
  const names = accountNames(store)
  return async (payments: readonly Payment[]) => {
    const users = await names(payments.map(({ user_id }) => user_id))
    return writePayments(
      payments.map((payment) => ({
        ...payment,
        user: users.get(payment.user_id),
        date: formatDateTime(payment.date, zone),
        confirm_date: payment.confirm_date === undefined ? '' : formatDateTime(payment.confirm_date, zone),
        type: payment.type.charAt(0).toUpperCase() + payment.type.slice(1),
        amount: fixed(payment.amount, digits),
        fee: fixed(payment.fee, digits),
        currency: payment.currency || Default_Currency,
        completed: payment.completed ? 'Completed' : `No (${payment.pending_reason})`,
      })),
    )
  }
}
