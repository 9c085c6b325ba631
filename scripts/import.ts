import { NO_ROWS } from '#lib/dataset/format/dataset-file.ts'
import type { ImportOptions } from '#lib/dataset/format/job.ts'
import { importPath, type WrittenReport } from '#lib/dataset/import/folder.ts'
import { misunderstood, runCommand } from '#lib/local/commands/command.ts'
import { createProgress, type ProgressDisplay } from '#lib/local/commands/progress.ts'
import { retryAfterImport } from '#lib/local/commands/switches/suspense-tool.ts'
import { overTable, TABLE_OPTIONS } from '#lib/local/commands/table-command.ts'
import type { Wishes } from '#lib/local/location.ts'
import { checkedUse } from '#lib/local/terminal/checked-use.ts'
import { type Ask, chooser } from '#lib/local/terminal/choice.ts'
import { whoIsHere } from '#lib/local/terminal/who.ts'
import type { Store } from '#lib/store/store.ts'

const HELP = `Imports a dataset into the table: a folder of CSV or NDJSON files, or one of them.

  npm run import -- <folder or file> [--endpoint URL] [--table NAME] [--dry-run]
                   [--merge] [--accept-rejected] [--allow-removals] [--check-use [DAYS]]
                   [--decimal-comma | --decimal-point]

  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)
  --dry-run        check every row, show what would become of each file and tariff, write nothing
  --merge          rates and destinations are added to what is there; without it a file of rates replaces each tariff
                   that it names, and a file of destinations the directory
  --decimal-comma, --decimal-point   what 1,234 means in a price
  --allow-removals   replace a tariff although that removes more than a tenth of its prefixes, or leaves no rate in
                   force today
  --check-use [DAYS]   also say which prefixes that were called in the last days (30) would be left without a rate: it
                   reads calls, the newest first, at most 200,000
  --accept-rejected   replace a tariff, or the directory, although rows of it were refused

Without any of these it imports into the local installation that \`npm start\` runs. The same dataset again changes
nothing; an interrupted import is simply run again. Refused rows are written to <file>.rejected.csv.
Call records in suspense are tried again afterwards.
Where a tariff would lose too much you are asked at a terminal; elsewhere it stays as it was.
Exit code: 0 all rows are in, 1 some rows were refused or a tariff stayed as it was, 2 nothing could be imported, or a tariff stayed as it was for
want of --allow-removals.
`

const EVERYTHING_IMPORTED = 0
const ROWS_REFUSED = 1
const NOT_ALLOWED = 2

const say = (line: string) => process.stdout.write(`${line}\n`)

async function importInto(wishes: Wishes, path: string, wanted: ImportOptions): Promise<number> {
  const dryRun = wanted.dryRun ?? false
  return overTable(wishes, async (store, { tableName, endpoint }) => {
    say(`${dryRun ? 'Checking' : 'Importing'} ${path}: table ${tableName} at ${endpoint ?? 'AWS'}`)
    const reports = await runImport(path, store, wanted)
    for (const report of reports) summarise(report, dryRun)
    if (!dryRun) await retrySuspended(store, reports)
    return exitCodeOf(reports)
  })
}

async function retrySuspended(store: Store, reports: readonly WrittenReport[]): Promise<void> {
  const files = reports.map(({ file }) => file)
  const cured = await retryAfterImport(store, files, new Date())
  if (cured !== undefined) say(cured)
}

function exitCodeOf(reports: readonly WrittenReport[]): number {
  if (reports.some(({ needsLeave }) => needsLeave)) return NOT_ALLOWED
  return reports.some(({ refused, stays }) => refused.size > 0 || stays) ? ROWS_REFUSED : EVERYTHING_IMPORTED
}

/** Ctrl-C ends the import after the batch that is under way; a second one ends the process. */
async function runImport(path: string, store: Store, wanted: ImportOptions): Promise<WrittenReport[]> {
  const interrupt = new AbortController()
  process.once('SIGINT', () => interrupt.abort())
  const progress = createProgress(process.stdout)
  const ask = chooser()
  const options: ImportOptions = {
    ...wanted,
    who: whoIsHere(),
    onProgress: progress.show,
    signal: interrupt.signal,
    ...(ask && { mayRemove: asking(ask, progress) }),
  }
  try {
    return await importPath({ store, clock: () => new Date() }, path, options)
  } finally {
    progress.stop()
  }
}

const asking =
  (ask: Ask, progress: ProgressDisplay) =>
  async (question: string): Promise<boolean> => {
    progress.stop()
    return (await ask(question, ['yes', 'no'])) === 'yes'
  }

function summarise(
  { file, rows, counts = NO_ROWS, refused, rejectedFile, remarks = [] }: WrittenReport,
  dryRun: boolean,
) {
  const outcome = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`)
  say(`${file}: ${rows} rows, ${dryRun ? 'would be ' : ''}${outcome.join(', ')}, ${refused.size} refused`)
  for (const remark of remarks) say(`  ${remark}`)
  if (rejectedFile === undefined) return
  for (const [line, reason] of [...refused].slice(0, 3)) say(`  line ${line}: ${reason}`)
  say(`  all of them: ${rejectedFile}`)
}

interface Marks {
  readonly 'decimal-comma': boolean
  readonly 'decimal-point': boolean
}

/** What a comma before three digits means. */
function commaOf({ 'decimal-comma': comma, 'decimal-point': point }: Marks) {
  if (comma && point) return 'both'
  if (comma) return 'decimal'
  return point ? 'thousands' : undefined
}

await runCommand({
  help: HELP,
  options: {
    ...TABLE_OPTIONS,
    'dry-run': { type: 'boolean', default: false },
    merge: { type: 'boolean', default: false },
    'accept-rejected': { type: 'boolean', default: false },
    'allow-removals': { type: 'boolean', default: false },
    'check-use': { type: 'boolean', default: false },
    'decimal-comma': { type: 'boolean', default: false },
    'decimal-point': { type: 'boolean', default: false },
  },
  words: [1, 2],
  run: (values, words) => {
    const comma = commaOf(values)
    const { days: checkUse, others: paths } = checkedUse(values['check-use'], words)
    const [path, ...others] = paths
    if (comma === 'both' || path === undefined || others.length > 0)
      return Promise.resolve(misunderstood(HELP))
    const { 'dry-run': dryRun, merge, 'accept-rejected': acceptRejected } = values
    const allowRemovals = values['allow-removals']
    const wanted = { dryRun, merge, acceptRejected, allowRemovals }
    return importInto(values, path, {
      ...wanted,
      ...(comma && { comma }),
      ...(checkUse !== undefined && { checkUse }),
    })
  },
})
