import { type Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { rerateCalls } from '#lib/calls/rating/rerate-calls.ts'
import { declareInputs, textsOf } from '../../command-line/act-commands.ts'
import { listCommand } from '../../command-line/actions.ts'
import { ACTOR, changeByActs, overTable, withTableOptions } from '../../command-line/over-table.ts'
import { optionOf } from '../../command-line/remedies.ts'
import { agreesTo, printLine, usageError } from '../../machine/terminal.ts'
import { listReratingRows, rerate } from './rerate-tool.ts'

const { input } = rerateCalls()

/** `rerate log` takes none of them, so none is a required option. */
const optional = Object.fromEntries(
  Object.entries(input).map(([name, one]) => [name, { ...one, isOptional: true }]),
)

export function declare(command: Command): void {
  const plain = command as CommandUnknownOpts
  declareInputs(plain, optional, ['after', 'run'])
  const rerateCommand = withTableOptions(command)
    .addOption(new Option('--user <NAME>', 'the same as --customer').hideHelp())
    .addOption(ACTOR)
    .option('--dry-run', 'show the difference and change nothing')
    .option('--yes', 'change the calls without asking; required without a terminal')
    .description(
      'It shows the difference before it changes the calls. You can interrupt it and run it again: a call that has its new price \
keeps it. CDRs may come in meanwhile. Exit code 1: also, you did not agree to the changes.',
    )
    .action(({ yes = false, dryRun = false, as, user, ...options }) => {
      const texts = textsOf(options, input)
      const given: GivenTexts = { ...texts, customer: texts['customer'] ?? user }
      const missing = (['from', 'till', 'with'] as const).filter((name) => !given[name])
      if (missing.length > 0)
        throw usageError(
          `Missing ${missing.map((name) => `${optionOf(name)} ${input[name].placeholder}`).join(', ')}: see --help`,
        )
      const over = dryRun ? overTable : changeByActs
      return over(options, async (store) => {
        const by = { as, clock: () => new Date() }
        const done = await rerate(store, by, given, async (difference, calls) => {
          for (const line of difference) printLine(line)
          return calls > 0 && !dryRun && (yes || (await agrees()))
        })
        if (done) printLine(done)
        return done !== undefined || dryRun ? 0 : NOT_DONE
      })
    })
  listCommand(rerateCommand, 'log', 'list the earlier runs', listReratingRows)
}

async function agrees(): Promise<boolean> {
  const agreed = await agreesTo('Change these calls?')
  if (!agreed) printLine('Nothing was changed: agree at a terminal, or pass --yes')
  return agreed
}

const NOT_DONE = 1
