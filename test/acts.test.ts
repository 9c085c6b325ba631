import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, findCallers } from '#lib/accounts/account.ts'
import { findKeysOf, keyChanges } from '#lib/accounts/named-key-stored.ts'
import { codeOfStep, secondFactorSet } from '#lib/accounts/second-factor.ts'
import { choosingPassword, createSession } from '#lib/accounts/session.ts'
import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import {
  blockAccount,
  resetSecondFactor,
  setPassword,
  unblockAccount,
} from '#lib/acts/accounts/account-acts.ts'
import { addKey, revokeKey, rotateKey } from '#lib/acts/accounts/key-acts.ts'
import { beginSecondFactor, changeOwnPassword, endSecondFactor } from '#lib/acts/accounts/login-acts.ts'
import type { Act } from '#lib/acts/act.ts'
import { dismissFailedImport, idOfFailedImport } from '#lib/acts/imports/dismiss-failed-import.ts'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { noteDelivery } from '#lib/alerts/delivery.ts'
import { endpointAdded } from '#lib/alerts/endpoint.ts'
import {
  addWebhook,
  disableWebhook,
  enableWebhook,
  removeWebhook,
  resendWebhook,
  rotateWebhook,
  testWebhook,
} from '#lib/alerts/endpoint-acts.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { add } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ndjsonLine } from '#lib/base/text.ts'
import { listInvoices } from '#lib/billing/invoice.ts'
import { adjustBalance } from '#lib/billing/payments/adjust-balance.ts'
import { assignCreditNote, assignPayment } from '#lib/billing/payments/assign-payment.ts'
import { confirmPayment } from '#lib/billing/payments/confirm-payment.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { refundPayment } from '#lib/billing/payments/refund-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { unassignCreditNote, unassignPayment } from '#lib/billing/payments/unassign-payment.ts'
import { writeOffInvoice } from '#lib/billing/payments/write-off.ts'
import { rerateCalls } from '#lib/calls/rating/rerate-calls.ts'
import { setSettings } from '#lib/calls/set-settings.ts'
import { issueMonth } from '#lib/cdrs/pipeline/issue-month.ts'
import { dropSuspendedCdrs, retrySuspendedCdrs } from '#lib/cdrs/pipeline/suspense-acts.ts'
import { putSuspended } from '#lib/cdrs/suspense/suspense.ts'
import { addIntake, revokeIntake } from '#lib/cdrs/switches/intake-acts.ts'
import { recountHolds, releaseHolds } from '#lib/control/hold-acts.ts'
import { holdsKey, holdText } from '#lib/control/holds.ts'
import { BOOKS } from '#lib/dataset/import/folder.ts'
import { type RecordActs, recordActs } from '#lib/dataset/records/record-acts.ts'
import type { KindName } from '#lib/dataset/records/record-kinds.ts'
import { setOwnDetails } from '#lib/dataset/records/set-own-details.ts'
import { setRate } from '#lib/dataset/records/set-rate.ts'
import { creditInvoice } from '#lib/invoicing/credit-invoice.ts'
import { brandKey } from '#lib/invoicing/documents/brand.ts'
import { setBrand } from '#lib/invoicing/documents/set-brand.ts'
import { closeMonth } from '#lib/invoicing/journal/close-month.ts'
import { mailingKey } from '#lib/invoicing/mailing.ts'
import { choosePassword, inviteAccount } from '#lib/invoicing/mails/password-acts.ts'
import { remind } from '#lib/invoicing/mails/reminders.ts'
import { noteBounce, sendCreditNote, sendInvoice, sendMonth } from '#lib/invoicing/mails/send-acts.ts'
import { rollBackTariff } from '#lib/rates/acts/roll-back-tariff.ts'
import { auditLogKey } from '#lib/settings/audit-log.ts'
import { noteFailedImport } from '#lib/settings/failed-import.ts'
import { intakeAdded } from '#lib/settings/intake.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import { exactly } from '#lib/table/items.ts'
import { isUnder } from '#lib/table/keys.ts'
import { declaredActs } from '#test/acts/declared-acts.ts'
import { aConsoleClient, type ConsoleClient } from '#test/console/console-client.ts'
import type { DumpedItem } from '#test/dump.ts'
import { estates, IDS_AFTER, passwordOf, usernameOf } from '#test/examples/estates.ts'
import { MARCH } from '#test/examples/rated-calls.ts'
import { bill } from '#test/invoicing/a-month.ts'
import { damageIn } from '#test/soundness.ts'
import { isNight } from '#test/sweep.ts'
import { returningTable } from '#test/test-table.ts'
import { aWorld, type World } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { closeBalances, openBalances } from '#tools/commands/balance/balance-opening.ts'
import { makeCharges } from '#tools/commands/charges/charges.ts'
import { importBooks } from '#tools/commands/export/books.ts'
import { forgetCalls } from '#tools/commands/forget/forget.ts'
import { migrateTable } from '#tools/commands/migrate/migrate-table.ts'
import { changeShards } from '#tools/commands/settings/settings.ts'
import { changeTimezone } from '#tools/commands/settings/settings-tool.ts'

