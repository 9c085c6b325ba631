import type { Command } from '@commander-js/extra-typings'
import { amountArgument, dayArgument } from '../../command-line/arguments.ts'
import { printShown, shownFormat } from '../../command-line/listing.ts'
import { ACTOR, printChange, withTableOptions } from '../../command-line/over-table.ts'
import { adjustBalance, changeBalanceDay, showBalance } from './balance-tool.ts'

export function declare(command: Command): void {
  const balance = withTableOptions(command)
    .description(
      'The balance of an account is its opening balance, plus payments and adjustments, less the prices of its calls, all since the day \
Balance_From. docs/balances.md explains it.',
    )
    .addOption(ACTOR)
  balance
    .command('open')
    .description(
      'keep balances from a day on: charges the calls and books the payments that are stored since then. Calls may arrive meanwhile. Run \
it again if it is interrupted',
    )
    .requiredOption('--day <DAY>', 'the first day (YYYY-MM-DD)', dayArgument)
    .action(({ day }) => printChange(balance.opts(), (store, act) => changeBalanceDay(store, day, act)))
  balance
    .command('close')
    .description('keep no balances any more: takes back all charges and bookings')
    .action(() => printChange(balance.opts(), (store, act) => changeBalanceDay(store, '', act)))
  balance
    .command('show <account>')
    .description('show the balance of an account')
    .addOption(shownFormat())
    .action((account, { format }) =>
      printShown(balance.opts(), format, (store) => showBalance(store, account)),
    )
  balance
    .command('adjust')
    .argument('<account>', 'the username or id')
    .argument('<amount>', 'the amount', amountArgument)
    .description(
      'add an amount in the default currency to a balance, and write who, when and why into its journal; write a negative amount \
after --: balance adjust --why Fee carol -- -1.50',
    )
    .requiredOption('--why <TEXT>', 'the reason')
    .option('--again', 'book it although an equal one was booked within a day')
    .action((account, amount, options) =>
      printChange(balance.opts(), (store, act) => adjustBalance(store, { account, amount, ...options }, act)),
    )
}
