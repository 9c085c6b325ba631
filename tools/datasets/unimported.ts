import { findCallers } from '#lib/accounts/account.ts'
import { nameGivenUp } from '#lib/accounts/former-name.ts'
import { accounts, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { countOf } from '#lib/base/text.ts'
import { type Invoice, invoices } from '#lib/billing/invoice.ts'
import { keysOfPages } from '#lib/billing/invoice-product.ts'
import { openListFile } from '#lib/csv/list-file.ts'
import { csvLine } from '#lib/csv/writer.ts'
import { entities } from '#lib/dataset/entities.ts'
import { openDataset } from '#lib/dataset/import/folder.ts'
import { type DeviceRule, deleteDeviceRule, deviceRules } from '#lib/devices/device-rule-stored.ts'
import { type Device, devices, findDevice } from '#lib/devices/device-stored.ts'
import { deleteDevice } from '#lib/devices/device-writing.ts'
import { claimKey } from '#lib/devices/dialled.ts'
import { type LocationRule, locationRules } from '#lib/devices/location-rule-stored.ts'
import { deleteLocationRule } from '#lib/devices/location-rule-writing.ts'
import { usernameGivenUp } from '#lib/devices/taken-name.ts'
import { type PagedList, readVersions } from '#lib/rates/prefix-versions.ts'
import { ratesOf, type Tariff, tariffs } from '#lib/rates/tariff.ts'
import { listVersions, removePages, versionKeys } from '#lib/rates/version-history.ts'
import type { Entity, Stored } from '#lib/table/entity.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import type { Item } from '#lib/table/items.ts'
import { keyIn } from '#lib/table/keys.ts'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { agreesTo, CommandError, printLine } from '#tools/machine/terminal.ts'
import { findSurplus, type RemovableRow, type Surplus, type SurplusRow } from './surplus.ts'

export interface SurplusOptions {
  readonly list: string
  readonly remove?: true | undefined
  readonly acceptRejected?: true | undefined
  readonly yes?: true | undefined
}

const NOTHING_LEFT = 0
const ROWS_LEFT = 1

/** Lists what a table has beyond a dataset, and removes it if approved. Returns the exit code. */
export async function reportSurplus(
  store: Store,
  pages: AsyncIterable<readonly Item[]>,
  folder: string,
  { list, remove, acceptRejected, yes }: SurplusOptions,
): Promise<number> {
  const { files } = await openDataset(folder)
  const surplus = await findSurplus(files, pages)
  await printList(surplus.rows, list)
  if (surplus.rows.length === 0) return NOTHING_LEFT
  if (!remove || surplus.removable.length === 0) return ROWS_LEFT
  if (!acceptRejected) refuseIncomplete(surplus)
  if (!(yes || (await agreesTo(`Remove ${countOf(surplus.removable.length, 'row')}?`)))) {
    printLine('Nothing was removed: agree at a terminal, or pass --yes')
    return ROWS_LEFT
  }
  const staying = await removeSurplus(store, surplus.removable)
  printLine(`${countOf(surplus.removable.length - staying.length, 'row')} removed`)
  for (const { file, id, stays } of staying) printLine(`${file} ${id} stays: ${stays}`)
  return surplus.rows.length > surplus.removable.length - staying.length ? ROWS_LEFT : NOTHING_LEFT
}

async function printList(rows: readonly SurplusRow[], list: string): Promise<void> {
  for (const [file, ofFile] of Map.groupBy(rows, (row) => row.file)) {
    const staying = ofFile.filter(({ stays }) => stays !== '').length
    printLine(`${file}: ${countOf(ofFile.length, 'surplus row')}, ${ofFile.length - staying} can be removed`)
  }
  if (rows.length === 0) return printLine('The table has no row that the dataset lacks')
  const file = await openListFile(list)
  const lines = rows.map(({ file: of, id, name, stays }) => csvLine([of, id, name, stays]))
  await file.writeFile([csvLine(['file', 'id', 'name', 'stays']), ...lines].join(''))
  await file.close()
  printLine(`All of them: ${list}`)
}

/** A row is only removed once those that take its place are stored. */
function refuseIncomplete({ missing }: Surplus): void {
  const lacking = [...missing].filter(([, count]) => count > 0)
  if (lacking.length === 0) return
  const files = lacking.map(([file, count]) => `${countOf(count, 'row')} of ${file}`).join(', ')
  throw new CommandError(
    `The table lacks ${files}: import the dataset first, or pass --accept-rejected if the import refuses them`,
  )
}

/** Removes rows in order, each in a transaction with its belongings. Returns what stays, and why. */
export async function removeSurplus(store: Store, rows: readonly RemovableRow[]): Promise<SurplusRow[]> {
  const staying: SurplusRow[] = []
  for (const row of rows) {
    const stays = await removeRow(store, row)
    if (stays !== undefined) staying.push({ ...row, stays })
  }
  return staying
}

/** Removes a row unless it was changed since it was listed. Returns the reason why it stays. */
async function removeRow(store: Store, { entity, id, row }: RemovableRow): Promise<string | undefined> {
  const now = await entity.find(store, id)
  if (!now) return undefined
  if (isNamed(now) || comparedText(entity, now) !== comparedText(entity, row)) return CHANGED
  const remove = REMOVERS.get(entity) ?? (async () => done(store.transact(changesOf(entity, now, undefined))))
  return remove(store, now).catch((error: unknown) => {
    if (error instanceof ConditionFailed) return CHANGED
    throw error
  })
}

const CHANGED = 'it was changed meanwhile'

/** The attributes that count the rows which name theirs. A removal changes them, and the version. */
const COUNTERS = new Set(entities.flatMap(({ requires }) => requires.flatMap(({ counted = [] }) => counted)))

const isNamed = (row: Item): boolean =>
  [...COUNTERS].some((name) => Number(row[name] ?? 0) !== 0) || Boolean(row['paid_by'])

/** A list of rows does not have what stands beside them. */
const comparedText = ({ beside }: Entity, row: Stored<Item>): string =>
  JSON.stringify(beside?.own(row) ?? row, (name, value) =>
    name === 'version' || COUNTERS.has(name) ? undefined : value,
  )

type Remover = (store: Store, row: Stored<Item>) => Promise<string | undefined>

const done = (removal: Promise<void>): Promise<undefined> => removal.then(() => undefined)

/** Rows to which more belongs than the items of their entity. */
const REMOVERS: ReadonlyMap<unknown, Remover> = new Map<unknown, Remover>([
  [devices, (store, row) => done(deleteDevice(store, row as unknown as Device))],
  [locationRules, (store, row) => done(deleteLocationRule(store, row as unknown as LocationRule))],
  [tariffs, (store, row) => done(deleteTariff(store, row as unknown as Tariff))],
  [deviceRules, removeRule],
  [accounts, removeAccount],
  [invoices, removeInvoice],
])

async function removeRule(store: Store, row: Stored<Item>): Promise<undefined> {
  const rule = row as unknown as Stored<DeviceRule>
  const device = await findDevice(store, rule.device_id)
  if (device) await deleteDeviceRule(store, device, rule)
}

async function removeAccount(store: Store, row: Stored<Item>): Promise<string | undefined> {
  const account = row as unknown as WholeAccount
  const [caller] = await findCallers(store, [account.username])
  if (caller?.keys?.length) return 'it has keys: revoke them with npx tollgate key'
  const name = nameGivenUp(account, secondsOf(new Date()))
  const word = usernameGivenUp(account.id, await store.get(claimKey(account.username)))
  await store.transact([...changesOf(accounts, account, undefined), name, ...word])
  return undefined
}

async function removeInvoice(store: Store, row: Stored<Item>): Promise<undefined> {
  await store.transact(changesOf(invoices as unknown as Entity, row, undefined))
  await store.removeBatch(keysOfPages(row as unknown as Invoice))
}

/** Deletes a tariff, then its rates of all versions. Throws ConditionFailed if it has changed. */
async function deleteTariff(store: Store, tariff: Tariff): Promise<void> {
  const list = ratesOf(tariff.id)
  const { leftovers } = readVersions(await store.get(list.header))
  const kept = await listVersions(store, list)
  const versions = [...leftovers, ...kept.map(({ version }) => version)]
  await store.transact(changesOf(tariffs, tariff, undefined))
  await removeVersions(store, list, versions)
}

/** Deletes the pages, the versions and the log of a list whose header is gone. */
async function removeVersions(store: Store, list: PagedList, versions: readonly number[]): Promise<void> {
  await removePages(store, list, versions)
  const { PK } = list.header
  const kept = await store.list(versionKeys.kept.range(PK))
  const logged = await store.list(versionKeys.logEntry.range(PK))
  await store.removeBatch([...kept, ...logged].map(keyIn))
}
