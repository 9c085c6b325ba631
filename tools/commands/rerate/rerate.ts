import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { countOf } from '#lib/base/text.ts'
import { listCommand } from '../../command-line/actions.ts'
import { dayOption, idArgument } from '../../command-line/arguments.ts'
import { changeTable, overTable, withTableOptions } from '../../command-line/over-table.ts'
import { agreesTo, printLine } from '../../machine/terminal.ts'
import { listReratingRows, rerate } from './rerate-tool.ts'

const withOptions = (command: Command) =>
  withTableOptions(command)
    .option('--from <DAY>', 'the first day of the calls (YYYY-MM-DD)', dayOption)
    .option('--till <DAY>', 'the last day, included', dayOption)
    .addOption(
      new Option(
        '--with <VERSION>',
        'rate by the version of each tariff that is active now, or as-of: by the version in force when the call began (the first version \
for older calls, and the oldest kept one for calls whose version is no longer kept)',
      ).choices(['active', 'as-of'] as const),
    )
    .option('--user <NAME>', 'only calls of this customer')
    .option('--tariff <ID>', 'only prices by this tariff', idArgument)
    .option('--provider <ID>', 'only calls through this provider', idArgument)
    .option(
      '--include-invoiced',
      'also calls whose payer has an invoice that was issued on the day of the call or later, or covers that day',
    )
    .option('--include-priced', 'also prices that came with the calls, or may have come with them')
    .option('--dry-run', 'show the difference and change nothing')
    .option('--yes', 'change the calls without asking; required without a terminal')

export function declare(command: Command): void {
  const rerateCommand = withOptions(command)
    .description(
      'It shows the difference before it changes the calls. You can interrupt it and run it again: a call that has its new price \
keeps it. CDRs may come in meanwhile. Exit code 1: also, you did not agree to the changes.',
    )
    .action(
      ({ endpoint, table, data, yes = false, dryRun = false, from, till, with: version, ...selected }) => {
        if (!from || !till || !version) throw missing({ from, till, with: version })
        if (from > till) throw new InvalidArgumentError(`--from ${from} is after --till ${till}`)
        const defaults = { includeInvoiced: false, includePriced: false }
        const over = dryRun ? overTable : changeTable
        return over({ endpoint, table, data }, async (store) => {
          const wanted = { ...defaults, ...selected, from, till, with: version }
          const changed = await rerate(
            store,
            () => new Date(),
            wanted,
            async (difference, calls) => {
              for (const line of difference) printLine(line)
              return calls > 0 && !dryRun && (yes || (await agrees()))
            },
          )
          if (changed) printLine(`${countOf(changed, 'call')} changed`)
          return changed !== undefined || dryRun ? 0 : NOT_DONE
        })
      },
    )
  listCommand(rerateCommand, 'log', 'list the earlier runs', listReratingRows)
}

/** `rerate log` takes none of them, so that they are not required options. */
function missing(given: Readonly<Record<string, string | undefined>>): InvalidArgumentError {
  const needed = { from: '--from DAY', till: '--till DAY', with: '--with active|as-of' }
  const lacking = Object.entries(needed).filter(([name]) => !given[name])
  return new InvalidArgumentError(`Missing ${lacking.map(([, option]) => option).join(', ')}`)
}

async function agrees(): Promise<boolean> {
  const agreed = await agreesTo('Change these calls?')
  if (!agreed) printLine('Nothing was changed: agree at a terminal, or pass --yes')
  return agreed
}

const NOT_DONE = 1
