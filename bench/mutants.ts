import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { groupBy } from '#lib/domain/collections.ts'
import { root } from '#tools/machine/location.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { apiMutants } from './explained-mutants/api.ts'
import { domainMutants } from './explained-mutants/domain.ts'
import { formatMutants } from './explained-mutants/formats.ts'
import { mediationMutants } from './explained-mutants/mediation.ts'
import { ratingMutants } from './explained-mutants/rating.ts'
import { xmlMutants } from './explained-mutants/xml.ts'
import { writeResult } from './measured.ts'
import { isOf, MUTATED, sourcesIn } from './mutated-folders.ts'
import { tableOf } from './report.ts'

const PAGE = 'bench/mutants.md'

/** The reasons of the survivors, by their names in the page. */
const REASONS: ReadonlyMap<string, string> = new Map(
  [domainMutants, apiMutants, xmlMutants, ratingMutants, formatMutants, mediationMutants]
    .flatMap((byReason) => Object.entries(byReason))
    .flatMap(([reason, mutants]) => mutants.map((mutant) => [mutant, reason] as const)),
)

/** Percent. */
const LEAST_KILLED = 92

/** A mutant as Stryker reports it: a piece of a source, and what stood in its place. */
interface Mutant {
  readonly status: string
  readonly replacement: string
  readonly location: { readonly start: Position; readonly end: Position }
}

/** Counted from 1. */
interface Position {
  readonly line: number
  readonly column: number
}

interface MutatedFile {
  readonly source: string
  readonly mutants: readonly Mutant[]
}

type MutatedFiles = Readonly<Record<string, MutatedFile>>

interface Report {
  readonly files: MutatedFiles
}

/**
 * Tests the mutants of these files, and writes the section of their folder in bench/mutants.md. Stryker keeps its results
 * under .build, so that the next run only tests survivors and the mutants whose source or tests have changed; `force` tests
 * all. Throws if too many survive, if a survivor has no reason, or if a reason has no survivor.
 */
export async function testMutants(folder: string, files: readonly string[], force: boolean): Promise<void> {
  const { Stryker } = await import('@stryker-mutator/core')
  const incrementalFile = `.build/mutation/${folder.replaceAll('/', '-')}.json`
  process.env['TOLLGATE_MUTATION_TESTS'] = MUTATED[folder]
  forgetSurvivors(root + incrementalFile, files)
  await new Stryker({ mutate: [...files], incrementalFile, force }).runMutationTest()
  const { files: tested } = readReport(root + incrementalFile)
  writeResult(PAGE, folder, sectionOf(folder, tested))
  const complaints = complaintsOf(folder, tested)
  if (complaints.length > 0) throw new CommandError(complaints.join('\n'))
}

const readReport = (path: string): Report => JSON.parse(readFileSync(path, 'utf8')) as Report

/**
 * Removes the survivors of these files from an earlier report, so that Stryker tests them again. It does not know which
 * tests read a constant, so it would keep the mutant of a constant among the survivors although a new test kills it. Files
 * that are gone leave the report, too.
 */
function forgetSurvivors(path: string, files: readonly string[]): void {
  if (!existsSync(path)) return
  const report = readReport(path)
  const present = Object.entries(report.files).filter(([name]) => existsSync(root + name))
  const remembered = present.map(([name, file]) => {
    const mutants = file.mutants.filter((mutant) => !(files.includes(name) && isSurvivor(mutant)))
    return [name, { ...file, mutants }] as const
  })
  writeFileSync(path, JSON.stringify({ ...report, files: Object.fromEntries(remembered) }))
}

/** A runtime error means that a test file no longer loads. */
const KILLED = new Set(['Killed', 'Timeout', 'RuntimeError'])
const SURVIVED = new Set(['Survived', 'NoCoverage'])

const isKilled = ({ status }: Mutant): boolean => KILLED.has(status)
const isSurvivor = ({ status }: Mutant): boolean => SURVIVED.has(status)

