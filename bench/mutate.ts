import { execFileSync } from 'node:child_process'
import { Argument, type Command } from '@commander-js/extra-typings'
import { CommandError, printLine } from '#tools/machine/terminal.ts'
import { testMutants } from './mutants.ts'
import { MUTATED, sourcesIn } from './mutated-folders.ts'

export const declare = (command: Command) =>
  command
    .description(
      'Stryker changes one piece of code after the other; a change that no test notices is listed in bench/mutants.md. The \
command fails if such a change has no reason in bench/explained-mutants, or if a reason there no longer applies. Only \
survivors and mutants whose code or tests have changed since the last run are tested again.',
    )
    .addArgument(
      new Argument('[folders...]', 'the folders').choices(MUTATED_FOLDERS).default(MUTATED_FOLDERS, 'all'),
    )
    .option('--since <commit>', 'only the files that have changed since then')
    .option('--force', 'test all mutants again', false)
    .action((folders, { since, force }) => mutate(folders, since, force))

const MUTATED_FOLDERS = Object.keys(MUTATED)

async function mutate(folders: readonly string[], since: string | undefined, force: boolean): Promise<void> {
  const failures: string[] = []
  for (const folder of folders) {
    failures.push(...(await failureOf(folder, since, force)))
  }
  if (failures.length > 0) throw new CommandError(failures.join('\n'))
}

/** Later folders are tested, too. */
async function failureOf(folder: string, since: string | undefined, force: boolean): Promise<string[]> {
  const files = since === undefined ? sourcesIn(folder) : changedFiles(folder, since)
  if (files.length === 0) {
    printLine(`${folder}: no file has changed since ${since}`)
    return []
  }
  try {
    await testMutants(folder, files, force)
    return []
  } catch (error) {
    if (error instanceof CommandError) return [error.message]
    throw error
  }
}

function changedFiles(folder: string, since: string): string[] {
  try {
    const words = ['diff', '--name-only', since, '--', folder]
    const changed = execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const paths = changed.split('\n')
    return sourcesIn(folder).filter((path) => paths.includes(path))
  } catch {
    throw new CommandError(`git does not know ${since}: name a commit, a branch or a tag`)
  }
}
