import type { Command } from '@commander-js/extra-typings'
import type { Contract } from '#lib/api/method.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { RELEASE, requireFormat } from '#lib/table/table-format.ts'
import { openTable } from '../../command-line/open-table.ts'
import { withTableOptions } from '../../command-line/over-table.ts'
import { loadFunctionFiles } from '../../contracts/function-files.ts'
import { exampleOf } from '../../contracts/generated-files.ts'
import type { SentParameters } from '../../contracts/signed-call.ts'
import {
  edgeProbes,
  type Probe,
  type ProbeOutcome,
  sendProbe,
  signedProbe,
  unsignedProbes,
} from '../../deployment/smoke.ts'
import { CommandError, printLine, printNote, UsageError } from '../../machine/terminal.ts'
import { answeringUrl, chooseTarget, readParameters } from '../call/method-call.ts'

const withOptions = (command: Command) =>
  withTableOptions(command)
    .argument('<url>', 'the URL of the stage, with or without https:// and /api')
    .argument('[name=value...]', 'parameters for the methods that read and have them, such as user_id=10')
    .option('--as <USERNAME>', 'the caller of the methods that read', 'admin')
    .option(
      '--methods <METHODS>',
      'sign only calls of these methods, with commas between them: those of a named key (default: all that read)',
    )
    .option('--v2', 'sign with v2 in place of the hash')
    .option('--demo', 'the stage holds the demo data: call the examples, which none may refuse')

type Options = ReturnType<ReturnType<typeof withOptions>['opts']>

export const declare = (command: Command) =>
  withOptions(command)
    .description(
      'It calls every path of every method without a signature, which the method must refuse, and every method that reads with \
one. The key is that of the table, or TOLLGATE_KEY: the secret key, or the secret of a named key with --as and --methods. It is never \
printed. The answers must be of the version of this checkout.',
    )
    .action(smoke)

async function smoke(url: string, words: readonly string[], options: Options): Promise<void> {
  const base = await answeringUrl(url)
  const key = await findSmokeKey(url, options)
  const methods = (await loadFunctionFiles()).map(({ method }) => method)
  const signed = key === undefined ? [] : signedProbes(methods, key, readParameters(words), options)
  const outcomes = await sendAll([...methods.flatMap(unsignedProbes), ...edgeProbes, ...signed], base)
  const failed = outcomes.filter(({ fault }) => fault !== undefined)
  if (failed.length > 0)
    throw new CommandError(`${failed.length} of ${outcomes.length} calls failed: see above`)
  if (signed.length > 0 && !outcomes.some(({ version }) => version))
    throw new CommandError(
      `No method admits ${options.as}, so none read anything: name an active account with --as`,
    )
  printLine(
    `All ${outcomes.length} calls passed${signed.length > 0 ? `, answered by Tollgate ${RELEASE}` : ''}.`,
  )
}

/** Probes of the methods that read: a smoke test changes nothing. */
function signedProbes(
  methods: readonly Contract[],
  key: string,
  params: SentParameters,
  options: Options,
): Probe[] {
  const { as, demo, v2 } = options
  const named = options.methods?.split(',').map((name) => name.trim())
  const signing = { key, isV2: v2 ?? false, isDemo: demo ?? false }
  return methods
    .filter(({ access, callers }) => access === 'read' && callers !== 'public')
    .filter(({ name }) => named?.includes(name) ?? true)
    .map((method) =>
      signedProbe(method, demo ? exampleOf(method.name) : { u: as, ...ownOf(method, params) }, signing),
    )
}

const ownOf = (method: Contract, params: SentParameters): SentParameters =>
  Object.fromEntries(Object.entries(params).filter(([name]) => Object.hasOwn(method.params, name)))

/** The stage's secret key; `undefined` without one, or with the API off, after a first deployment. */
async function findSmokeKey(url: string, options: Options): Promise<string | undefined> {
  const given = process.env['TOLLGATE_KEY']
  if (given) return given
  const { location } = chooseTarget({ ...options, url })
  if (!location)
    throw new UsageError(
      `Without the key of ${url} nothing is read: name its table with --table, or set TOLLGATE_KEY`,
    )
  const stored = await openTable(location).get(settingsKey)
  if (stored) requireFormat(stored)
  const { API_Secret_Key: key, Allow_API: isOpen } = readSettings(stored ?? {})
  if (key && isOpen) return key
  printNote(
    `Nothing is read: in ${location.tableName}, ${key ? 'Allow_API is off' : 'API_Secret_Key is not set'}.`,
  )
  return undefined
}

async function sendAll(probes: readonly Probe[], base: string): Promise<ProbeOutcome[]> {
  const outcomes: ProbeOutcome[] = []
  for (const probe of probes) {
    const outcome = await sendProbe(probe, base)
    const { fault, refusal } = outcome
    printLine(`${fault ? 'FAILED' : 'ok    '}  ${[probe.name, fault ?? refusal].filter(Boolean).join(': ')}`)
    outcomes.push(outcome)
  }
  return outcomes
}