/** An act, where HTTP carries it out, and inputs that are good for one caller or another, or for none. */
interface ActRow {
  readonly act: Act<Record<string, never>>
  readonly verb: Verb
  /** The path, in which `:name` is the input of this name; blank for what only a terminal carries out. */
  readonly path: string
  /** Only a session has what it needs. */
  readonly isOfSession?: true
  readonly given: readonly GivenTexts[]
}

type Verb = 'POST' | 'PUT' | 'DELETE'

/** A path without a verb is posted to. */
const rowOf = (act: unknown, at: string, ...given: readonly GivenTexts[]): ActRow => {
  const [path = '', verb = 'POST'] = at.split(' ').reverse()
  return { act: act as ActRow['act'], verb: verb as Verb, path, given }
}

const ofSession = (...row: Parameters<typeof rowOf>): ActRow => ({ ...rowOf(...row), isOfSession: true })

const SUSPENDED = '0123456789abcdef01234567'

/** The name of a hold. */
const HOLD = `h${'A'.repeat(22)}`

/** Stands for the id of an invoice that was issued here. */
const ISSUED = 'issued'

/** Stand for the caller's own password and code of the moment, and for the token of a mail. */
const OWN = 'own password'
const CODE = 'code'
const TOKEN = 'token'

const SECRET = 'A'.repeat(32)

const paymentOf = (account: number): string => String(IDS_AFTER.document + account)

type RecordRows = Readonly<Record<keyof RecordActs, readonly GivenTexts[]>>

/** The same for records of a kind. Its names are ids, as the page sends them. */
const recordRows = (
  kind: KindName,
  { add, change, remove }: RecordRows,
): Readonly<Record<string, ActRow>> => {
  const [acts, path] = [recordActs(kind), `/records/${kind}`]
  return {
    [`${kind}.add`]: rowOf(acts.add, path, ...add),
    [`${kind}.change`]: rowOf(acts.change, `PUT ${path}/:id`, ...change),
    ...(remove.length > 0 && {
      [`${kind}.remove`]: rowOf(
        acts.remove,
        `DELETE ${path}/:id`,
        ...remove.map((id) => ({ ...id, yes: 'yes' })),
      ),
    }),
  }
}

const noWait = async (): Promise<void> => {}

const noArchive = (): never => {
  throw new Error('No call is archived here')
}

/** Of a seller's brand alone. */
function aDatasetWithBooks(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-'))
  mkdirSync(join(folder, BOOKS))
  const brand = { ...brandKey(2), colour: '#0A7D5A' }
  writeFileSync(join(folder, BOOKS, 'items.ndjson'), ndjsonLine(brand))
  return folder
}

