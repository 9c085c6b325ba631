import { loginFailureKeys } from '#lib/accounts/login-failures.ts'
import { namedKeyKeys } from '#lib/accounts/named-key-stored.ts'
import { sessionKey } from '#lib/accounts/session.ts'
import { usedSignatureKey } from '#lib/accounts/used-signature.ts'
import { accounts } from '#lib/accounts/whole-account.ts'
import { adjustments } from '#lib/billing/adjustment.ts'
import { balanceKey } from '#lib/billing/balance-item.ts'
import { charges } from '#lib/billing/charges/charge.ts'
import { chargeTermsKey } from '#lib/billing/charges/charge-run.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import { invoices } from '#lib/billing/invoice.ts'
import { invoiceProductKey } from '#lib/billing/invoice-product.ts'
import { payments } from '#lib/billing/payment.ts'
import {
  paymentRequestKey,
  paymentSignatureKey,
  paymentTransactionKey,
} from '#lib/billing/payment-booking.ts'
import { callStatsKeys } from '#lib/calls/counters/call-stats.ts'
import { deviceRules } from '#lib/devices/device-rule-stored.ts'
import { deviceCounterKey, devices } from '#lib/devices/device-stored.ts'
import { freedKey } from '#lib/devices/dialled.ts'
import { locationRules } from '#lib/devices/location-rule-stored.ts'
import { lengthsKey } from '#lib/devices/location-rule-writing.ts'
import { billedKey, billRunKey, seriesKey } from '#lib/invoicing/month-items.ts'
import { currencies } from '#lib/rates/currency.ts'
import { tariffs } from '#lib/rates/tariff.ts'
import { auditLogKey } from '#lib/settings/audit-log.ts'
import { failedImportsKey } from '#lib/settings/failed-import.ts'
import type { Entity } from '#lib/table/entity.ts'
import { idCounterKey } from '#lib/table/id-counter.ts'
import { callerKey, type KeyForm } from '#lib/table/keys.ts'
import { raceKey } from '#lib/table/requests/running-again.ts'
import { consumerPartitions, patternsOf } from './partitions.ts'

/** The entities that methods create, change and delete. */
const WRITTEN: readonly Entity[] = [currencies, devices, deviceRules, locationRules, payments]

/** Keys beside the declarations: balances, counters, freed extensions, lengths of location rules, booked payments. */
const BESIDE: readonly KeyForm[] = [
  balanceKey,
  deviceCounterKey,
  freedKey,
  idCounterKey,
  lengthsKey,
  paymentSignatureKey,
  paymentTransactionKey,
  raceKey,
  usedSignatureKey,
]

/** A transaction names the rows that it requires, too. IAM compares all keys of a transaction with each action in it. */
const formsOf = ({ key, pointer, claims, copies, requires }: Entity): KeyForm[] => [
  key,
  ...(pointer ? [pointer] : []),
  ...[...claims, ...copies].map((entry) => entry.key),
  ...requires.map(({ names }) => names),
]

/** The partitions that signed methods and the console write. */
export const methodPartitions = {
  /**
   * Those of the console's actions: settings, sessions, logins, blocked accounts, revoked keys, payments, issued documents, versions of tariffs, dismissed imports, and
   * the counters that the first day of balances fences.
   */
  consoleWriters: patternsOf([
    ...[accounts, payments, tariffs, invoices, creditNotes, adjustments, charges].flatMap(formsOf),
    ...[billRunKey, billedKey, seriesKey, invoiceProductKey, chargeTermsKey],
    ...[namedKeyKeys.item, balanceKey, idCounterKey, paymentRequestKey, raceKey],
    ...[auditLogKey, failedImportsKey, sessionKey, loginFailureKeys.ofAddress, callStatsKeys.lists.everyone],
  ]),
  /** Those of its work on suspense: what a record writes, the items of the session's account, and the log. */
  consoleSuspense: patternsOf([auditLogKey, raceKey], ...consumerPartitions.records),
  writers: patternsOf([...WRITTEN.flatMap(formsOf), ...BESIDE]),
  /** Those of methods that check a password: counters of failures, the new hash of an old password, v2 signatures. */
  logins: patternsOf([loginFailureKeys.ofAddress, callerKey, raceKey, usedSignatureKey]),
  /** Those that every signed method writes: v2 signatures that were used. */
  signatures: patternsOf([usedSignatureKey]),
  /** Those of methods that write accounts. */
  accountWriters: patternsOf([
    ...[...WRITTEN, accounts].flatMap(formsOf),
    ...BESIDE,
    loginFailureKeys.ofAddress,
  ]),
}
