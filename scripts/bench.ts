import { spawnSync } from 'node:child_process'
import { Argument, type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { benchColdStart } from '../bench/cold-start.ts'
import { costsTable } from '../bench/costs.ts'
import { benchGrowth } from '../bench/growth.ts'
import { hotKeysTable, measureHotKeys } from '../bench/hot-keys.ts'
import { benchIngest } from '../bench/ingest.ts'
import { benchIntake } from '../bench/intake.ts'
import { benchLoad } from '../bench/load.ts'
import { benchRates } from '../bench/rates.ts'
import { type BenchmarkTable, tableOf, toMarkdown, writeIntoPage } from '../bench/report.ts'
import { benchUserCalls } from '../bench/user-calls.ts'
import { benchXml } from '../bench/xml.ts'

const RESULTS = 'bench/results.md'
const SCALE = 'docs/scale.md'

/** Old objects of the benchmark itself are not given time to pile up: what is measured is what the work needs. */
const HEAP = '--max-old-space-size=160'

type Part = (most: number | undefined) => Promise<readonly BenchmarkTable[]>

/** The parts by name, each with the size that `--most` replaces. */
const PARTS: Readonly<Record<string, Part>> = {
  rates: (most = 500_000) => benchRates(most),
  xml: async () => [benchXml()],
  ingest: async (most = 200_000) => [await benchIngest(most)],
  intake: async (most = 10_000) => [benchIntake(most)],
  'user-calls': (most = 200_000) => benchUserCalls(most),
  'hot-keys': async () => hotKeys(),
  growth: async (most = 10_000) => [await benchGrowth(most)],
  load: async (most = 10) => [await benchLoad(most)],
  'cold-start': async (most = 31) => [await benchColdStart(most)],
}

/** Also writes the tables of docs/scale.md, so that its figures are always those of the last run. */
async function hotKeys(): Promise<readonly BenchmarkTable[]> {
  const costs = await measureHotKeys()
  writeIntoPage(SCALE, 'hot-keys', tableOf(hotKeysTable(costs)))
  writeIntoPage(SCALE, 'costs', tableOf(costsTable(costs)))
  return [hotKeysTable(costs)]
}

/** Prints the tables of each part when it is complete, and writes them into the page. */
async function bench(parts: readonly string[], most: number | undefined): Promise<void> {
  for (const [name, run] of Object.entries(PARTS)) {
    if (parts.length > 0 && !parts.includes(name)) continue
    const text = (await run(most)).map(toMarkdown).join('\n')
    process.stdout.write(`${text}\n`)
    if (most === undefined) writeIntoPage(RESULTS, name, `\n${text}`)
  }
}

export const declare = (command: Command) =>
  command
    .description(
      `It prints the tables of each part and writes them into ${RESULTS}; hot-keys also writes those of ${SCALE}.`,
    )
    .addArgument(new Argument('[parts...]', 'the parts (default: all)').choices(Object.keys(PARTS)))
    .option(
      '--most <N>',
      'the largest number of rows, calls, CDRs, processes or seconds, to see quickly that a part works: the results are only printed',
      countIn,
    )
    .action(async (parts, { most }) => {
      if (process.execArgv.includes(HEAP)) return bench(parts, most)
      const words = [HEAP, ...process.execArgv, ...process.argv.slice(1)]
      process.exitCode = spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 1
    })

function countIn(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new InvalidArgumentError('Use a number from 1.')
}