const ROWS: Readonly<Record<string, ActRow>> = {
  ...recordRows('accounts', {
    add: [{ username: 'anna' }, { username: 'bob' }, { username: 'x', credit: 'y' }],
    change: [
      { id: '10', comment: 'x' },
      { id: '20', first_name: 'Ann' },
      { id: '999', comment: 'x' },
    ],
    remove: [],
  }),
  ...recordRows('devices', {
    add: [{ user_id: '10' }, { user_id: '20' }, { user_id: '10', extension: '5020' }, {}],
    change: [
      { id: '1010', comment: 'x' },
      { id: '1020', extension: '77' },
      { id: '1020', location_id: '7' },
    ],
    remove: [{ id: '1011' }, { id: '1010' }, { id: '1020' }, { id: '999' }],
  }),
  ...recordRows('device-rules', {
    add: [
      { device_id: '1010', name: 'Zero', cut: '00' },
      { device_id: '1020', name: 'Zero' },
    ],
    change: [
      { id: '6020', add: '370' },
      { id: '6010', maxlen: 'x' },
      { id: '999', add: '1' },
    ],
    remove: [{ id: '6020' }, { id: '6010' }],
  }),
  ...recordRows('tariffs', {
    add: [{ name: 'Retail' }, { name: 'Retail', currency: 'XXX' }],
    change: [
      { id: '3020', name: 'Retail' },
      { id: '3010', currency: 'XXX' },
    ],
    remove: [],
  }),
  ...recordRows('providers', {
    add: [
      { name: 'Rhine', names: 'rhine1' },
      { name: 'x', tariff_id: '7' },
    ],
    change: [
      { id: '1', names: 'rhine3' },
      { id: '7', names: 'x' },
    ],
    remove: [],
  }),
  ...recordRows('dids', {
    add: [{ did: '37052001234', user_id: '10' }, { did: '370520000' }],
    change: [
      { id: '6000', user_id: '10' },
      { id: '7', user_id: '10' },
    ],
    remove: [],
  }),
  ...recordRows('currencies', {
    add: [
      { name: 'NOK', exchange_rate: '11.5' },
      { name: 'EUR', exchange_rate: '0' },
    ],
    change: [
      { id: 'EUR', exchange_rate: '1.1' },
      { id: 'XXX', exchange_rate: '1' },
    ],
    remove: [],
  }),
  ...recordRows('services', {
    add: [
      { name: 'Line', price: '5', charged: 'monthly' },
      { name: 'Line' },
      { name: 'Line', price: '5', charged: 'never_charged' },
    ],
    change: [
      { id: '6000', price: '6' },
      { id: '6000', charged: 'never_charged' },
      { id: '6002', charged: 'weekly' },
      { id: '7', price: '1' },
    ],
    remove: [],
  }),
  ...recordRows('subscriptions', {
    add: [
      { user_id: '10', service_id: '6000', from: '2026-04-01', again: 'yes' },
      { user_id: '10', service_id: '6000', from: '2026-04-01' },
      { user_id: '20', service_id: '6002', from: 'soon' },
    ],
    change: [
      { id: '7010', till: '2026-04-30' },
      { id: '7020', quantity: '-1' },
      { id: '5', till: '' },
    ],
    remove: [],
  }),
  ...recordRows('locations', {
    add: [{ name: 'Office' }, { name: '' }],
    change: [
      { id: '2002', name: 'Office' },
      { id: '2000', name: '' },
    ],
    remove: [],
  }),
  ...recordRows('location-rules', {
    add: [
      { location_id: '2000', name: 'Zero', cut: '00' },
      { location_id: '2002', name: 'Zero' },
    ],
    change: [
      { id: '6002', add: '370' },
      { id: '6000', minlen: 'x' },
      { id: '7', add: '1' },
    ],
    remove: [{ id: '6002' }, { id: '6000' }, { id: '7' }],
  }),
  setRate: rowOf(
    setRate,
    '/tariffs/:id/rates',
    { id: '3010', prefix: '370', tariff_rate: '0.15', effective_from: '2026-04-01' },
    { id: '3020', prefix: '44', tariff_rate: '0.2' },
    { id: '3020', prefix: 'x', tariff_rate: '' },
    { id: '999', prefix: '44', tariff_rate: '0.2' },
  ),
  recordPayment: rowOf(
    recordPayment,
    '/payments',
    { customer: '10', amount: '12.50', reference: 'R1', again: 'yes' },
    { customer: '10', amount: '12.50' },
    { customer: '20', amount: '3', date: '2026-03-01', comment: 'Thanks', again: 'yes' },
    { customer: '10', amount: '-1' },
    { customer: '10' },
    { customer: '10', amount: '1', currency: 'XXX', again: 'yes' },
    { customer: '10', amount: '1', invoice: 'none', again: 'yes' },
    { customer: '10', amount: '1', date: '2027-01-01' },
    { customer: '999', amount: '1' },
  ),
  assignPayment: rowOf(
    assignPayment,
    '/payments/:payment/assign',
    { payment: paymentOf(10), invoices: 'A-10=1' },
    { payment: paymentOf(10), invoices: 'A-10' },
    { payment: paymentOf(20), invoices: 'A-20' },
    { payment: paymentOf(10), invoices: 'none' },
    { payment: '5', invoices: 'A-10' },
  ),
  unassignPayment: rowOf(
    unassignPayment,
    '/payments/:payment/unassign',
    { payment: paymentOf(40), invoice: 'a-40' },
    { payment: paymentOf(40), invoice: 'none' },
    { payment: paymentOf(10) },
  ),
  assignCreditNote: rowOf(
    assignCreditNote,
    '/documents/credit-notes/:note/assign',
    { note: paymentOf(10), invoices: 'A-10=0.5' },
    { note: paymentOf(20), invoices: 'A-20=0.5' },
    { note: paymentOf(10), invoices: 'none' },
    { note: '999', invoices: 'A-10' },
  ),
  unassignCreditNote: rowOf(
    unassignCreditNote,
    '/documents/credit-notes/:note/unassign',
    { note: paymentOf(40), invoice: 'a-40' },
    { note: paymentOf(10) },
    { note: '999' },
  ),
  refundPayment: rowOf(
    refundPayment,
    '/payments/:payment/refund',
    { payment: paymentOf(20), amount: '0.5', why: 'Moved' },
    { payment: paymentOf(20), amount: '100000' },
    { payment: paymentOf(10) },
    { payment: 'x' },
  ),
  creditInvoice: rowOf(
    creditInvoice,
    '/documents/invoices/:invoice/credit',
    { invoice: ISSUED, rows: '1', why: 'Wrong rate', 'dry-run': 'yes' },
    { invoice: ISSUED, amount: '0.1', why: 'Goodwill' },
    { invoice: ISSUED, amount: '0.1', why: 'Goodwill' },
    { invoice: ISSUED, amount: '100', why: 'Goodwill', customer: '11', seller: '0' },
    { invoice: ISSUED, rows: '1', amount: '1', why: 'Both' },
    { invoice: ISSUED, rows: '7', why: 'Wrong rate' },
    { invoice: ISSUED, why: 'All of it', customer: '10' },
    { invoice: '20', why: 'Imported' },
    { invoice: '20' },
  ),
  writeOffInvoice: rowOf(
    writeOffInvoice,
    '/documents/invoices/:invoice/write-off',
    { invoice: '10', why: 'Bankrupt' },
    { invoice: '20', why: 'Bankrupt' },
    { invoice: '10', why: 'Again' },
    { invoice: 'none', why: 'Unknown' },
    { invoice: '20' },
  ),
  noteBounce: rowOf(
    noteBounce,
    '/documents/invoices/:invoice/bounced',
    { invoice: '10' },
    { invoice: '20', why: 'Full' },
  ),
  sendInvoice: rowOf(
    sendInvoice,
    '/documents/invoices/:invoice/send',
    { invoice: '10', to: 'carol@dent.example' },
    { invoice: '10', to: 'carol@dent.example' },
    { invoice: '10', to: 'boss@dent.example', again: 'yes' },
    { invoice: '20', to: 'dave@dent.example' },
    { invoice: '20', to: 'nowhere' },
    { invoice: '30' },
    { invoice: 'none', to: 'carol@dent.example' },
  ),
  sendCreditNote: rowOf(
    sendCreditNote,
    '/documents/credit-notes/:note/send',
    { note: paymentOf(10), to: 'carol@dent.example' },
    { note: paymentOf(20), to: 'dave@dent.example' },
    { note: paymentOf(40) },
    { note: '999', to: 'carol@dent.example' },
  ),
  remind: rowOf(remind, '/month/remind', {}, { customer: '10' }, { customer: '20' }, { customer: '999' }),
  sendMonth: rowOf(
    sendMonth,
    '/month/send',
    { month: '2026-05' },
    { month: '2026-05', seller: '2' },
    { month: '2026-05', seller: '999' },
    { month: 'May' },
  ),
  confirmPayment: rowOf(
    confirmPayment,
    '/payments/:payment/confirm',
    { payment: paymentOf(10) },
    { payment: paymentOf(20) },
    { payment: 'x' },
  ),
  takeBackPayment: rowOf(
    takeBackPayment,
    '/payments/:payment/take-back',
    { payment: paymentOf(10), why: 'Returned' },
    { payment: paymentOf(20), why: 'Returned' },
    { payment: paymentOf(10) },
  ),
  adjustBalance: rowOf(
    adjustBalance,
    '/adjustments',
    { customer: '10', amount: '-2.5', why: 'Fee', again: 'yes' },
    { customer: '10', amount: '-2.5', why: 'Fee' },
    { customer: '20', amount: '1', why: 'Goodwill', again: 'yes' },
    { customer: '10', amount: '0', why: 'Fee' },
    { customer: '10', amount: '1' },
    { customer: '10', amount: '3', why: 'Returned', kind: 'bank_fee', again: 'yes' },
    { customer: '10', amount: '3', why: 'Returned', kind: 'gift', again: 'yes' },
  ),
  issueMonth: rowOf(
    issueMonth,
    '/month/issue',
    { month: '2026-02', only: '11', late: 'yes' },
    { month: '2026-02', only: '11,20' },
    { month: '2026-02', customer: '11', 'despite-suspense': 'yes' },
    { month: '2026-02', customer: '20' },
    { month: '2026-02', seller: '2', except: '20' },
    { month: '2025-12' },
    { month: '2026-03' },
    { month: '2026-02', only: 'x' },
  ),
  closeMonth: rowOf(
    closeMonth,
    '/month/close',
    { month: '2025-12' },
    { month: '2025-12' },
    { month: '2026-02' },
    { month: '2026-01', seller: '2' },
    { month: '2026-01', seller: '10' },
    { month: '2036-05' },
    { month: 'May' },
  ),
  addIntake: rowOf(
    addIntake,
    '/intakes',
    { name: 'pbx1', secret: 'S'.repeat(32), zone: 'Europe/Berlin', map: 'start=When\ndst=Called' },
    { name: 'pbx2', secret: 'short' },
    { name: 'two words' },
  ),
  blockAccount: rowOf(
    blockAccount,
    '/customers/:account/block',
    { account: '11', yes: 'yes' },
    { account: '20' },
    { account: '2' },
    { account: '0' },
    { account: '999' },
  ),
  inviteAccount: rowOf(
    inviteAccount,
    '/customers/:account/invite',
    { account: '10' },
    { account: '10' },
    { account: '11' },
    { account: '1' },
    { account: '0' },
    { account: '999' },
  ),
  unblockAccount: rowOf(
    unblockAccount,
    '/customers/:account/unblock',
    { account: '11' },
    { account: '20' },
    { account: '999' },
  ),
  setPassword: rowOf(
    setPassword,
    '/customers/:account/password',
    { account: '11', password: 'a new password' },
    { account: '20', password: 'a new password' },
    { account: '11', password: 'short' },
    { account: '999', password: 'a new password' },
  ),
  changeOwnPassword: ofSession(
    changeOwnPassword,
    'PUT /session/password',
    { current: OWN, wanted: 'a new password' },
    { current: 'wrong', wanted: 'a new password' },
    { current: OWN, wanted: 'short' },
    { wanted: 'a new password' },
  ),
  beginSecondFactor: ofSession(
    beginSecondFactor,
    'PUT /session/second-factor',
    { current: OWN, secret: SECRET, code: CODE },
    { current: OWN, secret: SECRET, code: '12345' },
    { current: 'wrong', secret: SECRET, code: CODE },
    { current: OWN, secret: 'short', code: CODE },
  ),
  endSecondFactor: ofSession(
    endSecondFactor,
    'POST /session/second-factor/off',
    { current: OWN, code: CODE },
    { current: OWN },
    { current: 'wrong', code: CODE },
  ),
  choosePassword: ofSession(
    choosePassword,
    '/session/password',
    { token: TOKEN, wanted: 'short' },
    { token: TOKEN, wanted: 'a new password' },
    { token: TOKEN, wanted: 'a new password' },
    { token: 'none', wanted: 'a new password' },
  ),
  resetSecondFactor: rowOf(
    resetSecondFactor,
    '/customers/:account/second-factor/reset',
    { account: '11' },
    { account: '20' },
    { account: '999' },
  ),
  addKey: rowOf(
    addKey,
    '/keys',
    { name: 'crm', as: '10', methods: 'devices_get', from: '10.0.0.0/8', v2Only: 'yes' },
    { name: 'crm', as: '20', methods: 'all' },
    { name: 'two words', as: '10', methods: 'all' },
    { name: 'other', as: '10', methods: 'devices_gte' },
  ),
  rotateKey: rowOf(
    rotateKey,
    '/keys/:name/rotate',
    { name: 'own', overlap: '2' },
    { name: 'own', overlap: '721' },
    { name: 'none' },
  ),
  revokeKey: rowOf(revokeKey, 'DELETE /keys/:name', { name: 'own' }, { name: 'none' }),
  addWebhook: rowOf(
    addWebhook,
    '/webhooks',
    { url: 'https://example.com/', events: 'balance.low' },
    { url: 'https://example.com/', events: 'all', owner: '2' },
    { url: 'https://example.com/', events: 'all', owner: '10' },
    { url: 'http://example.com/', events: 'all' },
    { url: 'https://example.com/', events: 'balance.lowe' },
  ),
  testWebhook: rowOf(testWebhook, '/webhooks/:id/test', { id: 'we_0' }, { id: 'we_2' }, { id: 'none' }),
  resendWebhook: rowOf(
    resendWebhook,
    '/webhooks/:id/resend',
    { id: 'we_0', message: 'msg_0' },
    { id: 'we_2', message: 'msg_2' },
    { id: 'we_2', message: 'msg_0' },
  ),
  enableWebhook: rowOf(enableWebhook, '/webhooks/:id/enable', { id: 'we_0' }, { id: 'we_2' }, { id: 'none' }),
  disableWebhook: rowOf(
    disableWebhook,
    '/webhooks/:id/disable',
    { id: 'we_0' },
    { id: 'we_2' },
    { id: 'no' },
  ),
  rotateWebhook: rowOf(rotateWebhook, '/webhooks/:id/rotate', { id: 'we_0' }, { id: 'we_2' }, { id: 'none' }),
  removeWebhook: rowOf(removeWebhook, 'DELETE /webhooks/:id', { id: 'we_0' }, { id: 'we_2' }, { id: 'none' }),
  setSettings: rowOf(
    setSettings,
    'PUT /settings',
    { Suspense_Days: '30' },
    { Nice_Number_Digits: '', Payment_Days: '30', Invoices_From: '2026-02-01', Language: 'de' },
    { Nice_Number_Digits: '16' },
    { Nice_Number_Digits: '16', Late_Months: '13' },
    { Suspense_Days: '31', Invoices_From: '2025-12-01' },
    { No_such_setting: '1' },
    { Device_Range_MIN: '99999' },
    { Device_Range_MIN: '20000', Device_Range_MAX: '29999' },
  ),
  setBrand: rowOf(
    setBrand,
    'PUT /brand',
    { colour: '#0A7D5A', footer: 'HRB 1' },
    { colour: 'red' },
    { colour: '', seller: '2' },
    { seller: '999', footer: 'x' },
    { logo: 'data:image/png;base64,AAAA' },
  ),
  setOwnDetails: rowOf(
    setOwnDetails,
    'PUT /own/details',
    { address: '1 Street', mob_phone: '37000001', alert_at: '50,20' },
    { alert_at: 'twenty' },
    { company_name: 'Mine' },
    { company_name: 'Northwind', city: 'Berlin', bank: 'DE00', language: 'de' },
    { electronic_address: 'x' },
    { credit: '100' },
    { vat_number: 'DE123456789' },
    { owner_id: '0' },
  ),
  releaseHolds: rowOf(
    releaseHolds,
    '/customers/:account/holds/release',
    { account: '10', holds: HOLD },
    { account: '10', expired: 'yes' },
    { account: '10' },
    { account: '20', holds: HOLD },
  ),
  recountHolds: rowOf(
    recountHolds,
    '/customers/:account/holds/recount',
    { account: '10' },
    { account: '20' },
    { account: '999' },
  ),
  rollBackTariff: rowOf(
    rollBackTariff,
    '/tariffs/:id/rollback',
    { id: '3010' },
    { id: '3010', version: '2' },
    { id: '3010', version: '7' },
    { id: '3020' },
    { id: '999' },
  ),
  rerateCalls: rowOf(
    rerateCalls(),
    '/reratings',
    { ...MARCH, includePriced: 'yes', includeInvoiced: 'yes' },
    { ...MARCH, includePriced: 'yes', customer: '20', tariff: '3020' },
    { ...MARCH, with: 'as-of', provider: '1' },
    { ...MARCH, customer: '999' },
    { ...MARCH, tariff: '999' },
    { ...MARCH, provider: '999' },
    { ...MARCH, from: '2026-04-01' },
    { ...MARCH, run: 'none' },
    { from: MARCH.from, till: MARCH.till },
  ),
  dismissFailedImport: rowOf(
    dismissFailedImport,
    'DELETE /failed-imports/:id',
    { id: idOfFailedImport('in/users.csv') },
    { id: 'none' },
  ),
  retrySuspendedCdrs: rowOf(
    retrySuspendedCdrs,
    '/suspense/retry',
    { reason: 'unknown_account' },
    { reason: 'unknown_account', after: '5' },
    { reason: 'none' },
    { from: '2026-03-02', till: '2026-03-01' },
  ),
  dropSuspendedCdrs: rowOf(
    dropSuspendedCdrs,
    'DELETE /suspense/:id',
    { id: SUSPENDED, yes: 'yes' },
    { id: '0'.repeat(24), yes: 'yes' },
  ),
  openBalances: rowOf(
    openBalances(noWait),
    '',
    { day: '2026-02-01' },
    { day: 'soon' },
    { day: '2026-01-01' },
  ),
  closeBalances: rowOf(closeBalances(noWait), '', {}, {}),
  changeTimezone: rowOf(
    changeTimezone(noWait),
    '',
    { zone: 'Europe/Vilnius' },
    { zone: 'Europe/Vilnius' },
    { zone: 'Mars' },
    { zone: '' },
  ),
  changeShards: rowOf(changeShards(noWait), '', { number: '4' }, { number: '3' }, { number: '8' }),
  makeCharges: rowOf(makeCharges, '', {}, { customer: '11' }, { customer: '999' }),
  forgetCalls: rowOf(
    forgetCalls({ openBucket: noArchive, clock: () => new Date(), lock: async () => () => undefined }),
    '',
    { account: '10', yes: 'yes' },
    { account: '20' },
    { account: '999', yes: 'yes' },
  ),
  importBooks: rowOf(importBooks(aDatasetWithBooks(), noArchive), '', {}),
  migrateTable: rowOf(
    migrateTable({
      pagesFrom: async function* () {},
      pace: async () => {},
      onProgress: () => {},
      onNote: (sentence) => expect.fail(sentence),
    }),
    '',
    {},
  ),
  revokeIntake: rowOf(revokeIntake, 'DELETE /intakes/:name', { name: 'sip1' }, { name: 'none' }),
}

