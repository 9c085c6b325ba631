import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { listFormat, printListing } from '../../command-line/listing.ts'
import { ACTOR, changeTable, operatorOf, withTableOptions } from '../../command-line/over-table.ts'
import { agreesTo, countOf, printLine } from '../../machine/terminal.ts'
import { forgetterAt } from '../archive/archive-tool.ts'
import { forgetCalls, listForgettingRows } from './forget-tool.ts'

const NOT_AGREED = 'Nothing was changed: agree at a terminal, or pass --yes'

export function declare(command: Command): void {
  const forget = withTableOptions(command)
    .argument('[account]', 'the username or id')
    .addOption(ACTOR)
    .option('--yes', 'erase without asking; required without a terminal')
    .description(
      'For a customer who asks for it. The numbers (src, dst) of the calls are erased in the table and the archive; prices, times, \
counters, payments and invoices stay. Run it again if it is interrupted. docs/archive.md says what else has numbers.',
    )
    .action((account, { endpoint, table, data, as, yes = false }) => {
      if (account === undefined) throw new InvalidArgumentError('Missing the username or id of an account')
      return changeTable({ endpoint, table, data }, async (store, location) => {
        const changed = await forgetCalls(forgetterAt(store, location), {
          account,
          who: await operatorOf(store, { as, now: new Date() }),
          approve: async (line) => {
            printLine(line)
            return yes || agreesTo('Erase them?')
          },
        })
        printLine(changed === undefined ? NOT_AGREED : `${countOf(changed, 'call')} changed`)
        return changed === undefined ? 1 : 0
      })
    })
  forget
    .command('log')
    .description('list the accounts whose calls were forgotten, and who did it')
    .addOption(listFormat())
    .action(({ format }) => printListing(forget.opts(), format, listForgettingRows))
}
