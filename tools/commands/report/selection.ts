import { daysToToday } from '#lib/acts/inputs.ts'
import type { Days, DaysFromTo } from '#lib/base/calendar.ts'
import type { CallSelection } from '#lib/calls/report/calls-report.ts'
import type { Dimension } from '#lib/calls/report/dimensions.ts'
import { findDevices, findIdsOfDevices } from '#lib/devices/device-stored.ts'
import { daysOfMonth, type Month } from '#lib/invoicing/month.ts'
import { destinationIn, directoryList, findDirectory } from '#lib/rates/destination.ts'
import { pagesOf } from '#lib/rates/prefix-versions.ts'
import { fromLine, listTariffs, ratesOf } from '#lib/rates/tariff.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { CommandError, usageError } from '#tools/machine/terminal.ts'
import { findAccountNamed, findProvidersNamed } from '../../command-line/named.ts'
import type { DID_FILTERS, DidsOptions } from './dids-report.ts'

/** The dimensions that have an option to select calls. */
export const FILTERS = [
  'customer',
  'provider',
  'device',
  'country',
  'destination',
  'line',
  'direction',
  'disposition',
  'hangupcause',
] as const satisfies readonly Dimension[]

/** The words of the options, as an operator writes them. */
export type SelectionWords = Readonly<Partial<Record<(typeof FILTERS)[number], readonly string[]>>>

/** Reads the options that select calls. Throws CommandError for an unknown account, provider or device. */
export async function readSelection(
  store: Store,
  { customer, provider, device, ...others }: SelectionWords,
): Promise<Omit<CallSelection, 'days'>> {
  await refuseUnknown(store, others)
  const customers = await customerIds(store, customer)
  return {
    customers: customers && [...customers],
    filters: await wantedLabels(store, { provider, device, ...others }),
  }
}

type DidWords = Readonly<Partial<Record<(typeof DID_FILTERS)[number], readonly string[]>>>

/** Reads the options that select DIDs. Throws CommandError for an unknown account, provider or device. */
export async function readDidFilters(store: Store, words: DidWords): Promise<DidsOptions['filters']> {
  await customerIds(store, words.customer)
  return wantedLabels(store, words)
}

/** The labels that options name, by the name of the option. Providers and devices are given by name or id. */
async function wantedLabels<N extends string>(
  store: Store,
  words: Readonly<Partial<Record<N, readonly string[] | undefined>>>,
): Promise<ReadonlyMap<N, ReadonlySet<string>>> {
  const labels = new Map<N, ReadonlySet<string>>()
  for (const [name, given] of Object.entries(words) as [N, readonly string[] | undefined][]) {
    const named = given && (await (NAME_FINDERS[name]?.(store, given) ?? given))
    if (named) labels.set(name, new Set(named.map(inLabelForm)))
  }
  return labels
}

const NAME_FINDERS: Readonly<Record<string, (store: Store, words: readonly string[]) => Promise<string[]>>> =
  {
    provider: async (store, words) => (await findProvidersNamed(store, words)).map(({ name }) => name),
    device: deviceNames,
  }

/** Without this, a misspelled word would select no calls. */
async function refuseUnknown(
  store: Store,
  { country, destination, hangupcause }: SelectionWords,
): Promise<void> {
  const cause = hangupcause?.find((word) => !/^\d+$/.test(word))
  if (cause !== undefined) throw usageError(`--hangupcause ${cause}: use a number, such as 16`)
  if (!country && !destination) return
  const wanted = [
    ...(country ?? []).map((word) => ({ noun: 'country', word }) as const),
    ...(destination ?? []).map((word) => ({ noun: 'destination', word }) as const),
  ]
  const unknown = await unknownNames(store, wanted)
  if (unknown)
    throw new CommandError(
      `There is no ${unknown.noun} ${unknown.word} in the directory or in a tariff: report calls --by ${unknown.noun} lists those of calls`,
    )
}

interface NamedPlace {
  readonly noun: 'country' | 'destination'
  readonly word: string
}

/** The first name that neither the directory nor a tariff's rates have, read as far as needed. */
async function unknownNames(store: Store, wanted: readonly NamedPlace[]): Promise<NamedPlace | undefined> {
  let missing = wanted
  for await (const { direction, destination } of namedPlaces(store)) {
    const names = { country: direction.toLowerCase(), destination: destination.toLowerCase() }
    missing = missing.filter(({ noun, word }) => names[noun] !== inLabelForm(word))
    if (missing.length === 0) return undefined
  }
  return missing[0]
}

async function* namedPlaces(
  store: Store,
): AsyncGenerator<{ readonly direction: string; readonly destination: string }> {
  for await (const lines of pagesOf(store, directoryList, await findDirectory(store)))
    yield* lines.map(destinationIn)
  for (const tariff of await listTariffs(store))
    for await (const lines of pagesOf(store, ratesOf(tariff.id), tariff.active)) yield* lines.map(fromLine)
}

/** `no_answer`, as the API writes it, is `NO ANSWER` in a call. */
export const inLabelForm = (word: string): string =>
  word
    .trim()
    .toLowerCase()
    .replace(/^no_answer$/, 'no answer')

/** The ids of named customers; `undefined` if none are named. */
export async function customerIds(
  store: Store,
  words: readonly string[] | undefined,
): Promise<ReadonlySet<number> | undefined> {
  const accounts = words && (await Promise.all(words.map((word) => findAccountNamed(store, word))))
  return accounts && new Set(accounts.map(({ id }) => id))
}

/** The name of a device wins over the id of another one. */
async function deviceNames(store: Store, words: readonly string[]): Promise<string[]> {
  const named = await findIdsOfDevices(store, words)
  const ids = words.map((word, index) => named[index] ?? (/^\d{1,15}$/.test(word) ? Number(word) : NO_ID))
  const devices = await findDevices(store, ids)
  return devices.map((device, index) => {
    if (device) return device.name
    throw new CommandError(`There is no device with the name or the id ${words[index]}`)
  })
}

const NO_ID = -1

/** The days of the options; by default this month up to today, in the installation's zone. */
export const daysOf = async (
  store: Store,
  now: Date,
  { month, ...days }: DaysFromTo & { readonly month?: Month | undefined },
): Promise<Days> =>
  month === undefined ? daysToToday(days, now, await settingsOf(store)) : daysOfMonth(month)
