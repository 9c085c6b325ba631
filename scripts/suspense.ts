import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { printFromTable, withTableOptions } from '#lib/local/commands/over-table.ts'
import {
  describeSuspense,
  dropAll,
  dropSuspended,
  retrySuspense,
  showSuspended,
} from '#lib/local/commands/switches/suspense-tool.ts'
import { withSwitchOptions } from '#lib/local/commands/switches/switch-wish.ts'
import { terminalChooser } from '#lib/local/terminal.ts'
import { openMediation } from '#lib/mediation/mediation.ts'
import type { Store } from '#lib/store/store.ts'

export function declare(command: Command): void {
  const suspense = withTableOptions(command).description('A suspended CDR could not be stored.')
  const open = (store: Store) => openMediation(store, new Date())
  withFilter(suspense.command('list'))
    .description('a table, oldest first: id, age, switch, reason, call start, calling and called number')
    .action((filter) =>
      printFromTable(suspense.opts(), async (store) => describeSuspense(await open(store), filter)),
    )
  withSwitchOptions(withFilter(suspense.command('retry')))
    .description(
      'mediates them again, as an import of accounts or tariffs does; the options of npm run ingest correct how the switch writes',
    )
    .action((wishes) =>
      printFromTable(suspense.opts(), async (store) => retrySuspense(await open(store), wishes, wishes)),
    )
  suspense
    .command('show <id>')
    .description('the CDR as the switch wrote it')
    .action((id) => printFromTable(suspense.opts(), async (store) => showSuspended(await open(store), id)))
  withFilter(suspense.command('drop [id]'))
    .description('gives it up for good, or all that the options select')
    .option('--yes', 'drops without asking; required without a terminal')
    .action((id, { yes = false, ...filter }) => {
      const isSelected = id !== undefined || Object.keys(filter).length > 0
      if (!isSelected) throw new InvalidArgumentError('Missing an id, or an option that selects')
      return printFromTable(suspense.opts(), async (store) =>
        id === undefined
          ? dropAll(await open(store), filter, async (count) => yes || agreesTo(count))
          : dropSuspended(await open(store), id),
      )
    })
}

const withFilter = <A extends unknown[]>(command: Command<A>) =>
  command
    .option('--reason <TEXT>', 'only those with this reason, such as unknown_rate')
    .option('--source <NAME>', 'only those of this switch')
    .option('--account <NAME>', 'only those of this account, or that name this unknown account or device')
    .option('--from <DAY>', 'only those that first came on this day (YYYY-MM-DD) or later')
    .option('--till <DAY>', 'only those that first came on this day or earlier')

/** Asks the operator at the terminal. */
const agreesTo = async (count: number): Promise<boolean> =>
  (await terminalChooser()?.(`Give up ${count} CDRs for good?`, ['yes', 'no'])) === 'yes'
