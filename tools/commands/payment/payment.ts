import type { Command } from '@commander-js/extra-typings'
import { displayName } from '#lib/base/account-types.ts'
import { addDays, type Day, periodOfDays, today } from '#lib/base/calendar.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { listPayments, unassignedOf } from '#lib/billing/payment.ts'
import { assignPayment } from '#lib/billing/payments/assign-payment.ts'
import { confirmPayment } from '#lib/billing/payments/confirm-payment.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { refundPayment } from '#lib/billing/payments/refund-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { unassignPayment } from '#lib/billing/payments/unassign-payment.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { actCommand } from '../../command-line/act-commands.ts'
import { listAction } from '../../command-line/actions.ts'
import { dayOption } from '../../command-line/arguments.ts'
import { type Listing, listFormat, listingOf } from '../../command-line/listing.ts'
import { findAccountNamed, withCustomers } from '../../command-line/named.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'
import { declareBankFile } from './bank-file.ts'

export function declare(command: Command): void {
  const payment = withTableOptions(command)
    .description('Payments are booked into balances as those of the API are (docs/balances.md).')
    .addOption(ACTOR)
  actCommand(payment, 'add', recordPayment, ['customer', 'amount'])
  actCommand(payment, 'confirm', confirmPayment, ['payment'])
  actCommand(payment, 'assign', assignPayment, ['payment', 'invoices'])
  actCommand(payment, 'unassign', unassignPayment, ['payment', 'invoice'])
  actCommand(payment, 'refund', refundPayment, ['payment', 'amount'])
  actCommand(payment, 'take-back', takeBackPayment, ['payment'])
  declareBankFile(payment)
  payment
    .command('list')
    .argument('[account]', 'the username or id (default: all customers of the operator)')
    .description('list payments by their date')
    .option('--from <DAY>', 'the first day (default: a month ago)', dayOption)
    .option('--till <DAY>', 'the last day (default: today)', dayOption)
    .addOption(listFormat())
    .action(listAction((store, account, days) => listPaymentRows(store, account, days, new Date())))
}

const DAYS_BY_DEFAULT = 31

/** The payments of an account, or of all customers of the operator, by their date. */
export async function listPaymentRows(
  store: Store,
  customer: string | undefined,
  days: { readonly from?: Day | undefined; readonly till?: Day | undefined },
  now: Date,
): Promise<Listing> {
  const { Timezone: zone, Default_Currency } = await settingsOf(store)
  const { till = today(now, zone), from = addDays(till, -DAYS_BY_DEFAULT) } = days
  const account = customer === undefined ? undefined : await findAccountNamed(store, customer)
  const scope = account ? { user: account.id } : { owner: ADMIN_ACCOUNT }
  const period = periodOfDays({ from, till }, zone)
  return listingOf(store, 'payment', withCustomers(store, listPayments(store, scope, period), displayName), {
    id: 'number',
    date: 'time',
    account: ['text', ({ customer }) => customer],
    amount: 'number',
    unassigned: ['number', unassignedOf],
    currency: ['text', ({ currency }) => currency || Default_Currency],
    type: 'text',
    reference: ['text', ({ transaction_id }) => transaction_id],
    completed: 'text',
  })
}
