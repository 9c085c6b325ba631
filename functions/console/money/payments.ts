import type { Account } from '#lib/accounts/account.ts'
import { adjustmentAnswer, paymentAnswer } from '#lib/api/console/answers/billing.ts'
import { billedRowMaker, paymentRow } from '#lib/api/console/billed-rows.ts'
import { visibleCustomer } from '#lib/api/console/customer-scope.ts'
import { ConsoleRefusal, invalidValue, unknownThing } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, MANAGERS, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { amountValue, plainText, wholeNumber } from '#lib/api/console/values.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { isPositive, isZero, type Money } from '#lib/base/money.ts'
import { isOwnCustomer } from '#lib/base/scope.ts'
import { type Books, openBooks } from '#lib/billing/booking.ts'
import { recordAdjustment } from '#lib/billing/notifications/record-adjustment.ts'
import type { Payment } from '#lib/billing/payment.ts'
import { recordPayment } from '#lib/billing/payment-booking.ts'

const params = {
  customer: wholeNumber,
  amount: amountValue,
  currency: plainText,
  type: plainText,
  reference: plainText,
  comment: plainText,
  'idempotency-key': plainText,
}

type PaymentRequest = ConsoleRequest<typeof params>

export const resource = defineResource({
  name: 'payments',
  access: 'write',
  operations: [
    operation('POST', '/payments', {
      summary:
        'Records a completed payment of a customer, as of now; with an idempotency-key once, however often the request is repeated.',
      callers: MANAGERS,
      params,
      answer: paymentAnswer,
      run: async (request) => {
        const { store, settings, params, clock } = request
        const account = await payingCustomer(request)
        const amount = positive(params.amount)
        const currency = params.currency ?? ''
        const books = await booksWith(request, currency)
        const now = clock()
        const said = {
          user_id: account.id,
          amount,
          currency,
          date: secondsOf(now),
          type: params.type ?? 'cash',
          transaction_id: params.reference ?? '',
          comments_for_user: params.comment ?? '',
          completed: true,
        }
        const sum = `${amount} ${currency || settings.Default_Currency}`
        const logged = (id: number) =>
          request.logged({ action: `recorded payment ${id} of ${account.username}: ${sum}` })
        const idempotencyKey = params['idempotency-key']
        const payment = await recordPayment(store, account, { now, said, books, logged, idempotencyKey })
        refuseOther(payment, said)
        const unnamed = paymentRow(payment, settings)
        const toRow = await billedRowMaker(request, [unnamed])
        return { payment: toRow(unnamed) }
      },
    }),
    operation('POST', '/adjustments', {
      summary:
        'Adjusts the balance of a customer by an amount in the default currency, which may be below 0, for a reason that stands in the journal.',
      callers: ['admin', 'reseller', 'partner'],
      params: { customer: wholeNumber, amount: amountValue, why: plainText },
      answer: adjustmentAnswer,
      run: async (request) => {
        const { store, settings, params, clock, caller } = request
        const { amount, why } = params
        const account = await payingCustomer(request)
        if (settings.Balance_From === '')
          throw new ConsoleRefusal('conflict', 'No balances are kept: run npx tollgate balance open.')
        if (amount === undefined || isZero(amount))
          throw invalidValue('amount is missing or 0: it adds to the balance, or takes from it below 0.')
        if (why === undefined) throw invalidValue('why is missing: the journal has the reason.')
        const action = `adjusted the balance of ${account.username} by ${amount} ${settings.Default_Currency}: ${why}`
        const said = { amount, why, who: caller.username, date: secondsOf(clock()) }
        const books = { settings, rates: new Map(), others: [request.logged({ action })] }
        const { id } = await recordAdjustment(store, account, said, books)
        return { id, customer: account.id, amount }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

/** A payment goes to the owner of the account, who alone records it. */
async function payingCustomer(
  request: Pick<ConsoleRequest, 'store' | 'caller' | 'clock'> & {
    readonly params: { readonly customer: number | undefined }
  },
): Promise<Account> {
  const { params, caller } = request
  if (params.customer === undefined) throw invalidValue('customer is missing: name its id.')
  const account = await visibleCustomer(request, params.customer)
  if (!isOwnCustomer(caller, account)) throw unknownThing('customer', params.customer)
  return account
}

/** A repetition with other values is a mistake of the sender: Stripe refuses it, too. */
function refuseOther(recorded: Payment, said: Pick<Payment, 'user_id' | 'amount' | 'currency'>): void {
  const { id, user_id, amount, currency } = recorded
  if (user_id === said.user_id && amount === said.amount && currency === said.currency) return
  throw new ConsoleRefusal(
    'conflict',
    `This request was recorded before, as payment ${id} of ${amount} ${currency}: close the form and look at the payments.`,
  )
}

function positive(amount: Money | undefined): Money {
  if (amount === undefined) throw invalidValue('amount is missing.')
  if (!isPositive(amount)) throw invalidValue(`amount is ${amount}: it takes a number above 0.`)
  return amount
}

/** Blank is the default currency. */
async function booksWith({ settings, store }: PaymentRequest, currency: string): Promise<Books> {
  const books = await openBooks(store, settings, [{ currency }])
  if (!books.rates.has(currency))
    throw new ConsoleRefusal('invalid', `currency is "${currency}": there is no such currency.`)
  return books
}
