import { isBlocked } from '#lib/domain/rates/rating.ts'
import { NO_ROWS } from '#lib/domain/row-refused.ts'
import { changeOf, mergeByKey } from '#lib/store/rates/lines.ts'
import type { Version } from '#lib/store/rates/prefix-versions.ts'
import { fromLine, keyOfLine } from '#lib/store/rates/rate-line.ts'
import {
  listTariffs,
  readRates,
  rollBackRates,
  switchesOfRates,
  type Tariff,
  versionsOfRates,
} from '#lib/store/rates/tariff.ts'
import type { Store } from '#lib/store/store.ts'
import { describeRates } from '#lib/tariffs/tariff-change.ts'
import { CommandError, countOf, terminalUser } from '#tools/machine/terminal.ts'
import type { Act } from './account-tool.ts'
import type { Listing } from './listing.ts'
import { findTariffNamed } from './named.ts'
import { authorisedAs } from './settings-tool.ts'
import { retryAfterImport } from './switches/suspense-tool.ts'

/** Every tariff with its active and its previous version, ascending by id. */
export async function listTariffRows(store: Store): Promise<Listing> {
  return {
    columns: {
      id: 'number',
      name: 'text',
      purpose: 'text',
      currency: 'text',
      owner: 'number',
      version: 'number',
      rates: 'number',
      imported: 'text',
      previous_version: 'number',
      previous_rates: 'number',
    },
    rows: (await listTariffs(store)).map(({ owner_id, active, previous, ...tariff }) => ({
      ...tariff,
      owner: owner_id,
      version: active?.version,
      rates: active?.rows ?? 0,
      imported: active?.imported_at,
      previous_version: previous?.version,
      previous_rates: previous?.rows,
    })),
    summary: (count) => countOf(count, 'tariff'),
  }
}

const describeVersion = (version: Version | undefined): string =>
  version
    ? `version ${version.version}, ${countOf(version.rows, 'rate')}, imported ${version.imported_at}`
    : 'no rates'

/** A line for each kept version of a tariff, the newest first. */
export async function showTariffVersions(store: Store, word: string): Promise<string[]> {
  const { id, active } = await findTariffNamed(store, word)
  return (await versionsOfRates(store, id)).map(
    (version) =>
      `${describeVersion(version)}${periodOf(version)}${version.version === active?.version ? ', active now' : ''}`,
  )
}

const periodOf = ({ active_from, active_till }: Version): string =>
  active_from === undefined
    ? ''
    : `, active from ${active_from}${active_till === undefined ? '' : ` till ${active_till}`}`

/** A line for each switch of a tariff to a version, oldest first. */
export async function showTariffLog(store: Store, word: string): Promise<string[]> {
  const { id } = await findTariffNamed(store, word)
  return (await switchesOfRates(store, id)).map(
    ({ at, who, from, to }) =>
      `${at} ${who}: from ${from === undefined ? 'no rates' : `version ${from}`} to version ${to}`,
  )
}

/** Activates a version again; by default the previous one, so that a second rollback undoes the first. */
export async function rollBackTariff(
  store: Store,
  word: string,
  wanted: string | undefined,
  { as, now }: Act,
): Promise<string[]> {
  const tariff = await findTariffNamed(store, word)
  const who = as === undefined ? terminalUser() : await authorisedAs(store, as)
  const target = wanted === undefined ? undefined : Number(wanted)
  const version = await rollBackRates(store, tariff.id, { version: target, at: now, who })
  if (!version) throw new CommandError(missingVersion(tariff.id, wanted))
  const cured = await retryAfterImport(store, ['rates'], now)
  return [`${tariff.id} ${tariff.name}: ${describeVersion(version)}`, ...(cured === undefined ? [] : [cured])]
}

const missingVersion = (id: number, wanted: string | undefined): string =>
  wanted === undefined
    ? `Tariff ${id} has no previous version: there is nothing to roll back.`
    : `Tariff ${id} has no version ${wanted}: npx tollgate tariff versions ${id} shows all of them.`

/** Yields the changes of the active version: `-` and `+` lines in the order of the rates, then the counts. */
export async function* showTariffDifference(store: Store, word: string): AsyncGenerator<string> {
  const tariff = await findTariffNamed(store, word)
  const count = { ...NO_ROWS }
  const [previous, active] = bothVersions(tariff)
  const stored = await readRates(store, tariff, previous)
  const lines = await readRates(store, tariff, active)
  for (const rate of mergeByKey(stored, lines, keyOfLine)) {
    const kind = changeOf(rate)
    count[kind] += 1
    if (kind === 'unchanged') continue
    for (const line of rate.before) yield `- ${describeLine(line, tariff)}`
    for (const line of rate.after) yield `+ ${describeLine(line, tariff)}`
  }
  yield describeRates(count)
}

function bothVersions({ id, active, previous }: Tariff): [previous: Version, active: Version] {
  if (active && previous) return [previous, active]
  throw new CommandError(`Tariff ${id} has only one version: there is nothing to compare.`)
}

function describeLine(line: string, { currency }: Tariff): string {
  const { prefix, destination, tariff_rate, con_fee, increment, min_time, ...rate } = fromLine(line)
  const since =
    rate.effective_from === undefined ? [] : [`from ${new Date(rate.effective_from * 1000).toISOString()}`]
  const unit = currency === '' ? '' : ` ${currency}`
  const price = isBlocked({ tariff_rate })
    ? 'blocked'
    : `${tariff_rate} + ${con_fee}${unit} (${increment}/${min_time})`
  return [prefix, destination, price, `${rate.start_time}-${rate.end_time} ${rate.daytype}`, ...since].join(
    '  ',
  )
}
