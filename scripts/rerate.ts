import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { overTable, printFromTable, withTableOptions } from '#lib/local/commands/over-table.ts'
import { describeReratings, rerate } from '#lib/local/commands/rerate/rerate-tool.ts'
import { askLine, isAtTerminal } from '#lib/local/terminal.ts'

const withOptions = (command: Command) =>
  withTableOptions(command)
    .option('--from <DAY>', 'the first day of the calls (YYYY-MM-DD)', dayIn)
    .option('--till <DAY>', 'the last day, included', dayIn)
    .addOption(
      new Option(
        '--with <VERSION>',
        'active: by the version of each tariff that is active now; as-of: by the version in force when the call began (a call older \
than its tariff gets the first version, and calls whose version is no longer kept are skipped)',
      ).choices(['active', 'as-of'] as const),
    )
    .option('--user <NAME>', 'only calls of this customer')
    .option('--tariff <ID>', 'only prices by this tariff', idIn)
    .option('--provider <ID>', 'only calls that this provider carried', idIn)
    .option(
      '--include-invoiced',
      'also calls whose payer has an invoice issued on their day or later, or one whose period holds it',
    )
    .option('--include-priced', 'also prices that came with the calls, or may have')
    .option('--dry-run', 'shows the difference and changes nothing')
    .option('--yes', 'changes the calls without asking; required without a terminal')

export function declare(command: Command): void {
  const rerateCommand = withOptions(command)
    .description(
      'It shows what changes before it changes anything. You may interrupt it and run it again: a call that has its new price keeps \
it. CDRs may come in meanwhile. Exit code 2: also, the changes were not agreed to.',
    )
    .action(({ endpoint, table, yes = false, dryRun = false, from, till, with: version, ...wish }) => {
      if (!from || !till || !version)
        throw new InvalidArgumentError('Missing --from DAY, --till DAY or --with active|as-of')
      if (from > till) throw new InvalidArgumentError('--from comes after --till')
      const agreed = async () => !dryRun && (yes || (await ask()))
      const defaults = { includeInvoiced: false, includePriced: false }
      return overTable({ endpoint, table }, async (store) => {
        const world = { store, clock: () => new Date(), say, agreed }
        const isDone = await rerate(world, { ...defaults, ...wish, from, till, with: version })
        return isDone || dryRun ? 0 : NOT_DONE
      })
    })
  rerateCommand
    .command('log')
    .description('a line for each run')
    .action(() => printFromTable(rerateCommand.opts(), describeReratings))
}

function dayIn(day: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day))) return day
  throw new InvalidArgumentError('It takes a day: YYYY-MM-DD.')
}

function idIn(id: string): number {
  if (/^\d{1,15}$/.test(id)) return Number(id)
  throw new InvalidArgumentError('It takes an id.')
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Asks the operator at the terminal. */
async function ask(): Promise<boolean> {
  if (!isAtTerminal()) {
    say('Nothing was changed: pass --yes to change these calls')
    return false
  }
  return /^y(es)?$/i.test(await askLine('Change these calls? [y/N]'))
}

const NOT_DONE = 2
