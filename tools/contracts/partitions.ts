import { loginFailureKeys } from '#lib/accounts/login-failures.ts'
import { namedKeyKeys } from '#lib/accounts/named-key-stored.ts'
import { sessionKey } from '#lib/accounts/session.ts'
import { usedSignatureKey } from '#lib/accounts/used-signature.ts'
import { accounts } from '#lib/accounts/whole-account.ts'
import { deliveryKey } from '#lib/alerts/delivery.ts'
import { webhookKey } from '#lib/alerts/endpoint.ts'
import { alertKeys, outboxKey } from '#lib/alerts/event.ts'
import { adjustments } from '#lib/billing/adjustment.ts'
import { balanceKey } from '#lib/billing/balance-item.ts'
import { charges } from '#lib/billing/charges/charge.ts'
import { chargeRunKey, chargeTermsKey } from '#lib/billing/charges/charge-run.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import { invoices } from '#lib/billing/invoice.ts'
import { invoiceProductKey } from '#lib/billing/invoice-product.ts'
import { unpostedKey } from '#lib/billing/journal/posting.ts'
import { payments } from '#lib/billing/payment.ts'
import {
  paymentRequestKey,
  paymentSignatureKey,
  paymentTransactionKey,
} from '#lib/billing/payment-booking.ts'
import { archivedDayKey } from '#lib/calls/archived-day.ts'
import { callKeys } from '#lib/calls/call.ts'
import { callStatsKeys } from '#lib/calls/counters/call-stats.ts'
import { countryHoursKey } from '#lib/calls/counters/country-hours.ts'
import { busyNamesKey, dayGroupsKey, hourGroupsKey } from '#lib/calls/counters/day-groups.ts'
import { activeCallKeys } from '#lib/calls/live/active-call-stored.ts'
import { localCallKeys } from '#lib/calls/local-call.ts'
import { queueLogKeys } from '#lib/calls/queue-log.ts'
import { reratingKey } from '#lib/calls/rating/rerating-log.ts'
import { dialogEventKey } from '#lib/cdrs/dialogs/dialog-event.ts'
import { halfLineKey } from '#lib/cdrs/matching/half-lines.ts'
import { identityKindKey } from '#lib/cdrs/matching/identity-kinds.ts'
import { linkedCallKey } from '#lib/cdrs/matching/linked-cdrs.ts'
import { loopbackLegKey } from '#lib/cdrs/matching/loopback.ts'
import { suspenseKeys } from '#lib/cdrs/suspense/suspense.ts'
import { holdsKey } from '#lib/control/holds.ts'
import { entities } from '#lib/dataset/entities.ts'
import { datasetKey } from '#lib/dataset/import/import.ts'
import { RECORD_KINDS } from '#lib/dataset/records/record-kinds.ts'
import { deviceRules } from '#lib/devices/device-rule-stored.ts'
import { deviceCounterKey, devices } from '#lib/devices/device-stored.ts'
import { freedKey } from '#lib/devices/dialled.ts'
import { locationRules } from '#lib/devices/location-rule-stored.ts'
import { lengthsKey } from '#lib/devices/location-rule-writing.ts'
import { recordDataset } from '#lib/ingest/bucket-prefixes.ts'
import { brandKey, keptBrandKey } from '#lib/invoicing/documents/brand.ts'
import { documentFilesKey, filedDayKey } from '#lib/invoicing/documents/stored-files.ts'
import { closedMonthKey, journalKey, journalMonthKey } from '#lib/invoicing/journal/entry.ts'
import { mailingKey } from '#lib/invoicing/mailing.ts'
import { billedKey, billRunKey, seriesKey } from '#lib/invoicing/month-items.ts'
import { currencies } from '#lib/rates/currency.ts'
import { directoryKey, directoryPages } from '#lib/rates/destination.ts'
import { npaPages, npasKey } from '#lib/rates/origins/jurisdiction.ts'
import { originPages } from '#lib/rates/origins/origins.ts'
import { ratePages, tariffs } from '#lib/rates/tariff.ts'
import { auditLogKey } from '#lib/settings/audit-log.ts'
import { failedImportsKey } from '#lib/settings/failed-import.ts'
import { intakeKeys } from '#lib/settings/intake.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { switchClockKey } from '#lib/settings/switch-clock.ts'
import type { Entity } from '#lib/table/entity.ts'
import { idCounterKey } from '#lib/table/id-counter.ts'
import { callerKey, type KeyForm, type ListName } from '#lib/table/keys.ts'
import { raceKey } from '#lib/table/requests/running-again.ts'

type Form = Pick<KeyForm | ListName, 'text'>