test('each act has a row here', async () => {
  expect(Object.keys(ROWS).sort()).toEqual([...(await declaredActs()).keys()].sort())
})

/** An admin, an accountant, two resellers, a partner and a customer. */
const CALLERS = [0, 1, 2, 3, 4, 10].map(usernameOf)

/** Months are billed to this account without calls, whose balance would be in a shard that is drawn. */
const MINIMUM = { postpaid: '1', minimal_month: '1', minimal_from: '2026-01-01' }

async function aBilledEstate(): Promise<World> {
  const world = await aWorld(
    {
      ...estates,
      users: (estates['users'] ?? []).map((one) =>
        one['id'] === '11' ? { ...one, ...MINIMUM, email: 'eleven@y.example' } : one,
      ),
      invoices: [10, 20, 40].map((account) => ({
        ...{ id: `${account}`, user_id: `${account}`, number: `A-${account}`, issue_date: '2026-03-01' },
        ...{ price: '10', price_with_vat: '11.9' },
      })),
    },
    {
      Balance_From: '2026-01-01',
      Charges_From: '2026-03-01',
      Invoices_From: '2026-01-01',
      Payments_With_VAT: '1',
      Customer_Page: '1',
      Mail_From: 'x@y.example',
      Page_Address: 'https://pay.y.example/',
      Reminder_Days: '7,21',
    },
  )
  await bill(world, { month: '2026-01', owner: 0 }, 'issue')
  const assigned = { payment: paymentOf(40), invoices: 'A-40' }
  const seller = { as: usernameOf(4), now: world.now }
  const credited = { note: paymentOf(40), invoices: 'A-40=0.5' }
  await carryOutAs(world.store, assignCreditNote, seller, credited)
  await carryOutAs(world.store, assignPayment, seller, assigned)
  const added_at = world.now.toISOString()
  for (const id of [1, 11])
    await world.store.transact(
      secondFactorSet({ id, username: usernameOf(id) }, { secret: SECRET, recovery: [] }),
    )
  await world.store.transact([intakeAdded({ name: 'sip1', secret_sha256: '0', added_at })])
  await putSuspended(world.store, [
    {
      ...{ id: SUSPENDED, order: '001773140400#000', format: 'asterisk-csv', source: 'pbx', zone: 'UTC' },
      ...{ reason: 'unknown_account', detail: 'd', text: 'x' },
    },
  ])
  await world.store.putBatch([
    {
      ...mailingKey(20, 'INVOICE', 20),
      ...{ kind: 'INVOICE', of: 20, user_id: 20, owner_id: 2, number: 'A-20', format: 'pdf', tries: 1 },
      ...{ state: 'sent', to: 'x@y.example', by: 'x', asked: added_at, at: added_at, message_id: '<x@y>' },
    },
  ])
  await noteFailedImport(world.store, {
    ...{ file: 'in/users.csv', kind: 'users', at: added_at, reason: 'no such column' },
    part: { from: 0, rows: 0, refused: 0 },
  })
  await world.given({ rates: [{ tariff_id: '3010', prefix: '49', tariff_rate: '7' }] })
  const hold = holdText({ amount: '0.2', seconds: 60, until: 1_900_000_000, at: 0, nonce: '-' })
  await world.store.update(holdsKey(10), { set: { held: exactly('0.2'), open: 1, epoch: 1, [HOLD]: hold } })
  const key = { name: 'own', secret: 'secret', methods: ['all'], from: '', v2_only: false, added_at }
  await world.store.transact(keyChanges(await findKeysOf(world.store, 10), 'own', key))
  for (const owner of [0, 2]) {
    const endpoint = { id: `we_${owner}`, owner, url: 'https://example.com/', secret: 'whsec_0', added_at }
    const added = endpointAdded(await findSettings(world.store), [], { ...endpoint, events: ['balance.low'] })
    await world.store.transact(added)
    const delivery = { id: `msg_${owner}`, type: 'balance.low', owner, endpoint: endpoint.id, body: '{}' }
    const outcome = { at: 0, tries: 1, tried_at: added_at, answer: '200', milliseconds: 1 }
    await noteDelivery(world.store, { ...delivery, ...outcome, outcome: 'delivered' }, world.now)
  }
  return world
}

