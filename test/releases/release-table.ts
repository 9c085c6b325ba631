import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { nameGivenUp } from '#lib/accounts/former-name.ts'
import { findKeysOf, keyChanges } from '#lib/accounts/named-key-stored.ts'
import { secondFactorSet } from '#lib/accounts/second-factor.ts'
import { keyOfSession } from '#lib/accounts/session.ts'
import { claimSignature } from '#lib/accounts/used-signature.ts'
import { blockAccount, unblockAccount } from '#lib/acts/accounts/account-acts.ts'
import { doneRequestKey } from '#lib/acts/act.ts'
import { noteDelivery } from '#lib/alerts/delivery.ts'
import { webhookKey } from '#lib/alerts/endpoint.ts'
import { alertChange, eventOf, inOutbox } from '#lib/alerts/event.ts'
import { DAY_SECONDS, secondsOf } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { chargeEveryone } from '#lib/billing/charges/charge-run.ts'
import { replaceDocuments } from '#lib/billing/document.ts'
import { findInvoices, invoices } from '#lib/billing/invoice.ts'
import { putProductPages } from '#lib/billing/invoice-product.ts'
import { revenueText } from '#lib/billing/journal/document-posting.ts'
import { ofNoInvoice, payments } from '#lib/billing/payment.ts'
import { paymentRequestKey } from '#lib/billing/payment-booking.ts'
import { willTake } from '#lib/billing/payments/allocate-oldest.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { writeOffInvoice } from '#lib/billing/payments/write-off.ts'
import { folderBucket } from '#lib/calls/archive/bucket.ts'
import { putArchivedDay } from '#lib/calls/archived-day.ts'
import { countryHoursKey } from '#lib/calls/counters/country-hours.ts'
import { rerateCalls } from '#lib/calls/rating/rerate-calls.ts'
import { sumUpDays } from '#lib/calls/report/day-groups.ts'
import { setSetting } from '#lib/calls/set-settings.ts'
import type { FormatName } from '#lib/cdrs/formats/formats.ts'
import { halfLineKey } from '#lib/cdrs/matching/half-lines.ts'
import { loopbackLegKey } from '#lib/cdrs/matching/loopback.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { mediate, partsOf } from '#lib/cdrs/pipeline/pipeline.ts'
import { holdName, holdsKey, holdText } from '#lib/control/holds.ts'
import { recordActs } from '#lib/dataset/records/record-acts.ts'
import { billMonth, openIssue } from '#lib/invoicing/bill-month.ts'
import { putBrand } from '#lib/invoicing/documents/brand.ts'
import { documentsOfDays } from '#lib/invoicing/documents/rendered.ts'
import { givenFile, storeFilesOfPastDays } from '#lib/invoicing/documents/stored-files.ts'
import { closeMonth } from '#lib/invoicing/journal/close-month.ts'
import { sendInvoice } from '#lib/invoicing/mails/send-acts.ts'
import { sendDueMails } from '#lib/invoicing/mails/send-mails.ts'
import { billedAccounts, openMonth } from '#lib/invoicing/month-customers.ts'
import { rollBackTariff } from '#lib/rates/acts/roll-back-tariff.ts'
import { keepProfile } from '#lib/rates/sheets/profile.ts'
import { inAuditLog } from '#lib/settings/audit-log.ts'
import { noteFailedImport } from '#lib/settings/failed-import.ts'
import { countWrongSecret, intakeAdded } from '#lib/settings/intake.ts'
import { settingsKey, settingsOf } from '#lib/settings/stored-settings.ts'
import { createSwitchClocks } from '#lib/settings/switch-clock.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { accountKey, callerKey } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { aFailureOf } from '#test/failed-imports.ts'
import { addCreditNote } from '#test/invoicing/credited.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { openBalances } from '#tools/commands/balance/balance-opening.ts'
import { putForgetting } from '#tools/commands/forget/forgetting-log.ts'
import { exampleOf } from '#tools/contracts/generated-files.ts'
import { root } from '#tools/machine/program.ts'
import { localQueueKey } from '#tools/server/local-queue.ts'
import { answered } from './answers.ts'
import { type FixtureTable, linesOfTable, onEmptyTable } from './fixture-table.ts'
import { importReleaseDemo } from './release-dataset.ts'
import { minutesBefore, RELEASE_TIME } from './release-time.ts'

