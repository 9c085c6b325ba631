import type { DatasetFile } from '#lib/dataset/format/dataset-file.ts'
import { datasetFiles, type FileName } from '#lib/dataset/import/files.ts'
import { ADMIN_ACCOUNT } from '#lib/domain/accounts/scope.ts'
import { isSettingName, SETTINGS, settingNames } from '#lib/domain/settings.ts'
import { accountColumns } from '#lib/store/accounts/account.ts'
import { creditNotes } from '#lib/store/billing/credit-note.ts'
import type { Document, DocumentKind } from '#lib/store/billing/document.ts'
import { invoices } from '#lib/store/billing/invoice.ts'
import { productsOf } from '#lib/store/billing/invoice-product.ts'
import { payments } from '#lib/store/billing/payment.ts'
import { subscriptions } from '#lib/store/billing/subscription.ts'
import { checkCall } from '#lib/store/calls/call.ts'
import { checkListedCall } from '#lib/store/calls/local-call.ts'
import { checkQueueLogEntry } from '#lib/store/calls/queue-log.ts'
import { type Columns, ROW, rowReader, text } from '#lib/store/columns.ts'
import { readDevice } from '#lib/store/devices/device.ts'
import type { Item } from '#lib/store/items.ts'
import {
  activeCallKeys,
  callerKeys,
  callKeys,
  currencyKeys,
  dayListKeys,
  deviceKeys,
  deviceRuleKeys,
  didKeys,
  directoryKeys,
  documentKeys,
  isSameKey,
  type Key,
  keyIn,
  lcrKeys,
  localCallKeys,
  locationGroupKeys,
  locationKeys,
  locationRuleKeys,
  providerKeys,
  queueLogKeys,
  serviceKeys,
  settingKeys,
  tariffKeys,
} from '#lib/store/keys.ts'
import { DESTINATION_CELLS, linesOfDirectory, toDirectory } from '#lib/store/rates/destination.ts'
import { pagesOfRates, toTariff } from '#lib/store/rates/tariff.ts'
import type { Store } from '#lib/store/store.ts'

/** What a row says, by column. */
export type Values = Readonly<Record<string, unknown>>

/** Where the rows of a file are in the table. */
export interface RowSource {
  /** In the order of their cells. */
  readonly columns: Columns
  /** Whether an item holds rows of the file, or says where they are. */
  holds(item: Item): boolean
  /** The rows, batch by batch. Throws when the item cannot be read. */
  rows(item: Item, store: Store): AsyncIterable<readonly Values[]> | Iterable<readonly Values[]>
  /** Columns beyond the known ones. */
  further?(item: Item): readonly (readonly [name: string, value: string])[]
  /** Whether a row is left out as a whole where secrets are. */
  isSecret?(row: Values): boolean
}

const isAt =
  (keyOf: (item: Item) => Key) =>
  (item: Item): boolean =>
    isSameKey(keyIn(item), keyOf(item))

const underId = (keyOf: (id: number) => Key) => isAt(({ id }) => keyOf(Number(id)))

/** Of items that are a row each. */
function itemRows(columns: Columns, holds: RowSource['holds']): RowSource {
  const read = rowReader(columns)
  return { columns, holds, rows: (item) => [[read(item)]] }
}

/** Of items that are a packed row each. */
const packedRows = (file: FileName, holds: RowSource['holds'], check: (item: Item) => object): RowSource => ({
  columns: (datasetFiles[file] as DatasetFile).columns,
  holds,
  rows: (item) => [[check(item) as Values]],
})

const rowsOf = (file: FileName, holds: RowSource['holds']): RowSource =>
  itemRows((datasetFiles[file] as DatasetFile).columns, holds)

const documentsOf = <D extends Document>(file: FileName, kind: DocumentKind<D>): RowSource =>
  packedRows(file, isDocument(kind), kind.check)

const isDocument = ({ name }: Pick<DocumentKind, 'name'>) => {
  const [from, till] = documentKeys.between(name)
  return (item: Item): boolean => {
    const { SK } = keyIn(item)
    return from <= SK && SK < till
  }
}

