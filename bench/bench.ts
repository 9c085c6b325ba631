import { spawnSync } from 'node:child_process'
import { Argument, type Command } from '@commander-js/extra-typings'
import { countArgument } from '#tools/command-line/arguments.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { benchCallControl } from './call-control.ts'
import { benchCallers } from './callers.ts'
import { benchColdStart } from './cold-start.ts'
import { costsTable } from './costs.ts'
import { hotKeysTable, measureHotKeys } from './hot-keys.ts'
import { benchIntake } from './intake.ts'
import { benchMonth } from './month.ts'
import { benchRates } from './rates.ts'
import { type BenchmarkTable, progress, toMarkdown } from './report.ts'
import { benchUserCalls } from './user-calls.ts'

/** The parts by name, each with the size that `--most` replaces. */
const PARTS: Readonly<Record<string, (most: number | undefined) => Promise<readonly BenchmarkTable[]>>> = {
  rates: (most = 500_000) => benchRates(most),
  intake: async (most = 3000) => [await benchIntake(most)],
  'user-calls': async (most = 200_000) => [await benchUserCalls(most)],
  month: (most = 10_000) => benchMonth(most),
  'call-control': async (most = 2000) => [await benchCallControl(most)],
  callers: async (most = 500_000) => benchCallers(most),
  'hot-keys': hotKeys,
  'cold-start': async (most = 31) => [await benchColdStart(most)],
}

/** The tables of docs/deployment.md. */
async function hotKeys(): Promise<readonly BenchmarkTable[]> {
  const costs = await measureHotKeys()
  return [hotKeysTable(costs), costsTable(costs)]
}

/** Prints the tables of a part when it is complete. */
async function bench(name: string, most: number | undefined): Promise<void> {
  const tables = (await PARTS[name]?.(most)) ?? []
  process.stdout.write(`${tables.map(toMarkdown).join('\n')}\n`)
}

/**
 * In MB, as small as the work needs, so that the benchmark's own garbage cannot pile up. User-calls measures
 * the processor, and V8 collects more often in a small heap: it has that of its function.
 */
const heapOf = (name: string): string =>
  `--max-old-space-size=${name === 'user-calls' || name === 'callers' ? 1600 : 160}`

/** Runs a part in its own process: no part measures another's memory. Returns whether it succeeded. */
function benchAlone(name: string, most: number | undefined): boolean {
  const started = performance.now()
  progress(`${name} ...`)
  const words = [heapOf(name), ...process.execArgv, process.argv[1] ?? '', 'bench', name]
  const size = most === undefined ? [] : ['--most', String(most)]
  const { status } = spawnSync(process.execPath, [...words, ...size], { stdio: 'inherit' })
  progress(`${name}: ${status === 0 ? 'done' : 'failed'} after ${inSeconds(performance.now() - started)}`)
  return status === 0
}

const inSeconds = (milliseconds: number): string => `${Math.round(milliseconds / 1000)} s`

export const declare = (command: Command) =>
  command
    .description(
      'It prints the tables of each part in Markdown. bench/results.md keeps those of the last whole run, with its date.',
    )
    .addArgument(new Argument('[parts...]', 'the parts (default: all)').choices(Object.keys(PARTS)))
    .option(
      '--most <N>',
      'the largest number of rows, calls, CDRs or processes, to see quickly that a part works',
      countArgument,
    )
    .action(async (parts, { most }) => {
      const [name = '', ...others] = parts
      if (others.length === 0 && process.execArgv.includes(heapOf(name))) return bench(name, most)
      const names = Object.keys(PARTS).filter((one) => parts.length === 0 || parts.includes(one))
      const failed = names.filter((one) => !benchAlone(one, most))
      if (failed.length > 0) throw new CommandError(`Failed: ${failed.join(', ')}. See the errors above.`)
    })
