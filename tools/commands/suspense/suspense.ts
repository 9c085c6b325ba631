import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { REASONS } from '#lib/cdrs/formats/cdr.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import type { Store } from '#lib/table/store.ts'
import { dayArgument } from '../../command-line/arguments.ts'
import { listFormat, printListing, printShown, shownFormat } from '../../command-line/listing.ts'
import { printChange, withTableOptions } from '../../command-line/over-table.ts'
import { agreesTo, countOf } from '../../machine/terminal.ts'
import { withSwitchOptions } from '../ingest/switch-options.ts'
import {
  listSuspendedRows,
  removeAllSuspended,
  removeSuspendedCdr,
  retrySuspense,
  showSuspended,
} from './suspense-tool.ts'

export function declare(command: Command): void {
  const suspense = withTableOptions(command).description(
    'A suspended CDR could not be stored yet, for example because its account or its rate is unknown.',
  )
  const open = (store: Store) => openMediation(store, new Date())
  withFilter(suspense.command('list'))
    .description('list suspended CDRs, oldest first, with their reasons')
    .addOption(listFormat())
    .action(({ format, ...filter }) =>
      printListing(suspense.opts(), format, async (store) => listSuspendedRows(await open(store), filter)),
    )
  withSwitchOptions(withFilter(suspense.command('retry')))
    .description(
      'mediate them again, as an import of accounts or tariffs does; the options of npx tollgate ingest correct the description of the switch',
    )
    .action((options) =>
      printChange(suspense.opts(), async (store) => retrySuspense(await open(store), options, options)),
    )
  suspense
    .command('show <id>')
    .description('show a CDR as the switch wrote it')
    .addOption(shownFormat())
    .action((id, { format }) =>
      printShown(suspense.opts(), format, async (store) => showSuspended(await open(store), id)),
    )
  withFilter(suspense.command('drop [id]'))
    .description('delete a suspended CDR, or all that the options select')
    .option('--yes', 'delete without asking; required without a terminal')
    .action((id, { yes = false, ...filter }) => {
      const isSelected = id !== undefined || Object.keys(filter).length > 0
      if (!isSelected) throw new InvalidArgumentError('Missing an id, or an option that selects CDRs')
      const agreed = async (count: number) => yes || agreesTo(`Delete ${countOf(count, 'suspended CDR')}?`)
      return printChange(suspense.opts(), async (store) => {
        const mediation = await open(store)
        return id === undefined
          ? removeAllSuspended(mediation, filter, agreed)
          : removeSuspendedCdr(mediation, id, agreed)
      })
    })
}

const withFilter = <A extends unknown[]>(command: Command<A>) =>
  command
    .addOption(new Option('--reason <REASON>', 'only CDRs with this reason').choices(REASONS))
    .option('--source <NAME>', 'only CDRs of this switch')
    .option('--account <NAME>', 'only CDRs of this account, or with this unknown account code or device')
    .option(
      '--from <DAY>',
      'only CDRs that were first suspended on this day (YYYY-MM-DD) or later',
      dayArgument,
    )
    .option('--till <DAY>', 'only CDRs that were first suspended on this day or earlier', dayArgument)