export const INTAKE_SECRET = 'fictional-secret-of-sip1'

/** The lines of a table that this version has written. The files of its documents are in the folder. */
export const linesOfRelease = (folder = mkdtempSync(`${tmpdir()}/release-`)): Promise<string[]> =>
  onEmptyTable(RELEASE_TIME, async (table) => {
    await writeReleaseTable(table, folder)
    return linesOfTable(table)
  })

/**
 * Stores one item or more of each kind: a part of the demo operator and of a day of its switches' CDRs, and
 * traces of the commands that an operator uses.
 */
async function writeReleaseTable(table: FixtureTable, folder: string): Promise<void> {
  await importReleaseDemo(table)
  const opening = openBalances(async () => {})
  await carryOutAs(table.store, opening, { as: 'admin', now: minutesBefore(36) }, { day: '2026-03-10' })
  await operate(table)
  await mediateDocuments(table)
  await rerateRolledBack(table)
  await cutProducts(table)
  await callMethods(table)
  await sumUpCalls(table)
  await chargeSubscriptions(table)
  await billCustomers(table)
  await printDocuments(table, folder)
  await mailDocuments(table, folder)
  await putArchivedDay(table.store, ARCHIVED_DAY)
  await putForgetting(table.store, FORGETTING)
  await table.store.transact(
    putBrand(50, { logo: 'data:image/png;base64,AA==', colour: '#0a7d5a', footer: 'HRB 1' }),
  )
  await noteFailedImport(table.store, FAILED_IMPORT)
  await table.store.putBatch([LOOPBACK_LEG])
  await takeName(table)
  await table.store.transact([keepProfile(3, { mode: 'merge', decimal: 'comma' })])
  await createSwitchClocks()(table.store, 'fs1', 12, secondsOf(RELEASE_TIME))
  await table.store.putBatch([COUNTRY_HOURS])
  await holdMoney(table)
  await tellSomebody(table)
}

/** An endpoint of webhooks, what was sent to it, and what waits. */
async function tellSomebody({ store }: FixtureTable): Promise<void> {
  const at = RELEASE_TIME
  const owner = 0
  const event = eventOf({
    type: 'balance.low',
    owner,
    at,
    subject: '10 1',
    data: { account: 10, left: '19' },
  })
  const endpoint = {
    id: 'we_release',
    owner,
    url: 'https://example.com/hook',
    events: ['balance.low'],
    secret: 'whsec_ZmljdGlvbmFs',
    added_at: at.toISOString(),
    version: 1,
  }
  const told = alertChange(10, {
    set: { told: '20', limit_day: '2026-03-10' },
    when: {},
    at,
    events: [event],
  })
  const message = { ...localQueueKey('release'), body: '{}', received: 0, visible_at: 0 }
  await store.putBatch([{ ...webhookKey(owner, endpoint.id), ...endpoint }, message])
  await store.transact([
    { update: settingsKey, to: { set: { webhooks: { 0: 'l' }, webhooks_version: 1 } } },
    inOutbox(event, at),
    told,
  ])
  const { id, type, body } = event
  const tried = {
    tries: 1,
    tried_at: at.toISOString(),
    answer: '500',
    milliseconds: 9,
    outcome: 'waiting',
  } as const
  await noteDelivery(store, { endpoint: endpoint.id, at: at.getTime(), id, type, owner, body, ...tried }, at)
}

/** The money of a call that is not over. */
async function holdMoney({ store }: FixtureTable): Promise<void> {
  const at = minutesBefore(2).getTime()
  const hold = { amount: '6', seconds: 1800, until: at / 1000 + 3000, at, nonce: 'n1' }
  const name = holdName({ source: 'fs1', uniqueid: 'open' })
  await store.update(holdsKey(10), {
    set: { [name]: holdText(hold) },
    add: { held: 6, open: 1, epoch: 3 },
  })
}

/** An account has a name that another one had before. */
async function takeName({ store }: FixtureTable): Promise<void> {
  const name_since = secondsOf(minutesBefore(5))
  await store.transact([
    { update: accountKey(12), to: { set: { name_since } } },
    { update: callerKey('erin'), to: { set: { name_since } } },
    nameGivenUp({ id: 11, username: 'erin' }, name_since),
  ])
}

const LOOPBACK_LEG = {
  ...loopbackLegKey('fs1', '4f1c2a90', '4f1c2a90 '),
  cdr: '{}',
  expires_at: secondsOf(RELEASE_TIME) + 30 * DAY_SECONDS,
}

