import { LONGEST_PREFIX, matchRate, type Rate, type When } from '#lib/domain/rates/rating.ts'
import { type Imported, id, importedReader, type Row, requiredText, text } from '#lib/store/columns.ts'
import { absent, is } from '#lib/store/conditions.ts'
import { defineEntity } from '#lib/store/entity.ts'
import type { Item } from '#lib/store/items.ts'
import { directoryKeys, tariffKeys } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { toDirectory } from './destination.ts'
import {
  activeVersion,
  findLines,
  type PagedList,
  pagesOf,
  previousVersion,
  readLines,
  readVersions,
  type Version,
} from './prefix-versions.ts'
import { fromLine } from './rate-line.ts'
import {
  listSwitches,
  listVersions,
  rollBack,
  type VersionSwitch,
  type WantedRollback,
} from './version-history.ts'
import { type NewLines, replaceLines } from './version-replacement.ts'

// Shape

export const tariffColumns = {
  id,
  name: requiredText,
  /** For example retail. */
  purpose: text('retail'),
  /** A currency's name; blank is the default currency. */
  currency: text(),
  owner_id: id,
}

export type TariffRow = Row<typeof tariffColumns>

/** The header of a tariff; its rates are pages of the active version. */
export interface Tariff extends Imported<TariffRow> {
  /** `undefined`: no rates were ever imported. */
  readonly active: Version | undefined
  /** What a rollback brings back. */
  readonly previous: Version | undefined
}

const readRow = importedReader(tariffColumns)

function readTariff(item: Item): Tariff {
  const versions = readVersions(item)
  return { ...readRow(item), active: activeVersion(versions), previous: previousVersion(versions) }
}

export const toTariff = (item: Item | undefined): Tariff | undefined => item && readTariff(item)

// Keys

const ratesOf = (tariffId: number): PagedList => ({
  header: tariffKeys.item(tariffId),
  pages: (version) => tariffKeys.pages(tariffId, version),
})

// Access patterns

export const { find: findTariff, findMany: findTariffs } = defineEntity({
  key: tariffKeys.item,
  read: readTariff,
})

/** A tariff and, in the same round trip, the version of the directory of destinations that counts. */
export async function findTariffWithDirectory(
  store: Store,
  tariffId: number,
): Promise<{ tariff: Tariff | undefined; directory: Version | undefined }> {
  const [tariff, directory] = await store.getMany([tariffKeys.item(tariffId), directoryKeys.item])
  return { tariff: toTariff(tariff), directory: toDirectory(directory) }
}

/** Every tariff, ascending by id. */
export async function listTariffs(store: Store): Promise<Tariff[]> {
  const items = await store.list({ index: 'GSI1', partition: tariffKeys.all })
  return items.map(readTariff)
}

/** Whether there is any. */
export async function hasTariffs(store: Store): Promise<boolean> {
  const pages = store.pages({ index: 'GSI1', partition: tariffKeys.all, pageSize: 1 })
  for await (const page of pages) if (page.length > 0) return true
  return false
}

/**
 * The rate of a dialled number at a moment (wire.md rate_get): one page, whatever the tariff holds; of a
 * tariff given by its id, the header before that. `digits` are digits only.
 */
export async function findRate(
  store: Store,
  tariff: Tariff | number,
  { digits, ...when }: When & { readonly digits: string },
): Promise<Rate | undefined> {
  const header = typeof tariff === 'number' ? await findTariff(store, tariff) : tariff
  return header && rateAmong(await findRatesFor(store, header, digits), { digits, ...when })
}

/** All rates of a tariff whose prefix is a leading part of the digits: one page. */
export async function findRatesFor(store: Store, tariff: Tariff, digits: string): Promise<Rate[]> {
  const leading = digits.slice(0, LONGEST_PREFIX)
  const lines = await findLines(store, ratesOf(tariff.id), { version: tariff.active, digits: leading })
  return lines.map(fromLine)
}

/** The one of them that is in force. */
export const rateAmong = (
  rates: readonly Rate[],
  { digits, ...when }: When & { readonly digits: string },
): Rate | undefined =>
  matchRate((prefix) => rates.filter((rate) => rate.prefix === prefix), digits.slice(0, LONGEST_PREFIX), when)

/** The rates page by page, by prefix, then effective_from, then start_time. Throws PagesMissing. */
export async function* pagesOfRates(
  store: Store,
  { id: tariffId }: Pick<Tariff, 'id'>,
  version: Version | undefined,
): AsyncGenerator<Rate[]> {
  for await (const lines of linesOfRates(store, { id: tariffId }, version)) yield lines.map(fromLine)
}

/** All rates as lines, for what compares them with others. Throws PagesMissing. */
export const readRates = (store: Store, { id: tariffId }: Pick<Tariff, 'id'>, version: Version | undefined) =>
  readLines(store, ratesOf(tariffId), version)

/** The rates page by page as lines. */
export const linesOfRates = (
  store: Store,
  { id: tariffId }: Pick<Tariff, 'id'>,
  version: Version | undefined,
): AsyncGenerator<readonly string[]> => pagesOf(store, ratesOf(tariffId), version)

/** The columns in place of what was read; its rates stay. Throws ConditionFailed when they have changed since. */
export async function replaceTariff(
  store: Store,
  before: Tariff | undefined,
  after: TariffRow & { readonly digest: string },
): Promise<void> {
  const index = { GSI1PK: tariffKeys.all, GSI1SK: tariffKeys.place(after.id) }
  const asRead = before ? { owner_id: is(before.owner_id) } : { PK: absent }
  await store.update(tariffKeys.item(after.id), { set: { ...index, ...after } }, asRead)
}

/** All rates of a tariff in one switch; versions before can be brought back. Throws ConditionFailed. */
export const replaceRates = (store: Store, tariffId: number, lines: NewLines) =>
  replaceLines(store, ratesOf(tariffId), lines)

/** Brings back a version of the rates, the one before where none is named; `undefined` when there is none. */
export const rollBackRates = (
  store: Store,
  tariffId: number,
  wanted: WantedRollback,
): Promise<Version | undefined> => rollBack(store, ratesOf(tariffId), wanted)

/** Every version of its rates that is kept, the newest first. */
export const versionsOfRates = (store: Store, tariffId: number): Promise<Version[]> =>
  listVersions(store, ratesOf(tariffId))

/** Who switched to which version, the oldest first. */
export const switchesOfRates = (store: Store, tariffId: number): Promise<VersionSwitch[]> =>
  listSwitches(store, ratesOf(tariffId))
