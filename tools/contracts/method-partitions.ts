import { loginFailureKeys } from '#lib/store/accounts/login-failures.ts'
import { namedKeyKeys } from '#lib/store/accounts/named-key.ts'
import { sessionKey } from '#lib/store/accounts/session.ts'
import { usedSignatureKey } from '#lib/store/accounts/used-signature.ts'
import { accounts } from '#lib/store/accounts/whole-account.ts'
import { balanceKey } from '#lib/store/billing/balance-item.ts'
import { payments } from '#lib/store/billing/payment.ts'
import {
  paymentRequestKey,
  paymentSignatureKey,
  paymentTransactionKey,
} from '#lib/store/billing/payment-booking.ts'
import { callStatsKeys } from '#lib/store/calls/call-stats.ts'
import { deviceCounterKey, devices } from '#lib/store/devices/device.ts'
import { deviceRules } from '#lib/store/devices/device-rule.ts'
import { freedKey } from '#lib/store/devices/dialled.ts'
import type { Entity } from '#lib/store/entity.ts'
import { idCounterKey } from '#lib/store/id-counter.ts'
import { failedImportsKey } from '#lib/store/installation/failed-import.ts'
import { settingsLogKey } from '#lib/store/installation/settings.ts'
import { callerKey, type KeyForm } from '#lib/store/keys.ts'
import { locationRules } from '#lib/store/location-rules/location-rule.ts'
import { lengthsKey } from '#lib/store/location-rules/location-rule-writing.ts'
import { currencies } from '#lib/store/rates/currency.ts'
import { tariffs } from '#lib/store/rates/tariff.ts'
import { raceKey } from '#lib/store/requests/running-again.ts'
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
   * Those of the console's actions: settings, sessions, logins, blocked accounts, revoked keys, payments, versions of tariffs, dismissed imports, and
   * the counters that the first day of balances fences.
   */
  consoleWriters: patternsOf([
    ...[accounts, payments, tariffs].flatMap(formsOf),
    ...[namedKeyKeys.item, balanceKey, idCounterKey, paymentRequestKey, raceKey],
    ...[
      settingsLogKey,
      failedImportsKey,
      sessionKey,
      loginFailureKeys.ofAddress,
      callStatsKeys.lists.everyone,
    ],
  ]),
  /** Those of its work on suspense: what a record writes, the items of the session's account, and the log. */
  consoleSuspense: patternsOf([settingsLogKey, raceKey], ...consumerPartitions.records),
  writers: patternsOf([...WRITTEN.flatMap(formsOf), ...BESIDE]),
  /** Those that methods write which check a password: counters of failures, and the new hash of an old password. */
  logins: patternsOf([loginFailureKeys.ofAddress, callerKey, raceKey]),
  /** Those that every signed method writes: v2 signatures that were used. */
  signatures: patternsOf([usedSignatureKey]),
  /** Those of methods that write accounts. */
  accountWriters: patternsOf([
    ...[...WRITTEN, accounts].flatMap(formsOf),
    ...BESIDE,
    loginFailureKeys.ofAddress,
  ]),
}
