import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import type { Command } from '@commander-js/extra-typings'
import { benchColdStart } from '../bench/cold-start.ts'
import { benchHotKeys } from '../bench/hot-keys.ts'
import { benchIngest } from '../bench/ingest.ts'
import { type BenchInstallation, benchInstallation } from '../bench/installation.ts'
import { benchIntake } from '../bench/intake.ts'
import { benchImport, benchLookUps } from '../bench/rates.ts'
import { type BenchmarkTable, toMarkdown } from '../bench/report.ts'
import { benchStreaming } from '../bench/streaming.ts'
import { benchUserCalls } from '../bench/user-calls.ts'
import { benchXml } from '../bench/xml.ts'

const RESULTS = 'bench/results.md'

/** Old objects of the benchmark itself are not given time to pile up: what is measured is what the work needs. */
const HEAP = '--max-old-space-size=160'

/** CALLS=1000000 also passes and takes a quarter of an hour. */
const CALLS_OF_A_MONTH = Number(process.env['CALLS'] ?? 200_000)

const INTRODUCTION = `# Benchmarks

\`npm run bench\` writes this page. The figures are ratios and counts from one run on one machine, on the embedded
engine. Times are relative to the first row of their table.
`

const BENCHMARKS: readonly ((installation: BenchInstallation) => BenchmarkTable | Promise<BenchmarkTable>)[] =
  [
    benchImport,
    benchStreaming,
    benchLookUps,
    benchXml,
    benchIngest,
    benchIntake,
    () => benchUserCalls(CALLS_OF_A_MONTH),
    benchHotKeys,
    benchHotKeys,
    benchColdStart,
  ]

/** Prints each table when it is complete, and writes the page at the end. */
async function bench(): Promise<void> {
  const installation = await benchInstallation()
  const tables: string[] = []
  try {
    for (const benchmark of BENCHMARKS) {
      tables.push(toMarkdown(await benchmark(installation)))
      process.stdout.write(`${tables.at(-1)}\n`)
    }
    writeFileSync(RESULTS, [INTRODUCTION, ...tables].join('\n'))
  } finally {
    await installation.stop()
  }
}

export const declare = (command: Command) =>
  command.description('It writes the results into bench/results.md.').action(async () => {
    if (process.execArgv.includes(HEAP)) return bench()
    const words = [HEAP, ...process.execArgv, ...process.argv.slice(1)]
    process.exitCode = spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 1
  })
