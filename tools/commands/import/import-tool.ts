import { resolve } from 'node:path'
import { NO_ROWS } from '#lib/base/row-refused.ts'
import type { ImportOptions } from '#lib/dataset/format/dataset-file.ts'
import { importPath, type WrittenReport } from '#lib/dataset/import/folder.ts'
import type { Store } from '#lib/table/store.ts'
import { createProgress, type ProgressDisplay } from '../../command-line/progress.ts'
import { demoDataset } from '../../machine/data-folder.ts'
import { type AskChoice, countOf, printLine, terminalChooser, terminalUser } from '../../machine/terminal.ts'
import { retryAfterImport } from '../suspense/suspense-tool.ts'

/**
 * Imports a dataset with a display of its progress. Ctrl-C ends the import after the current batch; a second
 * one ends the process.
 */
export async function importFolder(
  path: string,
  store: Store,
  wanted: ImportOptions,
): Promise<WrittenReport[]> {
  const interrupt = new AbortController()
  const end = () => interrupt.abort()
  process.once('SIGINT', end)
  const progress = createProgress(process.stdout)
  const ask = terminalChooser()
  const options: ImportOptions = {
    ...wanted,
    who: terminalUser(),
    logAs: { who: terminalUser(), file: path },
    onProgress: progress.show,
    signal: interrupt.signal,
    ...(ask && { mayRemove: asking(ask, progress) }),
  }
  try {
    const reports = await importPath({ store, clock: () => new Date() }, path, options)
    return reports.map((report) => withoutDemoWarning(report, path))
  } finally {
    process.off('SIGINT', end)
    progress.stop()
  }
}

const asking =
  (ask: AskChoice, progress: ProgressDisplay) =>
  async (question: string): Promise<boolean> => {
    progress.stop()
    return (await ask(question, ['yes', 'no'])) === 'yes'
  }

const SHOWN_REFUSALS = 3

/** Prints the counts of a file, and why rows were refused. */
export function printImportedFile(
  { source, rows, counts = NO_ROWS, refused, rejectedFile, remarks = [] }: WrittenReport,
  dryRun: boolean,
) {
  const outcome = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`)
  const leftOut = rows - refused.size - counts.new - counts.changed - counts.unchanged
  const others = [`${refused.size} refused`, ...(leftOut > 0 ? [`${leftOut} left out`] : [])]
  const would = dryRun ? 'would be ' : ''
  printLine(`${source.file}: ${countOf(rows, 'row')}, ${would}${[...outcome, ...others].join(', ')}`)
  for (const remark of remarks) printLine(`  ${remark}`)
  const inOrder = [...refused].sort(([one], [other]) => one - other)
  for (const [line, reason] of inOrder.slice(0, SHOWN_REFUSALS)) printLine(`  line ${line}: ${reason}`)
  if (rejectedFile !== undefined) printLine(`  all of them: ${rejectedFile}`)
  else if (refused.size > SHOWN_REFUSALS) printLine('  all of them: the import writes them into a file')
}

/** Retries suspended CDRs that an import may have cured, and prints the result. */
export async function retrySuspended(store: Store, reports: readonly WrittenReport[]): Promise<void> {
  const files = reports.map(({ file }) => file)
  const cured = await retryAfterImport(store, files, new Date())
  if (cured !== undefined) printLine(cured)
}

/** The key of the demo is public: only another dataset is warned of a short one. */
function withoutDemoWarning(report: WrittenReport, path: string): WrittenReport {
  if (!resolve(path).startsWith(demoDataset)) return report
  const remarks = report.remarks?.filter((remark) => !remark.startsWith('API_Secret_Key'))
  return { ...report, ...(remarks && { remarks }) }
}
