import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { shrunk } from '#test/simulation/shrink.ts'
import { ACTOR_NAMES, simulate } from '#test/simulation/simulation.ts'
import { CommandError, printLine } from '#tools/machine/terminal.ts'

export const declare = (command: Command) =>
  command
    .description(
      'It runs switches, functions, console and terminal in this process: the seed decides which waiting request is answered next, \
which answers are lost, which functions are killed, and when time passes. A failing run is made small and printed as a story; its \
seed and the commit repeat it.',
    )
    .option('--seed <N>', 'the first seed', wholeNumber, 1)
    .option('--seeds <N>', 'how many seeds, one after the other', wholeNumber, 1)
    .option('--steps <N>', 'the requests that each answers', wholeNumber, 2000)
    .option(
      '--only <ACTORS>',
      `only these actors, with commas between them: ${ACTOR_NAMES.join(', ')}`,
      actorsIn,
    )
    .option('--story', 'print the story of a right run, too')
    .action(runSeeds)

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text)
  throw new InvalidArgumentError('Use a whole number from 1.')
}

function actorsIn(text: string): string[] {
  const names = text.split(',')
  const unknown = names.find((name) => !ACTOR_NAMES.includes(name))
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no actor ${unknown}.`)
  return names
}

interface Options {
  readonly seed: number
  readonly seeds: number
  readonly steps: number
  readonly only?: string[] | undefined
  readonly story?: true | undefined
}

async function runSeeds({ seed: first, seeds, steps, only, story }: Options): Promise<void> {
  let answered = 0
  for (let seed = first; seed < first + seeds; seed += 1) {
    const options = { seed, steps, only }
    const result = await simulate(options)
    answered += result.steps
    if (result.wrong.length > 0) {
      printLine(`The seed ${seed} breaks an invariant after ${result.steps} requests: ${result.wrong[0]}`)
      const small = await shrunk(options, result)
      for (const line of [...small.result.story, ...small.result.wrong]) printLine(line)
      throw new CommandError(
        `The story is that of the seed ${small.options.seed} with --steps ${small.options.steps} --only ${(small.options.only ?? ACTOR_NAMES).join(',')}`,
      )
    }
    for (const line of story ? result.story : []) printLine(line)
    printLine(`seed ${seed}: ${result.steps} requests, digest ${result.digest}`)
  }
  const { user, system } = process.cpuUsage()
  const seconds = (user + system) / 1e6
  const rate = Math.round((answered / seconds) * 60)
  printLine(`${answered} requests in ${seconds.toFixed(1)} s of CPU, ${rate} a minute`)
}
