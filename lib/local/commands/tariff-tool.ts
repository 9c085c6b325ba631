import { CommandError, terminalUser } from '#lib/local/terminal.ts'
import { mergeByKey } from '#lib/store/rates/lines.ts'
import type { Version } from '#lib/store/rates/prefix-versions.ts'
import { fromLine, keyOfLine } from '#lib/store/rates/rate-line.ts'
import {
  findTariff,
  listTariffs,
  readRates,
  rollBackRates,
  switchesOfRates,
  type Tariff,
  versionsOfRates,
} from '#lib/store/rates/tariff.ts'

import type { Store } from '#lib/store/store.ts'
import type { Act } from './account-tool.ts'
import { authorisedAs } from './settings-tool.ts'
import { retryAfterImport } from './switches/suspense-tool.ts'

/** One line for each tariff, ascending by id. */
export async function describeTariffs(store: Store): Promise<string[]> {
  return (await listTariffs(store)).map(
    ({ id, name, purpose, currency, owner_id, active, previous }) =>
      `${id} ${name} (${purpose}, ${currency}, owner ${owner_id}): ${describe(active)}` +
      (previous ? `; before it ${describe(previous)}` : ''),
  )
}

const describe = (version: Version | undefined): string =>
  version ? `version ${version.version}, ${version.rows} rates, imported ${version.imported_at}` : 'no rates'

/** Every version of a tariff that is kept, the newest first, a line each. */
export async function describeVersions(store: Store, word: string): Promise<string[]> {
  const { id, active } = await tariffNamed(store, word)
  return (await versionsOfRates(store, id)).map(
    (version) =>
      `${describe(version)}${periodOf(version)}${version.version === active?.version ? ', counts now' : ''}`,
  )
}

const periodOf = ({ active_from, active_till }: Version): string =>
  active_from === undefined
    ? ''
    : `, counted from ${active_from}${active_till === undefined ? '' : ` till ${active_till}`}`

/** Who switched a tariff to which version, oldest first. */
export async function logOfTariff(store: Store, word: string): Promise<string[]> {
  const { id } = await tariffNamed(store, word)
  return (await switchesOfRates(store, id)).map(
    ({ at, who, from, to }) =>
      `${at} ${who}: from ${from === undefined ? 'no rates' : `version ${from}`} to version ${to}`,
  )
}

/** A tariff and the version to bring back; without one, the version that was active before. */
export interface WantedVersion {
  readonly tariff: string
  readonly version?: string | undefined
}

/** Brings a version back; without a version a second time undoes that. */
export async function rollBackTariff(
  store: Store,
  { tariff: word, version: wanted }: WantedVersion,
  { as, now }: Act,
): Promise<string[]> {
  const tariff = await tariffNamed(store, word)
  const who = as === undefined ? terminalUser() : await authorisedAs(store, as)
  const target = wanted === undefined ? undefined : Number(wanted)
  const version = await rollBackRates(store, tariff.id, { version: target, at: now, who })
  if (!version) throw new CommandError(nothingBack(tariff.id, wanted))
  const cured = await retryAfterImport(store, ['rates'], now)
  return [`${tariff.id} ${tariff.name}: ${describe(version)}`, ...(cured === undefined ? [] : [cured])]
}

const nothingBack = (id: number, wanted: string | undefined): string =>
  wanted === undefined
    ? `Tariff ${id} has no version before: there is nothing to bring back.`
    : `Tariff ${id} has no version ${wanted}: npm run tariff -- versions ${id} shows all of them.`

/** Lists what the active version changed: `-` and `+` lines in the order of the rates, then the counts. */
export async function* diffTariff(store: Store, word: string): AsyncGenerator<string> {
  const tariff = await tariffNamed(store, word)
  const count = { added: 0, removed: 0, changed: 0 }
  const [previous, active] = bothVersions(tariff)
  const stored = await readRates(store, tariff, previous)
  const lines = await readRates(store, tariff, active)
  for (const { before, after } of mergeByKey(stored, lines, keyOfLine)) {
    if (before[0] === after[0]) continue
    for (const line of before) yield `- ${printed(line)}`
    for (const line of after) yield `+ ${printed(line)}`
    count[kindOf(before, after)] += 1
  }
  yield `${count.added} added, ${count.removed} removed, ${count.changed} changed`
}

function bothVersions({ id, active, previous }: Tariff): [previous: Version, active: Version] {
  if (active && previous) return [previous, active]
  throw new CommandError(`Tariff ${id} has only one version: there is nothing to compare.`)
}

/** The tariff of an id. Throws CommandError when there is none. */
export async function tariffNamed(store: Store, word: string): Promise<Tariff> {
  const tariff = /^\d{1,15}$/.test(word) ? await findTariff(store, Number(word)) : undefined
  if (!tariff) throw new CommandError(`There is no tariff ${word}: npm run tariff -- list shows all of them.`)
  return tariff
}

function kindOf(before: readonly string[], after: readonly string[]): 'added' | 'removed' | 'changed' {
  if (before.length === 0) return 'added'
  return after.length === 0 ? 'removed' : 'changed'
}

function printed(line: string): string {
  const { prefix, destination, tariff_rate, con_fee, increment, min_time, ...rate } = fromLine(line)
  const since =
    rate.effective_from === undefined ? [] : [`from ${new Date(rate.effective_from * 1000).toISOString()}`]
  const price = `${tariff_rate} + ${con_fee} (${increment}/${min_time})`
  return [prefix, destination, price, `${rate.start_time}-${rate.end_time} ${rate.daytype}`, ...since].join(
    '  ',
  )
}
