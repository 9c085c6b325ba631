import type { Command } from '@commander-js/extra-typings'
import { SaxesParser } from 'saxes'
import { gateRefusals } from '#lib/api/errors.ts'
import { VERSION_HEADER } from '#lib/api/headers.ts'
import type { Contract } from '#lib/api/method.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { RELEASE, requireFormat } from '#lib/table/table-format.ts'
import { pathsOf } from '#tools/contracts/functions-config.ts'
import { v2Headers } from '#tools/contracts/signed-v2.ts'
import { openTable } from '../../command-line/open-table.ts'
import { withTableOptions } from '../../command-line/over-table.ts'
import { loadFunctionFiles } from '../../contracts/function-files.ts'
import { exampleOf } from '../../contracts/generated-files.ts'
import { type SentParameters, signedParameters } from '../../contracts/signed-call.ts'
import { CommandError, printLine, printNote, usageError } from '../../machine/terminal.ts'
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
    .option('--v2', 'sign with v2 instead of the hash')
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
    throw usageError(
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

/** A request to an installation, and the answer that it must give. */
export interface Probe {
  readonly name: string
  readonly path: string
  readonly verb: 'GET' | 'POST' | 'PUT'
  readonly params: SentParameters
  /** Signs the request with v2. */
  readonly v2Key?: string
  readonly status: number
  /** Throws an error that says what is wrong with the document. */
  readonly check: (document: string) => void
}

/**
 * Probes every path of a method without signature and caller. The refusal proves the route, the function and
 * its access to the table, and changes nothing under any settings.
 */
export const unsignedProbes = (method: Contract): Probe[] =>
  pathsOf(method).map((path) => ({
    name: path.replace('/api/', ''),
    path,
    /** A login by POST would count as a failed one; GET is refused earlier. */
    verb: method.callers === 'public' ? 'GET' : 'POST',
    params: {},
    status: 200,
    check: (document) => {
      if (!/<error>/.test(document)) throw new Error('answers a call without a caller')
    },
  }))

/**
 * Probes a method that reads with a signed call. Any answer of the method passes; on the demo data, where the
 * examples have answers, a refusal does not.
 */
export const signedProbe = (
  method: Contract,
  sent: SentParameters,
  { key, isV2, isDemo }: { readonly key: string; readonly isV2: boolean; readonly isDemo: boolean },
): Probe => ({
  name: `${method.name}, signed`,
  path: `/api/${method.name}`,
  verb: 'POST',
  ...(isV2 ? { params: sent, v2Key: key } : { params: signedParameters(method, sent, key) }),
  status: 200,
  check: (document) => {
    const refusal = refusalIn(document)
    const isGate = Object.values(gateRefusals).some((text) => text === refusal)
    if (isGate || (isDemo && refusal !== undefined)) throw new Error(`is refused: ${refusal}`)
  },
})

const answers = (text: string) => (document: string) => {
  if (!document.includes(`<error>${text}</error>`)) throw new Error(`does not say ${text}`)
}

/** A path that names no method, and a verb that no method takes. */
export const edgeProbes: readonly Probe[] = [
  {
    name: 'an unknown method',
    path: '/api/no_such_method',
    verb: 'POST',
    params: {},
    status: 404,
    check: answers('Unknown method'),
  },
  {
    name: 'another verb',
    path: '/api/devices_get',
    verb: 'PUT',
    params: {},
    status: 405,
    check: answers('Method not allowed'),
  },
]

export interface ProbeOutcome {
  /** The problem of the answer; `undefined` when the probe passes. */
  readonly fault?: string | undefined
  /** The release that answered, which it names to an admitted caller alone. */
  readonly version?: string | undefined
  /** The refusal of a method, which passes. */
  readonly refusal?: string | undefined
}

export async function sendProbe(probe: Probe, base: string): Promise<ProbeOutcome> {
  const { status, check } = probe
  try {
    const answer = await answerTo(probe, base + probe.path)
    const document = await answer.text()
    if (answer.status !== status) throw new Error(`answers ${answer.status} instead of ${status}`)
    requireXml(answer.headers.get('content-type'), document)
    check(document)
    const version = answer.headers.get(VERSION_HEADER) ?? undefined
    if (version && version !== RELEASE)
      throw new Error(`is Tollgate ${version}, and this checkout is ${RELEASE}`)
    return { version, refusal: refusalIn(document) }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

function answerTo({ verb, params, v2Key }: Probe, url: string): Promise<Response> {
  const body = verb === 'GET' ? null : String(new URLSearchParams(params))
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const signature = v2Key ? v2Headers({ url, verb, body: body ?? '', headers }, v2Key, new Date()) : {}
  return fetch(url, {
    method: verb,
    headers: { ...headers, ...signature },
    body,
    signal: AbortSignal.timeout(30_000),
  })
}

const refusalIn = (document: string): string | undefined => /<error>([^<]*)<\/error>/.exec(document)?.[1]

function requireXml(type: string | null, document: string): void {
  if (!/^text\/(xml|html); charset=utf-8$/.test(type ?? '')) throw new Error(`is served as ${type}`)
  new SaxesParser().write(document).close()
}
