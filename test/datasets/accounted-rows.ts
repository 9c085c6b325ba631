import type { Moved } from '#test/datasets/moved.ts'
import type { OldDatabase } from '#test/datasets/old-database.ts'
import { MOVED_TABLES } from '#tools/datasets/moving-in-queries.ts'

type Cells = Readonly<Record<string, string>>

/** Where a row of a table may be, each as a key that the old row has too. */
interface Place {
  /** A query for the keys of the rows of the old table. */
  readonly keys: string
  readonly moved: (moved: Moved) => readonly string[]
  readonly refused?: (moved: Moved) => readonly string[]
  readonly left: (moved: Moved) => readonly string[]
}

const column = (rows: readonly Cells[] | undefined, name: string): string[] =>
  (rows ?? []).map((row) => row[name] ?? '')

/** A table whose rows have their ids in the new table and in the file of what is left behind. */
const byId = (table: string, file = table): Place => ({
  keys: `SELECT id FROM ${table}`,
  moved: ({ table: rows }) => column(rows.get(file), 'id'),
  refused: ({ refused }) => (refused.get(file) ?? []).map(({ row }) => String(row['id'])),
  left: ({ leftBehind }) => [
    ...column(leftBehind.get(file), 'id'),
    ...column(leftBehind.get(`card_${file}`), 'id'),
  ],
})

const leftOnly = (table: string, file: string, id = 'id'): Place => ({
  keys: `SELECT id FROM ${table}`,
  moved: () => [],
  left: ({ leftBehind }) => column(leftBehind.get(file), id),
})

const callsOf = (table: string, keys: string): Place => ({
  keys,
  moved: ({ table: rows }) => column(rows.get('calls'), 'source_part'),
  refused: ({ refused }) => (refused.get('calls') ?? []).map(({ row }) => String(row['source_part'])),
  left: ({ leftBehind }) =>
    ['calls', 'card_calls'].flatMap((file) =>
      column(
        leftBehind.get(file)?.filter((row) => row['table'] === table),
        'id',
      ).flatMap((id) => [id, `calls_old-${id}`]),
    ),
})

/** A rate has no id here: its tariff and its price have to be there. */
const ratesOf = (table: string, price: string): Place => ({
  keys: `SELECT CONCAT_WS(' ', d.id, r.tariff_id, plain(d.${price})) FROM ${table} d LEFT JOIN rates r ON r.id = d.rate_id`,
  moved: ({ table: rows }) =>
    (rows.get('rates') ?? []).map((row) => `${row['tariff_id']} ${row['tariff_rate']}`),
  left: ({ leftBehind }) =>
    column(
      leftBehind.get('rates')?.filter((row) => row['table'] === table),
      'id',
    ),
})

const PLACES: Readonly<Record<string, Place>> = {
  acustratedetails: leftOnly('acustratedetails', 'customer_rates', 'detail_id'),
  aratedetails: ratesOf('aratedetails', 'price'),
  calls: callsOf('calls', 'SELECT id FROM calls'),
  calls_old: callsOf(
    'calls_old',
    "SELECT IF(c.id IS NULL, o.id, CONCAT('calls_old-', o.id)) FROM calls_old o LEFT JOIN calls c ON c.id = o.id",
  ),
  cards: leftOnly('cards', 'cards'),
  conflines: {
    keys: "SELECT CONCAT(id, ' ', IF(owner_id = 0, name, '')) FROM conflines",
    moved: ({ table }) => column(table.get('settings'), 'name'),
    left: ({ leftBehind }) => column(leftBehind.get('settings'), 'id'),
  },
  credit_notes: byId('credit_notes'),
  currencies: {
    keys: "SELECT CONCAT(id, ' ', name) FROM currencies",
    moved: ({ table }) => column(table.get('currencies'), 'name'),
    left: ({ leftBehind }) => column(leftBehind.get('currencies'), 'id'),
  },
  customrates: leftOnly('customrates', 'customer_rates'),
  days: {
    keys: "SELECT CONCAT(id, ' ', date) FROM days",
    moved: ({ table }) =>
      (table.get('settings') ?? [])
        .filter(({ name }) => name === 'Free_Days' || name === 'Working_Days')
        .flatMap(({ value = '' }) => value.split(',')),
    left: ({ leftBehind }) => column(leftBehind.get('days'), 'id'),
  },
  destinations: {
    keys: "SELECT CONCAT(id, ' ', prefix) FROM destinations",
    moved: ({ table }) => column(table.get('destinations'), 'prefix'),
    left: ({ leftBehind }) => column(leftBehind.get('destinations'), 'id'),
  },
  devicerules: byId('devicerules', 'device_rules'),
  devices: byId('devices'),
  dids: byId('dids'),
  invoicedetails: {
    keys: "SELECT CONCAT(id, ' ', invoice_id, '/', name) FROM invoicedetails",
    moved: ({ table }) =>
      (table.get('invoice_products') ?? []).map((row) => `${row['invoice_id']}/${row['name']}`),
    left: ({ leftBehind }) => column(leftBehind.get('invoice_lines'), 'id'),
  },
  invoices: byId('invoices'),
  lcrs: byId('lcrs'),
  locationrules: byId('locationrules', 'location_rules'),
  locations: byId('locations'),
  payments: byId('payments'),
  providers: byId('providers'),
  ratedetails: ratesOf('ratedetails', 'rate'),
  /** The rows with details are accounted for by these. */
  rates: {
    keys: `SELECT r.id FROM rates r WHERE NOT EXISTS (SELECT 1 FROM ratedetails d WHERE d.rate_id = r.id)
      AND NOT EXISTS (SELECT 1 FROM aratedetails d WHERE d.rate_id = r.id)`,
    moved: () => [],
    left: ({ leftBehind }) => column(leftBehind.get('rates'), 'rate_id'),
  },
  services: byId('services'),
  subscriptions: byId('subscriptions'),
  tariffs: byId('tariffs'),
  users: byId('users'),
}

/** The rows of the old database that have neither moved, nor are refused, nor stay behind in a file. */
export async function unaccountedRows(database: OldDatabase, moved: Moved): Promise<string[]> {
  const lost: string[] = []
  for (const table of MOVED_TABLES) {
    const place = PLACES[table]
    if (!place) throw new Error(`Where are the rows of ${table}?`)
    const known = new Set([...place.moved(moved), ...(place.refused?.(moved) ?? []), ...place.left(moved)])
    const keys = (await database.ask(place.keys)).trimEnd().split('\n')
    lost.push(...keys.filter((key) => key !== '' && !isKnown(key, known)).map((key) => `${table} ${key}`))
  }
  return lost
}

/** A key is an id, or an id and the other words by which the new table knows the row. */
function isKnown(key: string, known: ReadonlySet<string>): boolean {
  const [id = '', ...words] = key.split(' ')
  return known.has(id) || (words.length > 0 && known.has(words.join(' ')))
}
