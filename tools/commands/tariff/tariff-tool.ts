import { NO_ROWS, type RowCounts } from '#lib/base/row-refused.ts'
import { changeOf, type LineGroup, mergeByKey } from '#lib/rates/lines.ts'
import { readLines } from '#lib/rates/prefix-versions.ts'
import { fromLine, keyOfLine } from '#lib/rates/rate-line.ts'
import { isBlocked } from '#lib/rates/rating.ts'
import { listTariffs, ratesOf, type Tariff } from '#lib/rates/tariff.ts'
import { describeRates } from '#lib/rates/tariff-change.ts'
import { listSwitches, listVersions, rollBack } from '#lib/rates/version-history.ts'
import type { Store } from '#lib/table/store.ts'
import { type ListedRow, type Listing, zoneOf } from '../../command-line/listing.ts'
import { findTariffNamed } from '../../command-line/named.ts'
import { type Act, operatorOf } from '../../command-line/over-table.ts'
import { CommandError, countOf } from '../../machine/terminal.ts'
import { retryAfterImport } from '../suspense/suspense-tool.ts'

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
      imported: 'time',
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
    zone: await zoneOf(store),
    summary: (count) => countOf(count, 'tariff'),
  }
}

/** The kept versions of a tariff, the newest first. */
export async function listTariffVersions(store: Store, word: string): Promise<Listing> {
  const { id, active } = await findTariffNamed(store, word)
  return {
    columns: {
      version: 'number',
      rates: 'number',
      imported: 'time',
      active_from: 'time',
      active_till: 'time',
      active: 'text',
    },
    rows: (await listVersions(store, ratesOf(id))).map(({ rows, imported_at, ...kept }) => ({
      ...kept,
      rates: rows,
      imported: imported_at,
      active: kept.version === active?.version,
    })),
    zone: await zoneOf(store),
    summary: (count) => countOf(count, 'version'),
  }
}

/** The switches of a tariff to a version, oldest first. The first one comes from no version. */
export async function listTariffSwitches(store: Store, word: string): Promise<Listing> {
  const { id } = await findTariffNamed(store, word)
  return {
    columns: { at: 'time', who: 'text', from_version: 'number', to_version: 'number' },
    rows: (await listSwitches(store, ratesOf(id))).map(({ at, who, from, to }) => ({
      at,
      who,
      from_version: from,
      to_version: to,
    })),
    zone: await zoneOf(store),
    summary: (count) => countOf(count, 'change'),
  }
}

/** Activates a version again; by default the previous one, so that a second rollback undoes the first. */
export async function rollBackTariff(
  store: Store,
  word: string,
  wanted: string | undefined,
  act: Act,
): Promise<string[]> {
  const tariff = await findTariffNamed(store, word)
  const who = await operatorOf(store, act)
  const target = wanted === undefined ? undefined : Number(wanted)
  const version = await rollBack(store, ratesOf(tariff.id), { version: target, at: act.now, who })
  if (!version)
    throw new CommandError(
      wanted === undefined
        ? `Tariff ${tariff.id} has no previous version: there is nothing to roll back`
        : `Tariff ${tariff.id} has no version ${wanted}: npx tollgate tariff versions ${tariff.id} shows all of them`,
    )
  const cured = await retryAfterImport(store, ['rates'], act.now)
  const active = `${tariff.id} ${tariff.name}: version ${version.version}, ${countOf(version.rows, 'rate')}`
  return [active, ...(cured === undefined ? [] : [cured])]
}

/** Rates that the active version removed (`-`) and added (`+`), in order. A changed rate is both. */
export async function listTariffDifference(store: Store, word: string): Promise<Listing> {
  const tariff = await findTariffNamed(store, word)
  const { id, active, previous } = tariff
  if (!active || !previous)
    throw new CommandError(`Tariff ${id} has only one version: there is nothing to compare`)
  const stored = await readLines(store, ratesOf(id), previous)
  const lines = await readLines(store, ratesOf(id), active)
  const count = { ...NO_ROWS }
  return {
    columns: {
      change: 'text',
      prefix: 'text',
      destination: 'text',
      rate: 'number',
      fee: 'number',
      currency: 'text',
      increment: 'number',
      minimum: 'number',
      hours: 'text',
      days: 'text',
      effective_from: 'time',
      ends_at: 'time',
    },
    rows: changedRates(mergeByKey(stored, lines, keyOfLine), tariff, count),
    zone: await zoneOf(store),
    summary: () => describeRates(count),
  }
}

/** Yields the rates that differ, and counts all. */
function* changedRates(
  groups: Iterable<LineGroup>,
  { currency }: Tariff,
  count: RowCounts,
): Generator<ListedRow> {
  for (const group of groups) {
    const kind = changeOf(group)
    count[kind] += 1
    if (kind === 'unchanged') continue
    for (const line of group.before) yield { change: '-', currency, ...rateCells(line) }
    for (const line of group.after) yield { change: '+', currency, ...rateCells(line) }
  }
}

function rateCells(line: string): ListedRow {
  const { prefix, destination, tariff_rate, con_fee, increment, min_time, ...rate } = fromLine(line)
  return {
    prefix,
    destination,
    rate: isBlocked({ tariff_rate }) ? 'blocked' : tariff_rate,
    fee: con_fee,
    increment,
    minimum: min_time,
    hours: `${rate.start_time}-${rate.end_time}`,
    days: rate.daytype,
    effective_from: rate.effective_from,
    ends_at: rate.ends_at,
  }
}