/** Everyone's calls stand in one list; other lists have copies of them. Items without a row count or identify. */
const isInList = (list: string) => (item: Item) =>
  ROW in item && String(item['PK']).startsWith(dayListKeys.of(list, ''))

const { columns: settingColumns } = datasetFiles.settings

const settings: RowSource = {
  columns: settingColumns,
  holds: isAt(() => settingKeys.item),
  rows: (item) => [
    settingNames.flatMap((name) => (typeof item[name] === 'string' ? [{ name, value: item[name] }] : [])),
  ],
  isSecret: ({ name }) => isSettingName(String(name)) && 'masked' in SETTINGS[name as 'API_Secret_Key'],
}

/** The account's copy under its name has the password. */
const users = itemRows(
  { ...accountColumns, password_hash: text() },
  isAt(({ username }) => callerKeys.item(String(username))),
)

/** The version in force. */
const rates: RowSource = {
  columns: datasetFiles.rates.columns,
  holds: underId(tariffKeys.item),
  rows: async function* (item, store) {
    const tariff = toTariff(item)
    if (!tariff) return
    for await (const page of pagesOfRates(store, tariff, tariff.active))
      yield page.map((rate) => ({ tariff_id: tariff.id, ...rate }))
  },
}

const destinations: RowSource = {
  columns: datasetFiles.destinations.columns,
  holds: isAt(() => directoryKeys.item),
  rows: async function* (item, store) {
    for await (const page of linesOfDirectory(store, toDirectory(item))) yield page.map(destinationIn)
  },
}

function destinationIn(line: string): Values {
  const cells = line.split('\t')
  return Object.fromEntries(DESTINATION_CELLS.map((name, place) => [name, cells[place] ?? '']))
}

const devices: RowSource = {
  ...rowsOf('devices', underId(deviceKeys.item)),
  further: (item) => readDevice(item).extra,
}

const invoiceProducts: RowSource = {
  columns: datasetFiles.invoice_products.columns,
  holds: isDocument(invoices),
  rows: async function* (item, store) {
    const invoice = invoices.check(item)
    for await (const page of productsOf(store, invoice))
      yield page.map((product) => ({ invoice_id: invoice.id, ...product }))
  },
}

/** Every file of the format, and where its rows are found. */
export const rowSources: Readonly<Record<FileName, RowSource>> = {
  settings,
  users,
  currencies: rowsOf(
    'currencies',
    isAt(({ name }) => currencyKeys.item(String(name))),
  ),
  tariffs: rowsOf('tariffs', underId(tariffKeys.item)),
  rates,
  destinations,
  devices,
  device_rules: rowsOf(
    'device_rules',
    isAt(({ device_id, id }) => deviceRuleKeys.item(Number(device_id), Number(id))),
  ),
  dids: rowsOf('dids', underId(didKeys.item)),
  lcrs: rowsOf('lcrs', underId(lcrKeys.item)),
  location_groups: rowsOf('location_groups', underId(locationGroupKeys.item)),
  locations: rowsOf('locations', underId(locationKeys.item)),
  location_rules: rowsOf(
    'location_rules',
    isAt(({ location_id, id }) => locationRuleKeys.item(Number(location_id), Number(id))),
  ),
  active_calls: rowsOf('active_calls', ({ PK }) => PK === activeCallKeys.of('everyone')),
  local_calls: packedRows(
    'local_calls',
    isInList(localCallKeys.of({ owner: ADMIN_ACCOUNT })),
    checkListedCall,
  ),
  queue_log: packedRows('queue_log', isInList(queueLogKeys.all), checkQueueLogEntry),
  providers: rowsOf('providers', underId(providerKeys.item)),
  calls: packedRows('calls', ({ PK }) => String(PK).startsWith(callKeys.ofId('')), checkCall),
  services: rowsOf('services', underId(serviceKeys.item)),
  subscriptions: documentsOf('subscriptions', subscriptions),
  payments: documentsOf('payments', payments),
  credit_notes: documentsOf('credit_notes', creditNotes),
  invoices: documentsOf('invoices', invoices),
  invoice_products: invoiceProducts,
}
