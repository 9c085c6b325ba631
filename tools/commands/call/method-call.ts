import type { Command } from '@commander-js/extra-typings'
import { findCallers } from '#lib/accounts/account.ts'
import type { Method } from '#lib/api/method.ts'
import { type Takes, whyUnread } from '#lib/api/unread-values.ts'
import { nearestNames } from '#lib/base/nearest.ts'
import { readSettings, type Settings } from '#lib/settings/settings.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { openTable } from '../../command-line/open-table.ts'
import { localData, nameInstallation } from '../../command-line/over-table.ts'
import type { SentParameters } from '../../contracts/signed-call.ts'
import {
  chooseLocation,
  isTableNamed,
  refuseAnyOfSeveral,
  type TableOptions,
} from '../../machine/location.ts'
import { root } from '../../machine/program.ts'
import { listRunning } from '../../machine/running.ts'
import { CommandError, printNote, usageError } from '../../machine/terminal.ts'

/** `name=value` arguments as the parameters of a call. */
export const readParameters = (words: readonly string[]): SentParameters =>
  Object.fromEntries(
    words.map((word) => {
      const index = word.indexOf('=')
      if (index < 1) throw usageError(`"${word}" is not a parameter: write name=value`)
      return [word.slice(0, index), word.slice(index + 1)]
    }),
  )

/** Declares the options that name the installation of a call, and its key. */
export const withTarget = (command: Command) =>
  command
    .option(
      '--url <URL>',
      'the address of the API, with or without http:// and /api (default: that of npm start)',
    )
    .addOption(localData())
    .option('--endpoint <URL>', 'the DynamoDB that holds the key (default: that of the installation)')
    .option(
      '--key <KEY>',
      'the secret key (default: TOLLGATE_KEY, or that of the local installation that listens at the URL)',
    )

interface TargetOptions extends TableOptions {
  readonly url?: string | undefined
  readonly key?: string | undefined
}

/** The installation that a call goes to. */
export interface CallTarget {
  readonly url: string
  /** The table of the installation; `undefined` for an address where no local installation listens. */
  readonly location: TableLocation | undefined
}

/** Whether a method changes what an operator sees. A login changes only the count of failures. */
export const isShownChange = ({ access, callers }: Method): boolean =>
  access === 'write' && callers !== 'public'

/** Prints the installation that a call changes. Throws CommandError if several run and no option decides. */
export async function nameTarget(options: TargetOptions, { url, location }: CallTarget): Promise<void> {
  if (options.url !== undefined || !location) return printNote(`Installation: ${url}`)
  refuseAnyOfSeveral(root, process.env, options)
  await nameInstallation(location)
}

const DEFAULT_URL = 'http://localhost:3000'

/** The order: options, the URL's port, the environment, the installation that started first. */
export function chooseTarget(options: TargetOptions): CallTarget {
  const running = listRunning(root)
  const isNamed = isTableNamed(process.env, options)
  const given = options.url === undefined ? undefined : baseUrl(options.url)
  const listening = running.find(({ url }) => given !== undefined && isSameAddress(given, url))
  if (listening && !options.data && !options.endpoint && !options.table)
    return { ...listening, url: given ?? listening.url }
  if (given !== undefined && !isNamed) return { url: given, location: undefined }
  const location = chooseLocation(options)
  const own = running.find(({ location: { endpoint } }) => endpoint === location.endpoint)
  return { url: given ?? own?.url ?? DEFAULT_URL, location }
}

/** All names of this machine are equal. */
function isSameAddress(one: string, other: string): boolean {
  const [here, there] = [new URL(one), new URL(other)]
  return isLocalHost(here.hostname) && isLocalHost(there.hostname) && here.port === there.port
}

const isLocalHost = (name: string): boolean => /^(localhost|127\.0\.0\.1|\[::1\])$/i.test(name)

/** The given key, or by default that of the target's table. A public method needs no key. */
export async function findKey(
  { callers }: Method,
  given: string | undefined,
  { url, location }: CallTarget,
): Promise<string> {
  const key = given ?? process.env['TOLLGATE_KEY']
  if (key !== undefined || callers === 'public') return key ?? ''
  if (!location) {
    await answeringUrl(url)
    throw new CommandError(`The secret key of ${url} is unknown: pass --key, or set TOLLGATE_KEY`)
  }
  const stored = await storedSettings(location)
  if (stored) return stored.API_Secret_Key
  throw new CommandError('The secret key is unknown: pass --key, set TOLLGATE_KEY, or run npm start first')
}

const storedSettings = (location: TableLocation): Promise<Settings | undefined> =>
  findSettings(openTable(location)).then(readSettings, () => undefined)

/** A warning about a key that is not that of the target; `undefined` if it is, or if that is unknown. */
export async function otherKeyNotice(
  key: string,
  { url, location }: CallTarget,
): Promise<string | undefined> {
  const stored = location && (await storedSettings(location))
  if (!stored || stored.API_Secret_Key === key) return undefined
  return `This key is not the key of ${url}, which refuses the hash: leave out --key and TOLLGATE_KEY`
}

