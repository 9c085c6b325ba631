import type { Command } from '@commander-js/extra-typings'
import type { Command as PlainCommand } from 'commander'
import { changeAction } from '../../command-line/actions.ts'
import { dayArgument } from '../../command-line/arguments.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'
import { declareVerbs } from '../../command-line/record-commands.ts'
import { RECORD_NOUNS } from '../../command-line/record-nouns.ts'
import { editNoun } from '../../command-line/record-tool.ts'

export function declare(command: Command): void {
  const subscription = withTableOptions(command)
    .description('Subscriptions follow the rules of subscriptions.csv.')
    .addOption(ACTOR)
  declareVerbs(subscription as unknown as PlainCommand, 'subscription', ['add', 'edit', 'show', 'list'])
  subscription
    .command('end')
    .argument('<id>', 'the id of the subscription')
    .description('end a subscription')
    .requiredOption('--till <DAY>', 'the last day', dayArgument)
    .action(
      changeAction(async (store, act, word, { till }) => {
        const ended = await editNoun(store, RECORD_NOUNS.subscription, { word, values: { till } }, act)
        return ended.lines
      }),
    )
}