/** The outcome of an act: `done`, or the code of its refusal. */
async function atTerminal(world: World, { act }: ActRow, as: string, given: GivenTexts): Promise<string> {
  const carried = carryOutAs(world.store, act, { as, now: world.now }, given)
  return carried.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof Refusal) return error.code
      throw error
    },
  )
}

/** A code that is right `steps` after now; each is right once. */
const codeIn = ({ now }: World, steps: number): string =>
  codeOfStep(SECRET, Math.floor(secondsOf(now) / 30) + steps)

/** Browsers in which the callers are signed in, by their names. */
const signedIn = (world: World) =>
  Promise.all(
    CALLERS.map(async (username) => {
      const client = aConsoleClient(world)
      const values = { username, password: passwordOf(username), code: codeIn(world, 0) }
      expect((await client.send('POST', '/session', values)).status).toBe(200)
      return { name: username, client, cookie: client.cookie }
    }),
  )

/** What the stand-ins of a row stand for. */
const meant = (given: GivenTexts, caller: string): GivenTexts => {
  const meaning: GivenTexts = {
    [ISSUED]: issued,
    [OWN]: passwordOf(caller),
    [CODE]: http && codeIn(http.world, 1),
    [TOKEN]: token,
  }
  return Object.fromEntries(Object.entries(given).map(([name, text = '']) => [name, meaning[text] ?? text]))
}