const COUNTRY_HOURS = {
  ...countryHoursKey(10, '252', '2026-03-10'),
  calls: 1,
  'amount 11': 2.5,
  'seconds 11': 60,
  'told 11': true,
  'told new': true,
  expires_at: secondsOf(RELEASE_TIME) + 90 * DAY_SECONDS,
}

async function sumUpCalls({ store }: FixtureTable): Promise<void> {
  const settings = await settingsOf(store)
  await sumUpDays({ store, settings, now: RELEASE_TIME, hasTime: () => true })
}

async function chargeSubscriptions({ store }: FixtureTable): Promise<void> {
  const settings = { ...(await settingsOf(store)), Charges_From: '2026-03-10' }
  for await (const _ of chargeEveryone({ store, settings, now: RELEASE_TIME }));
}

/** Issues a month: an invoice with a part payment taken back and a row credited, one credited whole. */
async function billCustomers({ store }: FixtureTable): Promise<void> {
  const set = { ...SELLER, Invoices_From: '2026-03-10', Allocate_Payments: 'off' }
  for (const [name, value] of Object.entries(set))
    await carryOutAs(store, setSetting, { as: 'admin', now: minutesBefore(20) }, { name, value })
  const now = new Date('2026-04-02T08:00:00Z')
  const act = { as: 'admin', now }
  const chargesOf = async () => ({ charges: [], refused: [] })
  const wanted = { month: '2026-03', owner_id: 0, now, suspended: new Map(), isDespiteSuspense: true }
  const run = await openMonth(store, { ...wanted, chargesOf })
  const billed = await Array.fromAsync(billMonth(run, billedAccounts(store, 0), await openIssue(run)))
  const [issued, other] = billed.filter(({ outcome, number }) => outcome === 'issued' && number !== '')
  if (!issued || !other) throw new Error('March was issued to fewer than two customers')
  const { account, number: invoice } = issued
  const paid = { customer: account.username, amount: '0.01', type: 'bank', invoice }
  const { answer } = await carryOutAs(store, recordPayment, act, paid)
  await carryOutAs(store, takeBackPayment, act, { payment: String(answer.id), why: 'Returned' })
  const rare = { ...answer, id: 990_001, ...RARE_COLUMNS, owner_id: 0 }
  await store.transact(changesOf(payments, undefined, rare))
  const waiting = { ...rare, ...ofNoInvoice, id: 990_003, completed: false, invoice_id: answer.invoice_id }
  await store.transact(changesOf(payments, undefined, waiting))
  await addCreditNote(store, { invoice, rows: '1', why: 'Goodwill' }, act)
  await carryOutAs(store, writeOffInvoice, act, { invoice, why: 'Bankrupt' })
  await addCreditNote(store, { invoice: other.number, why: 'Wrong tariff' }, act)
  await carryOutAs(store, closeMonth, act, { month: '2026-02' })
  await store.transact([willTake({ id: 990_004, user_id: account.id })])
}

const SELLER = {
  ...{
    Seller_Name: 'Northwind',
    Seller_Address: 'Hafen 1',
    Seller_Postcode: '20457',
    Seller_City: 'Hamburg',
  },
  ...{ Seller_Country: 'DE', Seller_VAT_Number: 'DE123456789', Seller_Bank: 'IBAN DE02120300000000202051' },
}

/** The files of March's documents, which were never printed, and a list of calls. */
async function printDocuments({ store }: FixtureTable, folder: string): Promise<void> {
  const settings = await settingsOf(store)
  const source = { store, settings, bucket: folderBucket(folder), now: new Date('2026-04-03T08:00:00Z') }
  await storeFilesOfPastDays(source, () => true)
  const [page = []] = await Array.fromAsync(documentsOfDays(store, { user: 2 }, { from: '2026-04-02' }))
  for (const found of page) await givenFile(source, found, 'calls')
}

