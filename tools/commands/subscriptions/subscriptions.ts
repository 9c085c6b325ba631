import type { Command } from '@commander-js/extra-typings'
import { countArgument, dayArgument, idArgument } from '../../command-line/arguments.ts'
import { ACTOR, printChange, withTableOptions } from '../../command-line/over-table.ts'
import { addSubscription, endSubscription } from './subscription-tool.ts'

export function declare(command: Command): void {
  const subscriptions = withTableOptions(command)
    .description('Subscriptions follow the rules of subscriptions.csv.')
    .addOption(ACTOR)
  const act = () => ({ as: subscriptions.opts().as, now: new Date() })
  subscriptions
    .command('add')
    .argument('<account>', 'the username or id')
    .argument('<service>', "the name or id of a service of the account's owner")
    .description('subscribe an account to a service')
    .requiredOption('--from <DAY>', 'the first day', dayArgument)
    .option('--till <DAY>', 'the last day', dayArgument)
    .option('--quantity <NUMBER>', 'how many of it (default: 1)', countArgument)
    .option('--device <ID>', 'the device that has it', idArgument)
    .option('--memo <TEXT>', 'a note')
    .action((account, service, options) =>
      printChange(subscriptions.opts(), (store) =>
        addSubscription(store, { account, service, ...options }, act()),
      ),
    )
  subscriptions
    .command('end')
    .argument('<id>', 'the id of the subscription', idArgument)
    .description('end a subscription')
    .requiredOption('--till <DAY>', 'the last day', dayArgument)
    .action((id, { till }) =>
      printChange(subscriptions.opts(), (store) => endSubscription(store, { id, till }, act())),
    )
}