/** Numbered entries, the counters of their months, and what is closed. */
const JOURNAL: readonly KeyForm[] = [journalKey, journalMonthKey, closedMonthKey]

/** The pattern of the partitions of a form or list: all with the same name up to the first `#`. */
const familyOf = ({ text }: Form): string => String([text].flat()[0]).replace(/#.*/, '#*')

/** Partitions as patterns of IAM, where `*` matches any text. */
const patternsOf = (forms: readonly Form[], ...others: readonly string[]): string[] =>
  [...new Set([...forms.map(familyOf), ...others])].sort()

const pointersOf = ({ pointer }: { readonly pointer: KeyForm | undefined }): KeyForm[] =>
  pointer ? [pointer] : []

const ASIDE = [
  suspenseKeys.item,
  dialogEventKey,
  linkedCallKey,
  loopbackLegKey,
  identityKindKey,
  halfLineKey,
  switchClockKey,
]

/** The partitions that a change with subscribers also writes. */
const TOLD = [alertKeys.item, outboxKey]

/** The partitions that consumers and other functions than the methods read or write. */
export const consumerPartitions = {
  /** The items of a record: calls, counters, live and internal calls, queue log, holds, suspense. */
  records: patternsOf(
    [
      callKeys.ofSwitch,
      callStatsKeys.lists.everyone,
      countryHoursKey,
      balanceKey,
      activeCallKeys.item,
      localCallKeys.item,
      localCallKeys.lists.owner,
      queueLogKeys.item,
      holdsKey,
      ...TOLD,
      ...ASIDE,
    ],
    `${datasetKey(recordDataset('')).PK}*`,
  ),
  /** Suspended CDRs, pending events and names of calls. Written in batches: nothing depends on them. */
  aside: patternsOf(ASIDE),
  /** Settings with their log, logins, sessions, keys and intakes: they decide who may do what. */
  access: patternsOf([callerKey, sessionKey, namedKeyKeys.item, intakeKeys.item], settingsKey.PK),
  /** The HTTP intake reads secrets' digests and suspended CDRs, and counts wrong secrets. */
  intake: patternsOf([intakeKeys.item, suspenseKeys.item]),
  intakeFailures: patternsOf([intakeKeys.failures]),
  /** Call control writes holds, its reported events, and the counters of wrong secrets. */
  callControl: patternsOf([holdsKey, alertKeys.item, intakeKeys.failures, switchClockKey]),
  /** The archive sets the time to live of calls, and notes archived days. */
  archivedCalls: patternsOf([callKeys.ofSwitch]),
  archivedDays: patternsOf([archivedDayKey]),
  /** A writer of a document notes its file. */
  documentFiles: patternsOf([documentFilesKey, filedDayKey]),
  /** A sender of mails notes their outcome, and the links to choose a password. */
  mails: patternsOf([mailingKey, sessionKey]),
  /** The hourly sums of days by customer and by destination, and the names of their customers. */
  dayGroups: patternsOf([busyNamesKey, dayGroupsKey, hourGroupsKey]),
  /** The counters in which the changed hours of a day are marked. */
  markedHours: patternsOf([], `${callStatsKeys.lists.everyone()}#*`),
  /** Hourly charges: lists and pointers of documents, sums of balances, progress of runs. */
  charges: patternsOf(
    [charges.key, chargeTermsKey, balanceKey, alertKeys.item, ...pointersOf(charges)],
    chargeRunKey.PK,
  ),
  /** Hourly allocations: payments, what they pay of invoices, balances, and entries of the journal. */
  allocations: patternsOf([payments.key, invoices.key, balanceKey, unpostedKey, alertKeys.item]),
  /** Hourly numbers of the journal. */
  journal: patternsOf([unpostedKey, ...JOURNAL]),
  /** The HTTP intake suspends CDR documents that are too large for a message of the queue. */
  suspense: patternsOf([suspenseKeys.item]),
  /** Both consumers of files keep the list of failed imports. */
  failedImports: patternsOf([failedImportsKey]),
  /** The relay reads subscriptions, endpoints and what waits, and takes what it has queued. */
  relayReads: patternsOf([webhookKey, ...TOLD, alertKeys.listed], settingsKey.PK),
  /** The account that a mail is about. */
  recipients: patternsOf([accounts.key]),
  outbox: patternsOf([outboxKey]),
  alerts: patternsOf([alertKeys.item]),
  /** The sender notes its tries, and may disable an endpoint, which then subscribes to nothing. */
  webhookState: patternsOf([webhookKey], settingsKey.PK),
  webhookTries: patternsOf([webhookKey, deliveryKey], settingsKey.PK),
}

/**
 * The entities that methods create, change and delete. Payments are only created, by methods of their own.
 */
const WRITTEN: readonly Entity[] = [currencies, devices, deviceRules, locationRules]

/** Other keys of methods that write: what they tell, counters of ids, races and signatures. */
const BESIDE: readonly KeyForm[] = [...TOLD, idCounterKey, raceKey, usedSignatureKey]

/** Beside entities: counters of devices, freed extensions, lengths of location rules. */
const BESIDE_WRITTEN: readonly KeyForm[] = [deviceCounterKey, freedKey, lengthsKey]

/** Beside payments: balances, and what makes a payment one. */
const BESIDE_PAYMENTS: readonly KeyForm[] = [balanceKey, paymentSignatureKey, paymentTransactionKey]

/** A transaction also names rows that it requires: IAM compares all its keys with each of its actions. */
const formsOf = ({ key, pointer, claims, copies, requires, posts }: Entity): KeyForm[] => [
  key,
  ...(pointer ? [pointer] : []),
  ...[...claims, ...copies, ...posts].map((entry) => entry.key),
  ...requires.map(({ names }) => names),
]

/** The partitions that signed methods and the console write. */
export const methodPartitions = {
  /**
   * The console's actions: settings, sessions, logins, blocked accounts, revoked keys, payments, issued
   * documents, tariff versions, dismissed imports, and the counters fenced by the first day of balances.
   */
  consoleWriters: patternsOf([
    ...[accounts, payments, tariffs, invoices, creditNotes, adjustments, charges].flatMap(formsOf),
    ...[webhookKey, ...TOLD, brandKey, keptBrandKey],
    ...[billRunKey, billedKey, seriesKey, invoiceProductKey, chargeTermsKey, mailingKey, ...JOURNAL],
    ...[namedKeyKeys.item, balanceKey, holdsKey, idCounterKey, paymentRequestKey, raceKey],
    ...[auditLogKey, failedImportsKey, sessionKey, loginFailureKeys.ofAddress, callStatsKeys.lists.everyone],
  ]),
  /** The items of Stripe's events: payments, their allocations, refunds, and the log. */
  stripe: patternsOf([
    ...[payments, invoices, creditNotes].flatMap(formsOf),
    ...[auditLogKey, balanceKey, closedMonthKey, raceKey, ...TOLD],
  ]),
  /** Records that operators set up, such as accounts and tariffs; and what accounts say about themselves. */
  consoleRecords: patternsOf([
    ...Object.values(RECORD_KINDS).flatMap(({ entity }) => formsOf(entity)),
    ...[...TOLD, deviceCounterKey, freedKey, idCounterKey, lengthsKey, raceKey, auditLogKey, intakeKeys.item],
    ...[datasetKey, loginFailureKeys.ofAddress, mailingKey],
  ]),
  /** Files of operators bring every kind of row. */
  imports: patternsOf(
    [
      ...entities.flatMap(formsOf),
      ...[...BESIDE_WRITTEN, ...BESIDE_PAYMENTS, ...BESIDE],
      ...[
        auditLogKey,
        failedImportsKey,
        datasetKey,
        ratePages,
        originPages,
        directoryPages,
        npaPages,
        intakeKeys.item,
        namedKeyKeys.item,
        sessionKey,
      ],
    ],
    ...[directoryKey.PK, npasKey.PK],
    ...consumerPartitions.records,
  ),
  /** The pages of rates and of origins that a new version has. */
  rates: patternsOf([ratePages, originPages]),
  /** Suspense and re-rating: what a record writes, the items of the session's account, and the log. */
  consoleSuspense: patternsOf([auditLogKey, raceKey, reratingKey], ...consumerPartitions.records),
  writers: patternsOf([...WRITTEN.flatMap(formsOf), ...BESIDE_WRITTEN, ...BESIDE]),
  /** An account and its documents share a partition: the role deletes nothing. */
  paymentWriters: patternsOf([...formsOf(payments), ...BESIDE_PAYMENTS, ...BESIDE]),
  /** Methods that check a password: counters of failures, an old password's new hash, v2 signatures. */
  logins: patternsOf([loginFailureKeys.ofAddress, callerKey, raceKey, usedSignatureKey]),
  /** Those that every signed method writes: v2 signatures that were used. */
  signatures: patternsOf([usedSignatureKey]),
  /** Those of methods that write accounts, each with its first device and payment. */
  accountWriters: patternsOf([
    ...[accounts, devices, payments].flatMap(formsOf),
    ...[deviceCounterKey, freedKey, balanceKey, ...BESIDE, loginFailureKeys.ofAddress],
  ]),
}