/** A mail that was refused twice, and one that is on its way. */
async function mailDocuments({ store }: FixtureTable, folder: string): Promise<void> {
  const now = new Date('2026-04-03T09:00:00Z')
  const act = { as: 'admin', now }
  await carryOutAs(store, setSetting, act, { name: 'Mail_From', value: 'billing@northwind.example' })
  const source = { store, settings: await settingsOf(store), bucket: folderBucket(folder), clock: () => now }
  const [page = []] = await Array.fromAsync(documentsOfDays(store, { owner: 0 }, { from: '2026-04-02' }))
  const [first, second] = page.map(({ document: { number: invoice } }) => ({ invoice, to: 'x@y.example' }))
  for (const again of ['', 'yes']) {
    await carryOutAs(store, sendInvoice, act, { ...first, again })
    await sendDueMails({ ...source, send: async () => ({ error: '550 No such user' }) })
  }
  await carryOutAs(store, sendInvoice, act, second ?? {})
  await new Promise((resolve) => {
    void sendDueMails({ ...source, send: (mail) => new Promise(() => resolve(mail)) })
  })
}

/** The columns of a payment that an unreleased version stored, and those that few payments have. */
const RARE_COLUMNS = {
  ...{ invoice_id: undefined, allocations: '', booked: undefined, refunds: 990_002, vat_percent: '19' },
  ...{ invoice_amount: '0.01', applied: '0.01', applied_booked: '0.01', net: '0.01' },
  bank_row: 'a1',
}

const FAILED_IMPORT = { ...aFailureOf('records/calls.csv'), at: RELEASE_TIME.toISOString() }

const FORGETTING = { at: RELEASE_TIME.toISOString(), id: 'release', account: 10, who: 'admin', calls: 0 }

/** A day whose calls have left the table. */
const ARCHIVED_DAY = {
  day: '2025-03-10',
  version: 1,
  archived_at: RELEASE_TIME.toISOString(),
  bytes: 4096,
  late: 0,
  calls: 0,
  answered: 0,
  billsec: 0,
  revenue: '0',
  self_cost: '0',
}

// Commands

