import { findCallers } from '#lib/accounts/account.ts'
import { nameGivenUp } from '#lib/accounts/former-name.ts'
import { accounts, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { createDigestMap } from '#lib/base/digest.ts'
import { countOf } from '#lib/base/text.ts'
import { OF_DOCUMENTS } from '#lib/billing/adjustment.ts'
import { type Invoice, invoices } from '#lib/billing/invoice.ts'
import { keysOfPages } from '#lib/billing/invoice-product.ts'
import { identityName, isCall, readCall } from '#lib/calls/call.ts'
import { openListFile } from '#lib/csv/list-file.ts'
import { csvLine } from '#lib/csv/writer.ts'
import { entities } from '#lib/dataset/entities.ts'
import { type FileName, fileNames } from '#lib/dataset/import/files.ts'
import { openDataset } from '#lib/dataset/import/folder.ts'
import type { OpenFile } from '#lib/dataset/import/import.ts'
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
import type { Cells } from '#lib/table/cells/row-source.ts'
import { type Entity, idColumnOf, type Stored } from '#lib/table/entity.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, isUnder, type KeyForm, keyIn } from '#lib/table/keys.ts'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { agreesTo, CommandError, printLine } from '#tools/machine/terminal.ts'
import { exportedRows } from '../commands/export/exported-rows.ts'

const ENTITY_FILES = fileNames.flatMap((file) => {
  const { entity } = exportedRows[file]
  return entity ? [{ file, entity, holds: isUnder(entity.key) }] : []
})

/** A row of the table that the dataset lacks. */
interface UnimportedRow {
  readonly file: FileName
  /** The id, or the unique id of a call. */
  readonly id: string
  readonly name: string
  /** Why it is not removed; blank if it can be. */
  readonly stays: string
}

/** An unimported row that can be removed, with the row as it was read. */
interface RemovableRow extends UnimportedRow {
  readonly entity: Entity
  readonly row: Stored<Item>
}

interface Unimported {
  readonly rows: readonly UnimportedRow[]
  /** In an order in which every row comes after those that name it. */
  readonly removable: readonly RemovableRow[]
  readonly missing: ReadonlyMap<FileName, number>
}

/** Finds a table's rows that a dataset lacks. Kinds without a file in the dataset are not compared. */
export async function findUnimported(
  files: readonly OpenFile[],
  pages: AsyncIterable<readonly Item[]>,
): Promise<Unimported> {
  const wanted = await readWanted(files)
  const uses = createUses()
  const staying: UnimportedRow[] = []
  const open: RemovableRow[] = []
  for await (const page of pages) {
    for (const item of page) {
      if (isCall(item)) staying.push(...unimportedCall(item, wanted, uses))
      else open.push(...unimportedRow(item, wanted, uses))
    }
  }
  const fixed = open.filter(({ stays }) => stays !== '')
  const removable = inOrderOfRemoval(
    open.filter(({ stays }) => stays === ''),
    uses,
  )
  const going = new Set(removable)
  const named = open.filter((row) => row.stays === '' && !going.has(row))
  const rows = [
    ...staying,
    ...fixed,
    ...removable,
    ...named.map((row) => ({ ...row, stays: uses.reason(row) })),
  ]
  const inOrder = rows.toSorted(
    (one, other) =>
      fileNames.indexOf(one.file) - fileNames.indexOf(other.file) || Number(one.id) - Number(other.id),
  )
  return { rows: inOrder, removable, missing: wanted.missing() }
}

function unimportedCall(item: Item, wanted: WantedRows, uses: Uses): UnimportedRow[] {
  const call = readCall(item)
  uses.add(accountKey, call.user_id)
  uses.add(accountKey, call.owner_id)
  if (wanted.has('calls', identityName(call))) return []
  return [
    { file: 'calls', id: call.uniqueid, name: `${call.day} ${call.dst}`, stays: 'calls are never removed' },
  ]
}

function unimportedRow(item: Item, wanted: WantedRows, uses: Uses): RemovableRow[] {
  const { file, entity } = ENTITY_FILES.find(({ holds }) => holds(item)) ?? {}
  if (!file || !entity) return []
  const row = entity.read(item)
  uses.addNamed(entity, row)
  const id = String(row[idColumnOf(entity)])
  if (wanted.has(file, id)) return []
  const name = String(row['name'] ?? row['username'] ?? row['did'] ?? row['number'] ?? '')
  return [{ file, id, name, stays: lastingReason(file, row), entity, row }]
}

/** The reason why a row always stays. */
function lastingReason(file: FileName, { usertype, month, invoice_id, who }: Item): string {
  if (file === 'currencies') return 'amounts may be in this currency'
  if (file === 'users' && usertype === 'admin') return 'it is an admin'
  if (month) return 'it was issued here'
  if (invoice_id !== undefined) return 'it pays an invoice'
  return file === 'adjustments' && who === OF_DOCUMENTS ? 'it belongs to an issued document' : ''
}

/** The rows that nothing refers to, then those that only these refer to, and so on. */
function inOrderOfRemoval(rows: readonly RemovableRow[], uses: Uses): RemovableRow[] {
  const free = rows.filter((row) => !uses.isUsed(row))
  if (free.length === 0) return []
  for (const { entity, row } of free) uses.removeNamed(entity, row)
  const gone = new Set(free)
  return [
    ...free,
    ...inOrderOfRemoval(
      rows.filter((row) => !gone.has(row)),
      uses,
    ),
  ]
}

interface EntityRow {
  readonly entity: Entity
  readonly row: Item
}

type Uses = ReturnType<typeof createUses>

/** Counts how many rows name each row of a table. */
function createUses() {
  const counts = new Map<string, number>()
  const add = (names: KeyForm, id: unknown, by = 1): void => {
    if (id === undefined) return
    const name = nameOf(names, id)
    counts.set(name, (counts.get(name) ?? 0) + by)
  }
  const addAll = ({ key, requires }: Entity, row: Item, by: number): void => {
    for (const { column, names, mayGo } of requires)
      if (!mayGo && !(names === key && row[column] === row['id'])) add(names, row[column], by)
  }
  const countFor = ({ entity: { key, pointer }, row }: EntityRow): number =>
    [key, pointer].reduce(
      (sum, form) => sum + (form ? (counts.get(nameOf(form, row[form.names[0] ?? ''])) ?? 0) : 0),
      0,
    )
  return {
    add,
    /** Counts what a row names, except itself. */
    addNamed: (entity: Entity, row: Item): void => addAll(entity, row, 1),
    removeNamed: (entity: Entity, row: Item): void => addAll(entity, row, -1),
    isUsed: (row: EntityRow): boolean => countFor(row) > 0,
    reason: (row: EntityRow): string => `${countOf(countFor(row), 'reference')} to it`,
  }
}

const nameOf = ({ text }: KeyForm, id: unknown): string => `${text.join(' ')} ${id}`

type WantedRows = Awaited<ReturnType<typeof readWanted>>

const SEEN = 1

/** Reads what identifies the rows of a dataset: 16 bytes of a row are kept. */
async function readWanted(files: readonly OpenFile[]) {
  const wanted = new Map<FileName, ReturnType<typeof createDigestMap>>()
  const seen = new Map<FileName, number>()
  for (const { file, source } of files) {
    const nameIn = nameReader(file)
    if (!nameIn) continue
    const names = wanted.get(file) ?? createDigestMap()
    wanted.set(file, names)
    for await (const { cells } of source.rows()) names.swap(nameIn(cells), 0)
  }
  return {
    /** Also true for a file that the dataset does not have. */
    has: (file: FileName, id: string): boolean => {
      const names = wanted.get(file)
      const known = names?.get(id)
      if (known === 0) {
        names?.swap(id, SEEN)
        seen.set(file, (seen.get(file) ?? 0) + 1)
      }
      return names === undefined || known !== undefined
    },
    /** The number of rows of each file that were never asked for. */
    missing: (): ReadonlyMap<FileName, number> =>
      new Map([...wanted].map(([file, { size }]) => [file, size - (seen.get(file) ?? 0)])),
  }
}

function nameReader(file: FileName): ((cells: Cells) => string) | undefined {
  if (file === 'calls')
    return ({ uniqueid = '', source, source_part }) =>
      identityName({ uniqueid, source: source || undefined, source_part: source_part || undefined })
  const { entity } = exportedRows[file]
  return entity && ((cells) => asId(cells[idColumnOf(entity)] ?? ''))
}

/** An id as the table has it. */
const asId = (cell: string): string => (/^\s*\d{1,15}\s*$/.test(cell) ? String(Number(cell)) : cell.trim())

export interface UnimportedOptions {
  readonly list: string
  readonly remove?: true | undefined
  readonly acceptRejected?: true | undefined
  readonly yes?: true | undefined
}

const NOTHING_LEFT = 0
const ROWS_LEFT = 1

/** Lists what a table has beyond a dataset, and removes it if approved. Returns the exit code. */
export async function reportUnimported(
  store: Store,
  pages: AsyncIterable<readonly Item[]>,
  folder: string,
  { list, remove, acceptRejected, yes }: UnimportedOptions,
): Promise<number> {
  const { files } = await openDataset(folder)
  const unimported = await findUnimported(files, pages)
  await printList(unimported.rows, list)
  if (unimported.rows.length === 0) return NOTHING_LEFT
  if (!remove || unimported.removable.length === 0) return ROWS_LEFT
  if (!acceptRejected) refuseIncomplete(unimported)
  if (!(yes || (await agreesTo(`Remove ${countOf(unimported.removable.length, 'row')}?`)))) {
    printLine('Nothing was removed: agree at a terminal, or pass --yes')
    return ROWS_LEFT
  }
  const staying = await removeUnimported(store, unimported.removable)
  printLine(`${countOf(unimported.removable.length - staying.length, 'row')} removed`)
  for (const { file, id, stays } of staying) printLine(`${file} ${id} stays: ${stays}`)
  return unimported.rows.length > unimported.removable.length - staying.length ? ROWS_LEFT : NOTHING_LEFT
}

async function printList(rows: readonly UnimportedRow[], list: string): Promise<void> {
  for (const [file, ofFile] of Map.groupBy(rows, (row) => row.file)) {
    const staying = ofFile.filter(({ stays }) => stays !== '').length
    printLine(
      `${file}: ${countOf(ofFile.length, 'unimported row')}, ${ofFile.length - staying} can be removed`,
    )
  }
  if (rows.length === 0) return printLine('The table has no row that the dataset lacks')
  const file = await openListFile(list)
  const lines = rows.map(({ file: of, id, name, stays }) => csvLine([of, id, name, stays]))
  await file.writeFile([csvLine(['file', 'id', 'name', 'stays']), ...lines].join(''))
  await file.close()
  printLine(`All of them: ${list}`)
}

/** A row is only removed once those that take its place are stored. */
function refuseIncomplete({ missing }: Unimported): void {
  const lacking = [...missing].filter(([, count]) => count > 0)
  if (lacking.length === 0) return
  const files = lacking.map(([file, count]) => `${countOf(count, 'row')} of ${file}`).join(', ')
  throw new CommandError(
    `The table lacks ${files}: import the dataset first, or pass --accept-rejected if the import refuses them`,
  )
}

/** Removes rows in order, each in a transaction with its belongings. Returns what stays, and why. */
export async function removeUnimported(
  store: Store,
  rows: readonly RemovableRow[],
): Promise<UnimportedRow[]> {
  const staying: UnimportedRow[] = []
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

/** A list of rows does not have their further items. */
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
