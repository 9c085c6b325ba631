import type { Command } from '@commander-js/extra-typings'
import { soak } from '#test/soak/soak.ts'
import { countArgument } from '#tools/command-line/arguments.ts'
import { CommandError, printLine } from '#tools/machine/terminal.ts'
import { minutesIn } from './fuzz.ts'

const MINUTES = 60
const RATES = 500_000

export const declare = (command: Command) =>
  command
    .description(
      'CDRs stream in, devices come and go, a tariff is replaced again and again, and npm start is killed and started again. Then \
every acknowledged write is looked for, and every counter is compared with a recount. It uses a dataset and a port of its own.',
    )
    .option('--minutes <N>', 'the length of the traffic', minutesIn, MINUTES)
    .option('--rates <N>', 'the number of rates of the tariff', countArgument, RATES)
    .action(async ({ minutes, rates }) => {
      const result = await soak({ minutes, rates, tell: printLine })
      printLine(`Acknowledged: ${JSON.stringify(result.acknowledged)}`)
      if (result.problems.length > 0) throw new CommandError(result.problems.join('\n'))
      printLine('Every acknowledged write is there, and every counter equals a recount.')
    })