async function operate({ store }: FixtureTable): Promise<void> {
  const act = { as: 'admin', now: minutesBefore(30) }
  const setting = { name: 'Suspense_Days', value: '90' }
  await carryOutAs(store, setSetting, { as: 'admin', now: minutesBefore(35) }, setting)
  await carryOutAs(store, recordActs('accounts').change, act, { id: 'northwind', taxation_country: 'DE' })
  const dated = { id: 'erin', vat_percent: '19', from: '2027-01-01' }
  await carryOutAs(store, recordActs('accounts').change, act, dated)
  await carryOutAs(store, unblockAccount, act, { account: 'erin' })
  await carryOutAs(store, blockAccount, { ...act, now: minutesBefore(29) }, { account: 'erin', yes: 'yes' })
  const factor = { secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', recovery: [hexDigest('recovery')] }
  await store.transact(secondFactorSet({ id: 50, username: 'granite' }, factor))
  const imported = { who: 'import', file: 'operator/demo/devices.csv' }
  await store.transact([inAuditLog({ at: minutesBefore(28).toISOString(), ...imported })])
  const intake = {
    name: 'sip1',
    secret_sha256: hexDigest(INTAKE_SECRET),
    zone: 'UTC',
    added_at: minutesBefore(26).toISOString(),
  }
  await store.transact([intakeAdded(intake)])
  await countWrongSecret(store, 'sip1', '198.51.100.7', secondsOf(minutesBefore(25)))
  const session = { username: 'admin', account: 'digest', expires_at: secondsOf(minutesBefore(-600)) }
  const recorded = { ...paymentRequestKey(0, '1-2-3-4'), id: 1, expires_at: secondsOf(minutesBefore(-600)) }
  const done = {
    ...doneRequestKey(0, 'digest'),
    at: '2026-03-10T12:00:00.000Z',
    expires_at: recorded.expires_at,
  }
  const half = { ...halfLineKey('sip1'), line: '"1773140400","6"', calldate: 1773140400, uniqueid: 'half' }
  await store.transact([
    { put: { ...keyOfSession('token'), ...session } },
    { put: recorded },
    { put: done },
    { put: { ...half, expires_at: recorded.expires_at } },
  ])
  await useKeys(store, minutesBefore(24))
}

const KEY_SECRET = 'fictional-secret-of-the-key-crm'

/** A key of an integration, and the signature of a request with v2. */
async function useKeys(store: Store, now: Date): Promise<void> {
  const added_at = now.toISOString()
  const key = {
    name: 'crm',
    secret: KEY_SECRET,
    methods: ['devices_get'],
    from: '10.0.0.0/8',
    v2_only: false,
  }
  const entry = inAuditLog({ at: added_at, who: 'admin', account: 'admin', did: 'got the key crm' })
  const changes = keyChanges(await findKeysOf(store, 0), key.name, { ...key, added_at })
  await store.transact([...changes, entry])
  const use = { request: 'request-1', expires_at: secondsOf(now) + 600 }
  await claimSignature(store, hexDigest(KEY_SECRET), use)
}

// CDRs

async function mediateDocuments({ store }: FixtureTable): Promise<void> {
  const take = async (source: string, format: FormatName, text: string) => {
    const mediation = await openMediation(store, minutesBefore(20))
    return mediate(mediation, partsOf(mediation, [{ format, source, zone: 'UTC', text }]))
  }
  await take('fs1', 'freeswitch-json', await switchDocument('freeswitch.ndjson'))
  await take('pbx1', 'asterisk-json', await switchDocument('asterisk.ndjson'))
  await take('pbx1', 'asterisk-json', LINKED_CDR)
  await take('sip1', 'kamailio-json', await kamailioEvents('INVITE'))
  await take('fs1', 'freeswitch-json', LARGE_UNREADABLE_TEXT)
  await take('fs1', 'live', LIVE_EVENT)
}

/** The CDR of a Local channel, before that of the channel that called it. */
const LINKED_CDR = JSON.stringify({
  ...{ accountcode: 'carol', src: '12025550130', dst: '12025550185', channel: 'Local/12025550185@out-1;2' },
  ...{ start: '2026-03-10 08:00:00', duration: 70, billsec: 60, disposition: 'ANSWERED' },
  ...{ uniqueid: '1773129600.3', linkedid: '1773129600.1' },
})

export const switchDocument = (name: string): Promise<string> =>
  readFile(`${root}data/switches/${name}`, 'utf8')

/** The beginnings of calls, or their ends, which come later. */
export const kamailioEvents = async (method: 'INVITE' | 'BYE'): Promise<string> =>
  (await linesOf('kamailio.ndjson')).filter((line) => line.includes(`"${method}"`)).join('\n')

const linesOf = async (name: string) => (await switchDocument(name)).trimEnd().split('\n')

/** Text that stays larger than an entry of the suspense when it is packed. */
const LARGE_UNREADABLE_TEXT = Array.from({ length: 140 }, (_, n) =>
  createHash('sha256').update(String(n)).digest('hex'),
).join('')

const LIVE_EVENT = JSON.stringify({
  'Event-Name': 'CHANNEL_CREATE',
  'Event-Date-Timestamp': String(secondsOf(minutesBefore(21)) * 1_000_000),
  'Call-Direction': 'inbound',
  'Unique-ID': 'd208ea41-f04b-47b4-ac0c-77dcb4b4b02d',
  variable_sip_auth_username: '2010',
  'Caller-Caller-ID-Number': '12025550130',
  'Caller-Destination-Number': '442079460222',
})

/** The rollback changes the prices of calls that were rated here. */
async function rerateRolledBack({ store }: FixtureTable): Promise<void> {
  await carryOutAs(store, rollBackTariff, { as: 'admin', now: minutesBefore(16) }, { id: '1' })
  const day = RELEASE_TIME.toISOString().slice(0, 10)
  const given = { from: day, till: day, with: 'active', includeInvoiced: 'yes' }
  await carryOutAs(store, rerateCalls(), { as: 'admin', now: minutesBefore(15) }, given)
}

// Documents

/** Products take pages of their own from 300 KB on. These are cut into pages like those of a long invoice. */
async function cutProducts({ store }: FixtureTable): Promise<void> {
  const [before] = await findInvoices(store, [1])
  if (!before) throw new Error('The demo has lost invoice 1')
  const pages = before.products.map((product) => [product])
  const after = {
    ...before,
    products: [],
    product_pages: pages.length,
    revenue: revenueText(before.products, false),
  }
  await putProductPages(store, after, pages)
  await replaceDocuments(store, invoices, [{ before, after }])
}

// Methods

const CALLS = [
  { method: 'user_login', params: { u: 'dave_workshop', p: 'wrong' } },
  { method: 'device_create', params: exampleOf('device_create') },
  { method: 'payment_create', params: exampleOf('payment_create') },
  { method: 'device_delete', params: { u: 'northwind', device: '42' } },
]

async function callMethods(table: FixtureTable): Promise<void> {
  for (const call of CALLS) await answered(table, call)
}
