import { Argument, type Command } from '@commander-js/extra-typings'
import { throwInstallLine } from '#tools/machine/optional-packages.ts'
import { CommandError, printLine } from '#tools/machine/terminal.ts'

/** The mutated files of a folder, or of a list, and the tests that have to notice. */
const MUTATED: Readonly<Record<string, { readonly files: readonly string[]; readonly tests: string }>> = {
  'lib/base': filesOf('lib/base', 'lib/base/*.test.ts'),
  /** The pure rules that are next to the items of their subject. */
  rules: {
    files: [
      'lib/accounts/{account-details,login,name-search,named-key,password}.ts',
      'lib/billing/{booking,statement}.ts',
      'lib/calls/{call-scope,retention,counters/statistics,live/active-call}.ts',
      'lib/devices/{device-fields,device-rule,device,extension,location-rule,rule-lengths}.ts',
      'lib/rates/rating.ts',
      'lib/settings/settings.ts',
    ],
    tests: 'lib/{accounts,billing,calls,calls/counters,calls/live,devices,rates,settings}/*.test.ts',
  },
  'lib/api': filesOf(
    'lib/api',
    'lib/api/*.test.ts functions/accounts/user_{balance_get,simple_balance_get,register}*.test.ts functions/session/*.test.ts',
  ),
  /** The arithmetic of a month: differences, rounding, VAT, minimums, proration, and what payments book. */
  'lib/invoicing': {
    files: [
      'lib/invoicing/{amounts,billed,draft,month}.ts',
      'lib/billing/invoice-payment.ts',
      'lib/billing/charges/charge-rules.ts',
    ],
    tests:
      'lib/invoicing/{billed,draft,month}.test.ts lib/billing/invoice-payment.test.ts lib/billing/charges/charge-rules.test.ts',
  },
  'lib/xml': filesOf('lib/xml', 'lib/xml/*.test.ts'),
  'lib/calls/rating': filesOf(
    'lib/calls/rating',
    'lib/calls/rating/*.test.ts lib/cdrs/{rated-numbers,decide-cdrs}.test.ts lib/billing/notifications/*.test.ts functions/ingest/rating.test.ts functions/console/calls/reratings.test.ts tools/commands/{explain,rerate}/*.test.ts tools/commands/account/values-then.test.ts lib/calls/counters/country-hours.test.ts',
  ),
  'lib/cdrs/formats': filesOf('lib/cdrs/formats', 'lib/cdrs/formats/*.test.ts'),
  'lib/cdrs': {
    files: ['lib/cdrs/!(*.test|*.d).ts', 'lib/cdrs/{dialogs,matching,suspense}/!(*.test|*.d).ts'],
    tests: 'lib/cdrs/*.test.ts lib/cdrs/{dialogs,matching,suspense}/*.test.ts',
  },
}

function filesOf(folder: string, tests: string) {
  return { files: [`${folder}/!(*.test|*.d).ts`], tests }
}

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
    const { files = [], tests } = MUTATED[folder] ?? {}
    process.env['TOLLGATE_MUTATION_TESTS'] = tests
    process.exitCode = undefined
    const incrementalFile = `.build/mutation/${folder.replaceAll('/', '-')}.json`
    await new Stryker({ mutate: [...files], incrementalFile, force }).runMutationTest()
    if (process.exitCode !== undefined) failed.push(folder)
  }
  if (failed.length > 0)
    throw new CommandError(`Too many mutants survive in ${failed.join(', ')}: write tests that fail for them`)
}
