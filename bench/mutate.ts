import { Argument, type Command } from '@commander-js/extra-typings'
import { throwInstallLine } from '#tools/machine/optional-packages.ts'
import { CommandError, printLine } from '#tools/machine/terminal.ts'

/** The folders whose code is mutated, each with the tests that have to notice. */
const MUTATED: Readonly<Record<string, string>> = {
  'lib/domain': 'lib/domain/**/*.test.ts',
  'lib/api':
    'lib/api/*.test.ts functions/accounts/user_{balance_get,simple_balance_get,register}*.test.ts functions/session/*.test.ts',
  'lib/xml': 'lib/xml/*.test.ts',
  // Without the model of balances, which would take seconds for a mutant.
  'lib/rating':
    'lib/rating/!(balance-model).test.ts functions/ingest/rating.test.ts tools/commands/explain-tool.test.ts',
  'lib/mediation/formats': 'lib/mediation/formats/*.test.ts',
  // Without the model of CDRs, for the same reason.
  'lib/mediation': 'lib/mediation/!(model).test.ts',
}

/** The folders whose files are mutated with all folders below them. */
const WITH_SUBFOLDERS = ['lib/domain']

const FOLDERS = Object.keys(MUTATED)

export const declare = (command: Command) =>
  command
    .description(
      'Stryker changes one piece of code after the other and lists the changes that no test notices. The command fails if a folder \
has more of them than stryker.config.mjs allows. Results are kept below .build: the next run tests only what has changed.',
    )
    .addArgument(new Argument('[folders...]', 'the folders').choices(FOLDERS).default(FOLDERS, 'all'))
    .option('--force', 'test all mutants again', false)
    .action(mutate)

/** Its runner of vitest is loaded by name. Only the nightly job and few developers need them. */
const loadStryker = () =>
  import('@stryker-mutator/core').catch(
    throwInstallLine('Stryker, 50 MB,', '@stryker-mutator/core', '@stryker-mutator/vitest-runner'),
  )

async function mutate(folders: readonly string[], { force }: { readonly force: boolean }): Promise<void> {
  const { Stryker } = await loadStryker()
  const failed: string[] = []
  for (const folder of folders) {
    printLine(`${folder}:`)
    process.env['TOLLGATE_MUTATION_TESTS'] = MUTATED[folder]
    process.exitCode = undefined
    const files = `${folder}/${WITH_SUBFOLDERS.includes(folder) ? '**/' : ''}!(*.test|*.d).ts`
    const incrementalFile = `.build/mutation/${folder.replaceAll('/', '-')}.json`
    await new Stryker({ mutate: [files], incrementalFile, force }).runMutationTest()
    if (process.exitCode !== undefined) failed.push(folder)
  }
  if (failed.length > 0)
    throw new CommandError(`Too many mutants survive in ${failed.join(', ')}: write tests that fail for them`)
}
