import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import pMap from 'p-map'
import { DEFECTS } from '#test/simulation/planted/defects.ts'
import { MISFORTUNES, type Misfortune, type Weather } from '#test/simulation/scheduler.ts'
import { shrunk } from '#test/simulation/shrink.ts'
import {
  ACTOR_NAMES,
  type SimulationOptions,
  type SimulationResult,
  simulate,
} from '#test/simulation/simulation.ts'
import { root } from '#tools/machine/program.ts'
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
    .option('--quiet <N>', 'look at everything after so many requests (default: drawn)', wholeNumber)
    .option(
      '--weather <RARITIES>',
      `how rare misfortunes are, such as killed=0,lost=100: once in so many answers, 0 for never (default: drawn); \
${MISFORTUNES.join(', ')}`,
      weatherIn,
    )
    .option('--story', 'print the story of a right run, too')
    .option(
      '--planted [NAME]',
      'change the source by each planted defect, or by this one, and print the seeds until it is found',
    )
    .action((options) => (options.planted ? findPlanted(options) : runSeeds(options)))

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

function weatherIn(text: string): Partial<Weather> {
  const parts = text.split(',').map((part) => /^([a-z]+)=(\d{1,9})$/.exec(part) ?? [part, part])
  const unknown = parts.find(([, name]) => !MISFORTUNES.includes(name as Misfortune))
  if (unknown) throw new InvalidArgumentError(`There is no misfortune ${unknown[0]}.`)
  return Object.fromEntries(parts.map(([, name, rarity]) => [name, Number(rarity)]))
}

interface Options extends SimulationOptions {
  readonly seeds: number
  readonly story?: true | undefined
  readonly planted?: string | true | undefined
}

/** The memory of a process grows with its seeds. */
const SEEDS_OF_PROCESS = 50

const isPlanted = process.env['PLANTED'] !== undefined

async function runSeeds({ seeds, story, ...wanted }: Options): Promise<void> {
  if (seeds > SEEDS_OF_PROCESS && !isPlanted) return runInProcesses({ seeds, story, ...wanted })
  const { seed: first } = wanted
  let answered = 0
  for (let seed = first; seed < first + seeds; seed += 1) {
    const options = { ...wanted, seed }
    const result = await simulate(options)
    if (result.wrong.length > 0) await tellWrong(options, result)
    for (const line of story ? result.story : []) printLine(line)
    printLine(`seed ${seed}: ${result.requests} requests, digest ${result.digest}`)
    answered += result.requests
  }
  const { user, system } = process.cpuUsage()
  const seconds = (user + system) / 1e6
  const rate = Math.round((answered / seconds) * 60)
  printLine(`${answered} requests in ${seconds.toFixed(1)} s of CPU, ${rate} a minute`)
}

/** A process for each part of the seeds, on all processors. A few that fail do not stop the others. */
async function runInProcesses({ seed: first, seeds, story, ...wanted }: Options): Promise<void> {
  const failed: number[] = []
  let right = 0
  const runPart = async (seed: number, end: number): Promise<void> => {
    const options = [...optionsRepeating({ ...wanted, seed }), '--seeds', `${end - seed}`]
    const printed = await outputOf([...options, ...(story ? ['--story'] : [])])
    printLine(printed.trimEnd())
    right += printed.match(/^seed \d+: /gm)?.length ?? 0
    const stopped = FAILED_SEED.exec(printed)?.[1]
    if (stopped === undefined) return
    failed.push(Number(stopped))
    if (Number(stopped) + 1 < end && failed.length < MOST_FAILED) await runPart(Number(stopped) + 1, end)
  }
  const parts = Array.from(
    { length: Math.ceil(seeds / SEEDS_OF_PROCESS) },
    (_, n) => first + n * SEEDS_OF_PROCESS,
  )
  const end = first + seeds
  const runUnlessFailed = async (seed: number) => {
    if (failed.length < MOST_FAILED) await runPart(seed, Math.min(seed + SEEDS_OF_PROCESS, end))
  }
  await pMap(parts, runUnlessFailed, { concurrency: availableParallelism() })
  printLine(`${right} of ${seeds} seeds break no invariant`)
  if (failed.length > 0) throw new CommandError(`These seeds do: ${failed.join(', ')}`)
}

/** The story of each takes minutes. */
const MOST_FAILED = 3

const FAILED_SEED = /^The seed (\d+) breaks .*$/m

/** What a simulation prints in its own process, also one that fails. Its young objects take 70 MB less. */
async function outputOf(options: readonly string[], planted?: string): Promise<string> {
  const change = planted === undefined ? [] : ['--import', './test/simulation/planted/plant.ts']
  const program = [...change, '--max-semi-space-size=16', 'tools/bin/tollgate.js', 'simulate', ...options]
  const env = { ...process.env, ...(planted !== undefined && { PLANTED: planted }) }
  const { stdout } = await promisify(execFile)(process.execPath, program, {
    cwd: root,
    env,
    maxBuffer: MOST_PRINTED,
  }).catch((error: { readonly stdout: string; readonly stderr: string }) => {
    if (FAILED_SEED.test(error.stdout)) return error
    throw new CommandError(error.stderr)
  })
  return stdout
}

/** With the stories of a part. */
const MOST_PRINTED = 100_000_000

/** Makes a wrong run small, tells its story, and ends. */
async function tellWrong(options: SimulationOptions, result: SimulationResult): Promise<never> {
  printLine(
    `The seed ${options.seed} breaks an invariant after ${result.requests} requests: ${result.wrong[0]}`,
  )
  if (isPlanted) throw new CommandError('The planted defect is found')
  const { options: small, result: smallest } = await shrunk(options, result)
  for (const line of [...smallest.story, ...smallest.wrong]) printLine(line)
  throw new CommandError(`The story is that of ${optionsRepeating(small).join(' ')}`)
}

/** The options that repeat a run. */
export const optionsRepeating = ({
  seed,
  steps,
  quiet,
  weather = {},
  only = ACTOR_NAMES,
}: SimulationOptions): string[] => {
  const rarities = Object.entries(weather).map(([name, rarity]) => `${name}=${rarity}`)
  return [
    ...['--seed', `${seed}`, '--steps', `${steps}`, '--only', only.join(',')],
    ...(quiet === undefined ? [] : ['--quiet', `${quiet}`]),
    ...(rarities.length === 0 ? [] : ['--weather', rarities.join(',')]),
  ]
}

/** Runs a process for each defect, whose source is changed while it is loaded. */
async function findPlanted({ seed, seeds, steps, planted }: Options): Promise<void> {
  const plant = async (name: string): Promise<{ readonly name: string; readonly isFound: boolean }> => {
    const options = ['--seed', `${seed}`, '--seeds', `${seeds}`, '--steps', `${steps}`]
    const printed = await outputOf(options, name)
    const found = FAILED_SEED.exec(printed)?.[0]
    printLine(`${name}: ${found ?? `not found by ${seeds} seeds`}`)
    return { name, isFound: found !== undefined }
  }
  const names = planted === true ? Object.keys(DEFECTS) : [String(planted)]
  const tried = await pMap(names, plant, { concurrency: availableParallelism() })
  const count = tried.filter(({ isFound }) => isFound).length
  printLine(`${count} of ${tried.length} planted defects are found`)
  const lost = tried.filter(({ isFound }) => !isFound)
  if (lost.length > 0)
    throw new CommandError(
      `${lost.length} planted defects are not found by ${seeds} seeds any more: ${lost.map(({ name }) => name).join('; ')}`,
    )
}