async function overHttp(client: ConsoleClient, { path, verb }: ActRow, given: GivenTexts): Promise<string> {
  const values = Object.entries(given).flatMap(([name, text = '']) =>
    path.includes(`:${name}`) ? [] : [[name, text] as const],
  )
  const at = path.replace(/:(\w+)/, (_, name: string) => given[name] ?? '')
  const answer = await client.send(verb, at, Object.fromEntries(values))
  if (answer.status === 200) return 'done'
  const { error } = answer.body as { readonly error: { readonly reason?: string; readonly code: string } }
  return error.reason ?? (error.code === 'forbidden' ? 'not_permitted' : error.code)
}

const isLogged = isUnder(auditLogKey)

/** The items as texts, the log without the random ends of its keys. */
const textsOf = (items: readonly DumpedItem[]): string[] =>
  inOneShard(items).map((item) =>
    JSON.stringify(isLogged(item) ? { ...item, SK: item.SK.replace(/[^#]*$/, '') } : item, inOrder).replace(
      DRAWN,
      '*',
    ),
  )

/** Counters are in shards that are drawn by chance: their sums tell what was counted. */
const inOneShard = (items: readonly DumpedItem[]): DumpedItem[] => {
  const [counters, others] = [
    items.filter(({ PK }) => SHARD.test(PK)),
    items.filter(({ PK }) => !SHARD.test(PK)),
  ]
  const shardsOf = Map.groupBy(counters, ({ PK, SK }) => `${PK.replace(SHARD, '')} ${SK}`)
  return [...others, ...Array.from(shardsOf, ([PK, shards]) => shards.reduce(counted, { PK, SK: '' }))]
}

const SHARD = /(?<=^(?:BALANCE|STATS)#.*)#\d+$/

const counted = (sum: DumpedItem, { PK, SK, ...counts }: DumpedItem): DumpedItem => ({
  ...sum,
  ...Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name, add(String(sum[name] ?? 0), String(count))]),
  ),
})

/** Secrets, salts and ids that are drawn by chance. */
const DRAWN =
  /(?<=UNIQUEHASH#)[0-9a-f]{64}|(?<=\\?"(?:digest|secret|pin|uniquehash|suffix)\\?":\\?")[^"\\]*|(?<="SWITCH#[^#"]*#)[^"]*|we_[0-9a-f]{12}|whsec_[\w+/]{43}=|scrypt\$[^"]*|[0-9a-f]{40,48}|(?<=challenge\\*":\\*")[\w-]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|msg_[\w-]{9,}/g

/** DynamoDB keeps no order of attributes. */
const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort())
    : value

interface Estate {
  readonly world: World
  readonly table: Awaited<ReturnType<typeof returningTable>>
}

let [terminal, http]: Estate[] = []
let clients: Awaited<ReturnType<typeof signedIn>> = []
let before: ReadonlySet<string> = new Set()
let issued = ''
let token = ''

beforeAll(async () => {
  const [one, other] = [await aBilledEstate(), await aBilledEstate()]
  clients = await signedIn(other)
  const [invoices = []] = await Array.fromAsync(listInvoices(one.store, { user: 11 }))
  issued = String(invoices[0]?.id)
  token = await createSession(other.store, ...(await mailed(other)))
  before = new Set([...textsOf(await one.dump()), ...textsOf(await other.dump())])
  terminal = { world: one, table: await returningTable(one.table) }
  http = { world: other, table: await returningTable(other.table) }
})

/** Bob, whom a mail has sent a link. */
async function mailed({ store, now }: World): Promise<[Caller, number, object]> {
  const [[account], whole] = await Promise.all([findCallers(store, ['bob']), findWholeAccount(store, 10)])
  if (!account || !whole) throw new Error('There is no bob')
  return [account, secondsOf(now), { purpose: choosingPassword(whole) }]
}

/** By day all six send the first input, and of the others each one the admin and one more. */
const callersOf = (index: number) =>
  isNight || index === 0 ? clients : clients.filter((_, caller) => caller === 0 || caller === 1 + (index % 5))

/** The outcome of one caller's input, which is the same at the terminal and over HTTP. */
async function outcomeIn(
  [world]: readonly [World, World],
  row: ActRow,
  {
    name,
    client,
    given,
  }: { readonly name: string; readonly client: ConsoleClient; readonly given: GivenTexts },
): Promise<string> {
  const told = row.isOfSession ? undefined : await atTerminal(world, row, name, given)
  const answered = row.path === '' ? told : await overHttp(client, row, given)
  expect([name, given, answered]).toEqual([name, given, told ?? answered])
  return told ?? String(answered)
}

/** The answers to callers about a row, at the terminal and over HTTP. */
async function outcomesOf(worlds: readonly [World, World], row: ActRow): Promise<Set<string>> {
  const outcomes = new Set<string>()
  for (const [index, named] of row.given.entries())
    for (const { name, client } of callersOf(index)) {
      outcomes.add(await outcomeIn(worlds, row, { name, client, given: meant(named, name) }))
      for (const world of worlds) world.now = new Date(world.now.getTime() + 1000)
    }
  return outcomes
}

/** By day the whole table is looked through after every eighth act: it takes as long as the act itself. */
const isLookedThrough = (turn: number): boolean => isNight || turn % 8 === 0

test.each(Object.entries(ROWS).map(([name, row], turn) => [name, row, turn] as const))(
  '%s does the same at the terminal and over HTTP, for each caller, with good and refused input',
  async (_name, row, turn) => {
    const estates = [terminal, http] as [Estate, Estate]
    const worlds = estates.map(({ world }) => world) as [World, World]
    const outcomes = await outcomesOf(worlds, row)

    const found = await Promise.all(estates.map(async ({ table }) => ({ table, items: await table.items() })))
    const isEverywhere = row.path !== ''
    if (isEverywhere && !row.isOfSession) {
      const [atTerminal, overHttp] = found
        .map(({ table, items }) =>
          textsOf(table.changed(items, (name) => SHARD.test(name.split(' ', 1)[0] ?? ''))),
        )
        .map((texts) => texts.filter((item) => !before.has(item)).sort())
      expect(overHttp).toEqual(atTerminal)
    }
    expect(outcomes.size).toBeGreaterThan(isEverywhere ? 2 : 1)
    expect(outcomes).toContain('done')
    if (isLookedThrough(turn)) expect(await damageIn(worlds[row.isOfSession ? 1 : 0])).toEqual([])
    await Promise.all(found.map(({ table, items }) => table.restore(items)))
    for (const { client, cookie } of clients) client.cookie = cookie
  },
)