function countsOf(files: readonly MutatedFile[]) {
  const mutants = files.flatMap((file) => file.mutants)
  const [killed, survived] = [mutants.filter(isKilled).length, mutants.filter(isSurvivor).length]
  return { mutants: killed + survived, killed, survived, percent: (100 * killed) / (killed + survived) }
}

function complaintsOf(folder: string, files: MutatedFiles): string[] {
  const { percent } = countsOf(Object.values(files))
  const fewKilled = `${folder}: ${percent.toFixed(1)} % of the mutants are killed, expected at least ${LEAST_KILLED} %: see ${PAGE}`
  const survivors = survivorsIn(files)
  const unexplained = survivors.filter((survivor) => !REASONS.has(survivor))
  const outdated = explainedIn(folder, files).filter((mutant) => !survivors.includes(mutant))
  return [
    ...(percent < LEAST_KILLED ? [fewKilled] : []),
    ...unexplained.map(
      (mutant) => `a survivor without a reason: test it, or add it to ${EXPLAINED}: ${mutant}`,
    ),
    ...outdated.map((mutant) => `a reason without a survivor: remove it from ${EXPLAINED}: ${mutant}`),
  ]
}

const EXPLAINED = 'bench/explained-mutants'

/** The mutants with a reason, of the tested files and of files that no longer exist. */
const explainedIn = (folder: string, files: MutatedFiles): string[] =>
  [...REASONS.keys()].filter((mutant) => {
    const path = mutant.slice(0, mutant.indexOf(':'))
    return isOf(folder, path) && (path in files || !existsSync(root + path))
  })

function sectionOf(folder: string, files: MutatedFiles): string {
  const folders = groupBy(Object.entries(files), ([path]) => path.slice(0, path.lastIndexOf('/')))
  const rows = [...folders]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, entries]) =>
      rowOf(
        name,
        entries.map(([, file]) => file),
      ),
    )
  const tested = `${Object.keys(files).length} of ${sourcesIn(folder).length} files`
  const all = rowOf(`${folder}, ${tested}`, Object.values(files))
  const survivors = survivorsIn(files).map(
    (survivor) => [asCode(survivor), REASONS.get(survivor) ?? ''] as const,
  )
  return [
    `## ${folder}\n`,
    tableOf({
      columns: ['folder', 'mutants', 'killed', 'survived', 'killed'],
      rows: [...rows, all],
    }),
    ...(survivors.length > 0 ? ['', tableOf({ columns: ['survivor', 'why'], rows: survivors })] : []),
    '',
  ].join('\n')
}

function rowOf(name: string, files: readonly MutatedFile[]): [string, ...string[]] {
  const { mutants, killed, survived, percent } = countsOf(files)
  return [name, String(mutants), String(killed), String(survived), `${percent.toFixed(1)} %`]
}

/** The names of the survivors: each is a path and the changed line. Stryker's own order differs from run to run. */
const survivorsIn = (files: MutatedFiles): string[] =>
  Object.entries(files)
    .flatMap(([path, { source, mutants }]) =>
      mutants.filter(isSurvivor).map((mutant) => `${path}: ${changedLine(source, mutant)}`),
    )
    .sort()

/** The first line of a mutant, with what was replaced in it: `if (⟦a < b⟧ → ⟦a <= b⟧)`. */
function changedLine(source: string, { location: { start, end }, replacement }: Mutant): string {
  const lines = source.split('\n')
  const line = lines[start.line - 1] ?? ''
  const replaced = start.line === end.line ? line.slice(start.column - 1, end.column - 1) : '…'
  const rest = start.line === end.line ? line.slice(end.column - 1) : ''
  return `${line.slice(0, start.column - 1)}⟦${replaced}⟧ → ⟦${replacement}⟧${rest}`
    .trim()
    .replace(/\s+/g, ' ')
}

const asCode = (text: string): string => `\`\`${text.replaceAll('|', '\\|')} \`\``