/** An account's uniquehash in the target's table; `undefined` if the table or the account is missing. */
export async function storedUniquehash(
  { location }: Pick<CallTarget, 'location'>,
  username = '',
): Promise<string | undefined> {
  if (!location) return undefined
  const [account] = await findCallers(openTable(location), [username]).catch(() => [])
  return account?.uniquehash || undefined
}

/**
 * A sentence for each parameter that the method ignores, with the nearest name that it knows, and for each
 * value that it does not read, with the reason.
 */
export async function ignoredParameters(
  method: Method,
  sent: SentParameters,
  target: Pick<CallTarget, 'location'>,
): Promise<string[]> {
  const { name: called, params, hashOrders } = method
  const known = new Set([...Object.keys(params), ...hashOrders.flatMap(({ signs }) => signs), 'u', 'hash'])
  return [
    ...Object.keys(sent)
      .filter((name) => !known.has(name))
      .map((name) => `${called} ignores the parameter ${name}: ${knownName(name, known)}`),
    ...(await valuesNotRead(method, sent, target)),
  ]
}

/** A sentence for each value that the method does not read. */
export async function valuesNotRead(
  { name: called, params }: Method,
  sent: SentParameters,
  { location }: Pick<CallTarget, 'location'>,
): Promise<string[]> {
  // The zone only shows in the reasons: most calls need no settings.
  if (unreadValues(params, sent, 'UTC').length === 0) return []
  const zone = (location && (await storedSettings(location)))?.Timezone ?? 'UTC'
  return unreadValues(params, sent, zone).map(
    ({ name, why }) => `${called} does not read ${name}=${sent[name]}: ${why}`,
  )
}

function knownName(name: string, known: ReadonlySet<string>): string {
  const [nearest] = nearestNames(name, known)
  return nearest ? `did you mean ${nearest}?` : `it knows ${[...known].join(', ')}`
}

/** Whether an answer is a refusal, in any of the shapes of a refusal (wire.md 4.1). */
export const isRefusedAnswer = (status: number, document: string): boolean =>
  status !== 200 || /<page>\s*(<status>\s*)*<error>|<name>login<\/name>\s*<status>failed</.test(document)

/**
 * The URL of a method at an address with or without `http://` and `/api`. Another machine is called by https
 * unless its address says http. Throws CommandError for a malformed address.
 */
export const methodUrl = (address: string, method: string): string => `${baseUrl(address)}/api/${method}`

/** The address of an API without `/api`. Throws CommandError for a malformed one. */
export function baseUrl(address: string): string {
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])(?![\w.])/i.test(address)
  const url = address.includes('://') ? address : `${isLocal ? 'http' : 'https'}://${address}`
  if (!/^https?:/i.test(url) || !URL.canParse(url))
    throw usageError(`"${address}" is not a URL: write it as https://example.org`)
  return url.replace(/\/+$/, '').replace(/\/api$/, '')
}

/** The same, and throws CommandError if nothing answers there. */
export async function answeringUrl(address: string): Promise<string> {
  const url = baseUrl(address)
  await fetch(url).catch(() => {
    throw new CommandError(`No answer from ${new URL(url).origin}: check the URL`)
  })
  return url
}

/** The place of the parameters in a request. */
export type BodyKind = 'form' | 'query' | 'json'

/** A request that `fetch` sends. */
export interface FetchedCall {
  readonly url: string
  readonly verb: 'GET' | 'POST'
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** The request that carries these parameters. */
export function requestOf(url: string, params: SentParameters, as: BodyKind): FetchedCall {
  const form = String(new URLSearchParams(params))
  if (as === 'query') return { url: `${url}?${form}`, verb: 'GET', body: '', headers: {} }
  const [type, body] =
    as === 'json'
      ? ['application/json', JSON.stringify(params)]
      : ['application/x-www-form-urlencoded;charset=UTF-8', form]
  return { url, verb: 'POST', body, headers: { 'Content-Type': type } }
}

/** Sends a call. Throws CommandError if nothing answers. */
export const sendCall = ({ url, verb, body, headers }: FetchedCall): Promise<Response> =>
  fetch(url, { method: verb, headers, ...(verb === 'POST' && { body }) }).catch(() => {
    throw new CommandError(
      `No answer from ${new URL(url).origin}: run npm start first, or name another address with --url`,
    )
  })

/** A parameter whose value the method does not read, and the reason. */
export interface UnreadValue {
  readonly name: string
  readonly why: string
}

/** Values that a method does not read, in request order, without those of unknown parameters. */
export const unreadValues = (
  params: Readonly<Record<string, Takes>>,
  sent: Readonly<Record<string, string>>,
  zone: string,
): UnreadValue[] =>
  Object.entries(sent).flatMap(([name, value]) => {
    const type = Object.hasOwn(params, name) ? params[name] : undefined
    const why = type && whyUnread(type, value, zone)
    return why === undefined ? [] : [{ name, why }]
  })
