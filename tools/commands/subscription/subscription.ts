import type { Command } from '@commander-js/extra-typings'
import type { Command as PlainCommand } from 'commander'
import { recordActs } from '#lib/dataset/records/record-acts.ts'
import { actCommand, withInputs } from '../../command-line/act-commands.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'
import { declareVerbs } from '../../command-line/record-commands.ts'

export function declare(command: Command): void {
  const subscription = withTableOptions(command)
    .description('Subscriptions follow the rules of subscriptions.csv.')
    .addOption(ACTOR)
  declareVerbs(subscription as unknown as PlainCommand, 'subscription', ['add', 'edit', 'show', 'list'])
  const end = withInputs(recordActs('subscriptions').change, 'End a subscription', ['id', 'till'])
  actCommand(subscription, 'end', end, ['id'])
}
