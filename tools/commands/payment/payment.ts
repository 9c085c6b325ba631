import type { Command } from '@commander-js/extra-typings'
import { amountArgument, idArgument } from '../../command-line/arguments.ts'
import { ACTOR, printChange, withTableOptions } from '../../command-line/over-table.ts'
import { addPayment, completePayment } from './payment-tool.ts'

export function declare(command: Command): void {
  const payment = withTableOptions(command)
    .description('Payments are booked into balances as those of the API are (docs/balances.md).')
    .addOption(ACTOR)
  const act = () => ({ as: payment.opts().as, now: new Date() })
  payment
    .command('add')
    .argument('<account>', 'the username or id')
    .argument('<amount>', 'the amount, above 0', amountArgument)
    .description('record a completed payment of an account, as of now')
    .option('--currency <CODE>', 'the currency of the amount (default: that of the installation)')
    .option('--type <TEXT>', 'how it was paid', 'cash')
    .option('--reference <TEXT>', 'the transaction of the payer or the bank')
    .option('--comment <TEXT>', 'a comment that the customer reads')
    .action((account, amount, { currency = '', type, reference = '', comment = '' }) =>
      printChange(payment.opts(), (store) =>
        addPayment(store, { account, amount, currency, type, reference, comment }, act()),
      ),
    )
  payment
    .command('confirm')
    .argument('<id>', 'the id of the payment', idArgument)
    .description('complete a payment that waits for its confirmation, and book it')
    .action((id) => printChange(payment.opts(), (store) => completePayment(store, id, act())))
}
