import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findCallers } from '#lib/accounts/account.ts'
import { type Moved, moveOf } from '#test/datasets/moved.ts'
import { lacksDatabase, type OldDatabase, startOldDatabase } from '#test/datasets/old-database.ts'
import { balanceFigures, sumUpTable } from '#tools/datasets/moving-in-balance.ts'
import { MOVED_TABLES, otherTables } from '#tools/datasets/moving-in-queries.ts'
import { root } from '#tools/machine/program.ts'
import { everyItem } from '../command-line/open-table.ts'

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
async function unaccountedRows(database: OldDatabase, moved: Moved): Promise<string[]> {
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

describe.skipIf(lacksDatabase)('a damaged database', () => {
  let database: OldDatabase
  let moved: Moved

  beforeAll(async () => {
    database = await startOldDatabase()
    await database.fill(await readFile(`${root}tools/datasets/moving-in.damage.sql`, 'utf8'))
    moved = await moveOf(database)
  }, 120_000)

  afterAll(() => database.stop())

  const inTable = (file: string) => moved.table.get(file) ?? []
  const leftIn = (file: string) => moved.leftBehind.get(file) ?? []

  const ratesOf = (tariff: string) =>
    inTable('rates')
      .filter(({ tariff_id }) => tariff_id === tariff)
      .map(({ prefix, tariff_rate }) => `${prefix} ${tariff_rate}`)
      .sort()

  const callsOf = (uniqueid: string) => inTable('calls').filter((call) => call['uniqueid'] === uniqueid)

  /** The whole lines that a check prints. */
  const said = (check: string) => moved.checks.get(check)?.split('\n').slice(0, -1)

  const leftRate = (table: string, id: string) =>
    leftIn('rates').find((row) => row['table'] === table && row['id'] === id)?.['reason']

  test('a tariff has the rates by which the old system rated its kind', () => {
    expect(ratesOf('20')).toEqual(['3706 0.3'])
    expect(ratesOf('21')).toEqual(['370 0.74'])
    expect(leftRate('ratedetails', '21')).toBe('not of this kind of tariff')
    expect(leftRate('aratedetails', '23')).toBe('not of this kind of tariff')
  })

  test('a rate has the prefix by which the old system rated', () => {
    expect(ratesOf('22')).toEqual(['3706 0.11', '44 0.12', '46 0.21', '46 0.22'])
    expect(leftRate('ratedetails', '26')).toBe('no prefix')
    expect(moved.checks.get('prefixes_of_rates')).toBe(
      'rate 24 of tariff 22 is for the prefix 3706, not for 370, which its destination has\n',
    )
  })

  test('a window that was never in force stays behind, with the calls that it would have rated', () => {
    expect(leftRate('ratedetails', '27')).toBe('never in force: the window ends before it begins')
    expect(said('windows_over_midnight')).toEqual([
      'tariff 22, prefix 45: the rate 0.01 of 22:00:00 to 06:00:00 was never in force, over 1 calls',
    ])
  })

  test('two prices of one moment are named, with the one that the old system takes', () => {
    expect(said('prices_at_one_moment')).toEqual([
      'tariff 22, prefix 46: 0.21 and 0.22 are in force at 08:00:00; the old system takes 0.21',
    ])
    expect(said('prices_of_one_prefix')).toEqual([
      'tariff 4 has 2 prices for prefix 3706 at the same time: 0.07 0.08; the old system takes 0.07 as a rule, the first one',
    ])
  })

  test('a call moves without the ids of what does not exist, and these are named', () => {
    expect(callsOf('2001.1')).toMatchObject([
      {
        device_id: '',
        dst_device_id: '',
        dst_user_id: '',
        provider_id: '',
        owner_id: '0',
        user_price: '0.25',
        provider_price: '0.125',
        reseller_price: '0.0625',
      },
    ])
    expect(
      leftIn('references')
        .filter(({ id }) => id === '2001')
        .map(({ column, value }) => `${column} ${value}`)
        .sort(),
    ).toEqual([
      'dst_device_id 889',
      'dst_user_id 666',
      'provider_id 777',
      'reseller_id 999999',
      'src_device_id 888',
    ])
  })

  test('a call that is archived twice moves once, and two that differ both move', () => {
    expect(callsOf('3001.1').map(({ user_price }) => user_price)).toEqual(['0.5'])
    expect(callsOf('3002.1').map(({ user_price }) => user_price)).toEqual(['0.5', '0.75'])
    expect(said('archived_twice')).toEqual([
      'call 3001 is in calls for 0.5 and in calls_old for 0.5: the second one stays behind',
      'call 3002 is in calls for 0.5 and in calls_old for 0.75: both move',
    ])
    expect(leftIn('calls')).toContainEqual(
      expect.objectContaining({ reason: 'the same call is in calls', table: 'calls_old', id: '3001' }),
    )
  })

  test('a call that is left behind has all of its amounts in the file', () => {
    const amounts = {
      user_price: '0.5',
      provider_price: '0.04',
      reseller_price: '0.03',
      partner_price: '0.02',
      did_price: '0.01',
      did_inc_price: '0.005',
      did_prov_price: '0.001',
    }
    expect(leftIn('calls')).toContainEqual(
      expect.objectContaining({ id: '2002', reason: 'no account', ...amounts }),
    )
    expect(leftIn('card_calls')).toContainEqual(expect.objectContaining({ id: '2003', ...amounts }))
    expect(leftIn('calls')).toContainEqual(
      expect.objectContaining({
        id: '2004',
        reason: 'an amount of more than 15 digits',
        user_price: '1234567890123456.5',
      }),
    )
    expect(callsOf('2005.1')).toHaveLength(1)
  })

  test('payments show the net and the gross amount that the old API showed', () => {
    const amounts = inTable('payments').map(
      ({ id, amount, amount_with_vat, currency }) => `${id} ${amount} ${amount_with_vat} ${currency}`,
    )
    expect(amounts).toEqual(
      expect.arrayContaining([
        '60 10 17 USD',
        '61 5.882352941176471 10 USD',
        '62 10 12.1 USD',
        '63 8 9.68 USD',
        '64 5 6.6 USD',
        '65 3 3 USD',
      ]),
    )
    expect(leftIn('payments')).toContainEqual(
      expect.objectContaining({ id: '66', type: 'a,"b"', reason: 'no account', net: '2', gross: '2' }),
    )
    expect(said('payments_without_tax')).toEqual([])
  })

  test('a credit note that is paid without a date is paid', () => {
    const paid = inTable('credit_notes').filter(({ number = '' }) => /^CN-1[78]$/.test(number))
    expect(paid.map(({ pay_date }) => pay_date).sort()).toEqual(['2026-03-04', '2026-03-05'])
    expect(said('credit_notes_without_date')).toEqual([
      'credit note 17 is paid without a date: it gets that of its issue, 2026-03-04',
      'credit note 18 is paid without a date: it gets that of its issue, 2026-03-05',
    ])
  })

  test('a device moves with its PIN, limits, transport, encryption and codecs', () => {
    const [bob7, second] = inTable('devices').filter(({ id }) => id === '7' || id === '9')

    expect(bob7).toMatchObject({
      pin: '1234',
      call_limit: '3',
      max_timeout: '55',
      transport: 'tls',
      encryption: '1',
      audio_codecs: 'g729,alaw',
      video_codecs: 'h264',
    })
    expect(second).toMatchObject({
      name: 'BOB7-9',
      transport: 'udp',
      encryption: '0',
      audio_codecs: 'alaw,g729',
    })
    expect(said('duplicate_device_names')).toEqual(['name BOB7 of device 9 becomes BOB7-9'])
  })

  test('the limits of an account move: 0 is none, and 1000 calls at once are the most', () => {
    const limits = inTable('users').map(
      ({ id, calls_limit, daily_balance_limit, credit }) =>
        `${id} ${calls_limit} ${daily_balance_limit} ${credit}`,
    )
    expect(limits).toEqual(expect.arrayContaining(['5 3 20.5 -1', '31 1000  0', '33   -1']))
  })

  test('an account has the VAT percent of its taxes, and its minimum from the month on that it has', () => {
    const terms = inTable('users').map(({ id, vat_percent, minimal_month, minimal_from }) =>
      [id, vat_percent, minimal_month, minimal_from].join(),
    )
    expect(terms).toEqual(expect.arrayContaining(['5,70,,', '6,32,25,2026-02-01', '31,,,']))
  })

  test('accounts of one name, without a password and in a circle move, and are named', async () => {
    const names = inTable('users').map(({ id, username }) => `${id} ${username}`)

    expect(names).toEqual(
      expect.arrayContaining(['5 bob', '31 BOB-31', '32 bob-32', '33 blank', '34 anybody']),
    )
    expect(said('duplicate_usernames')).toEqual([
      'username BOB of user 31 becomes BOB-31',
      'username bob  of user 32 becomes bob-32',
    ])
    expect(said('passwords')).toEqual([
      'user 33 has no password: it is blank',
      'user 34 has no password: it is the SHA-1 of nothing',
    ])
    const callers = await findCallers(moved.world.store, ['blank', 'anybody'])
    expect(callers.map((caller) => caller?.password_hash)).toEqual(['none', 'none'])
    expect(said('owners_in_a_circle')).toEqual([
      'user 35 belongs to itself, over 2 owners',
      'user 36 belongs to itself, over 2 owners',
    ])
  })

  test('balances of accounts move, those of cards and providers are in files', () => {
    expect(inTable('users').find(({ id }) => id === '5')).toMatchObject({ balance: '12.5' })
    expect(leftIn('users')).toContainEqual(expect.objectContaining({ id: '37', balance: '0.25' }))
    expect(leftIn('cards')).toContainEqual({ id: '22', number: '9,9', owner_id: '0', balance: '3.3' })
    expect(leftIn('provider_balances')).toEqual([{ id: '2', name: 'Thames', balance: '7' }])
  })

  test('text in another encoding is named, and what is not text is refused alone', () => {
    expect(said('text_in_another_encoding')).toEqual(['users 33: blank Å½yd  is blank Žyd  in UTF-8'])
    expect(moved.refused.get('services')?.map(({ reason, row }) => [row['id'], reason])).toEqual([
      [2, 'is not UTF-8'],
    ])
    expect(inTable('services').map(({ name }) => name)).toEqual(['Line', 'Café'])
  })

  test('holidays move as settings, and old ones and references of DIDs are in files', () => {
    expect(leftIn('days')).toEqual([
      { id: '1', date: '2000-01-03', daytype: 'FD', description: 'A holiday, "free"', calls: '1' },
    ])
    expect(inTable('settings')).toEqual(
      expect.arrayContaining([
        { name: 'Free_Days', value: '2099-12-25,2099-12-27' },
        { name: 'Working_Days', value: '2099-12-26' },
      ]),
    )
    expect(leftIn('references').filter(({ table, id }) => table === 'dids' && id === '20')).toEqual([
      { table: 'dids', id: '20', column: 'device_id', value: '555' },
      { table: 'dids', id: '20', column: 'provider_id', value: '14' },
    ])
    expect(leftIn('settings')).toContainEqual(
      expect.objectContaining({ name: 'Logo_Picture', value: 'logo,\n"big".png' }),
    )
  })

  test('every value that moves otherwise is named, and currencies follow one rule', () => {
    expect(inTable('tariffs').find(({ id }) => id === '23')).toMatchObject({ currency: 'EUR' })
    expect(inTable('payments').find(({ id }) => id === '67')).toMatchObject({ currency: 'EUR', amount: '0' })
    expect(said('currency_names')).toEqual([
      'payments in eur: 1 in EUR from now on',
      'payments in usd: 1 in USD from now on',
      'payments in XXX: 1 without an exchange rate',
      'tariffs in eur: 1 in EUR from now on',
      'tariffs in ZZZ: 1 without an exchange rate',
      'user 34 has no currency: it gets the default',
    ])
    expect(said('missing_amounts')).toEqual([
      'payment 67 has no amount',
      'invoice 4 in EUR has no exchange rate',
      '2 calls have no price, such as 2',
    ])
    expect(said('unknown_words')).toEqual([
      'DID 21 has the status parked',
      'device 9 has the transport pigeon',
    ])
    expect(said('rounded_amounts')).toEqual([
      'provider_price of calls: 1 rounded to 15 decimals, 0 of them to 0, such as that of 2007',
      'user_price of calls: 1 rounded to 15 decimals, 1 of them to 0, such as that of 2007',
    ])
  })

  test('every row of every table has moved, is refused with its reason, or stays behind', async () => {
    expect(await unaccountedRows(database, moved)).toEqual([])
    expect(await unaccountedRows(database, { ...moved, leftBehind: new Map() })).toContain('cards 22')
    expect(refusals()).toEqual([
      'tariffs 24: currency: ZZZ has no exchange rate',
      'device_rules 2: device_id: there is no device 999',
      'location_rules 2: location_id: there is no location 99',
      'services 2: is not UTF-8',
      'subscriptions 2: user_id: there is no account 999',
    ])
    const tables = [...moved.schema.keys()].filter((table) => !MOVED_TABLES.has(table))
    expect(otherTables(moved.schema)).toEqual(tables.sort())
    expect(tables).toContain('didrates')
  })

  const refusals = () =>
    [...moved.refused].flatMap(([file, rows]) =>
      rows.map(({ row, reason }) => `${file} ${row['id']}: ${reason}`),
    )

  test('old = moved + left behind, to the last digit, apart from the refused rows', async () => {
    const figures = await balanceOf(moved)

    expect(
      figures
        .filter(({ difference }) => difference !== '0')
        .map(({ what, of, difference }) => `${what} ${of} ${difference}`),
    ).toEqual([
      'tariffs count 1',
      'device_rules count 1',
      'location_rules count 1',
      'services count 1',
      'subscriptions count 1',
    ])
    expect(
      figures.map(({ what, of, ...sums }) => [what, of, sums.old, sums.moved, sums.left_behind].join()),
    ).toEqual(
      expect.arrayContaining([
        'calls,count,26,17,9',
        'calls,provider_price,0.380802467912346,0.260802467912346,0.12',
      ]),
    )
  })

  test('without admin nothing moves: a check says so first, and the balance shows it', async () => {
    await database.fill('DELETE FROM users WHERE id = 0;')
    const withoutAdmin = await moveOf(database)
    const figures = await balanceOf(withoutAdmin)

    expect(withoutAdmin.checks.get('no_admin')).toBe('there is no user with the id 0: nothing can move\n')
    for (const what of ['tariffs', 'providers', 'lcrs', 'locations', 'rates of tariff 1'])
      expect(figures).toContainEqual(expect.objectContaining({ what, of: 'count', moved: '0' }))
    expect(figures.filter(({ of, difference }) => of === 'count' && difference !== '0')).not.toEqual([])
  })
})

async function balanceOf({ oldFigures, world: { store, table, meter } }: Moved) {
  const pages = everyItem({ ...table, meter })
  return balanceFigures(oldFigures, await sumUpTable(store, pages, 'USD'))
}
