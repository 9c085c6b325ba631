import type { Command } from '@commander-js/extra-typings'
import { changeAction, listAction } from '../../command-line/actions.ts'
import { amountArgument, dayArgument, idArgument } from '../../command-line/arguments.ts'
import { listFormat } from '../../command-line/listing.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'
import {
  addPayment,
  assignPayment,
  completePayment,
  listPaymentRows,
  takePaymentBack,
} from './payment-tool.ts'

export function declare(command: Command): void {
  const payment = withTableOptions(command)
    .description('Payments are booked into balances as those of the API are (docs/balances.md).')
    .addOption(ACTOR)
  payment
    .command('add')
    .argument('<account>', 'the username or id')
    .argument('<amount>', 'the amount, above 0', amountArgument)
    .description('record a completed payment of an account, as of now')
    .option('--invoice <NUMBER>', 'the invoice that it pays: its net is booked')
    .option('--date <DAY>', 'the day on which it was paid (default: today)', dayArgument)
    .option('--again', 'record it although an equal one was recorded within a day')
    .option(
      '--currency <CODE>',
      'the currency of the amount (default: that of the invoice, or the installation)',
    )
    .option('--type <TEXT>', 'how it was paid', 'cash')
    .option('--reference <TEXT>', 'the transaction of the payer or the bank')
    .option('--comment <TEXT>', 'a comment that the customer reads')
    .action(
      changeAction(
        (store, act, account, ...[amount, { currency = '', reference = '', comment = '', ...others }]) =>
          addPayment(store, { account, amount, currency, reference, comment, ...others }, act),
      ),
    )
  payment
    .command('confirm')
    .argument('<id>', 'the id of the payment', idArgument)
    .description('complete a payment that waits for its confirmation, and book it')
    .action(changeAction((store, act, id) => completePayment(store, id, act)))
  declareCorrections(payment)
  declareList(payment)
}

function declareList(payment: ReturnType<typeof withTableOptions>): void {
  payment
    .command('list')
    .argument('[account]', 'the username or id (default: all customers of the operator)')
    .description('list payments by their date')
    .option('--from <DAY>', 'the first day (default: a month ago)', dayArgument)
    .option('--till <DAY>', 'the last day (default: today)', dayArgument)
    .addOption(listFormat())
    .action(listAction((store, account, days) => listPaymentRows(store, { account, ...days }, new Date())))
}

function declareCorrections(payment: ReturnType<typeof withTableOptions>): void {
  payment
    .command('assign')
    .argument('<id>', 'the id of the payment', idArgument)
    .argument('<number>', 'the number of an invoice of the same account')
    .description('let a payment pay an invoice that it did not name')
    .action(changeAction((store, act, id, number) => assignPayment(store, { id, number }, act)))
  payment
    .command('take-back')
    .argument('<id>', 'the id of the payment', idArgument)
    .description('take back a payment by an entry of its own: the invoice is open again')
    .requiredOption('--why <TEXT>', 'the reason, which the customer reads')
    .action(changeAction((store, act, id, { why }) => takePaymentBack(store, { id, why }, act)))
}
