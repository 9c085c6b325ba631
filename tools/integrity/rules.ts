import { readAccount } from '#lib/accounts/account.ts'
import { formerNameKey } from '#lib/accounts/former-name.ts'
import { loginFailureKeys } from '#lib/accounts/login-failures.ts'
import { namedKeyKeys } from '#lib/accounts/named-key-stored.ts'
import { sessionKey } from '#lib/accounts/session.ts'
import { usedSignatureKey } from '#lib/accounts/used-signature.ts'
import { accounts } from '#lib/accounts/whole-account.ts'
import { isCharged } from '#lib/base/balance.ts'
import { misplacement } from '#lib/base/scope.ts'
import { adjustments } from '#lib/billing/adjustment.ts'
import { balanceKey } from '#lib/billing/balance-item.ts'
import { isCounted } from '#lib/billing/booking.ts'
import { charges } from '#lib/billing/charges/charge.ts'
import { chargeRunKey, chargeTermsKey } from '#lib/billing/charges/charge-run.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import { invoices } from '#lib/billing/invoice.ts'
import { invoiceProductKey } from '#lib/billing/invoice-product.ts'
import { payments } from '#lib/billing/payment.ts'
import {
  paymentRequestKey,
  paymentSignatureKey,
  paymentTransactionKey,
} from '#lib/billing/payment-booking.ts'
import { archivedDayKey } from '#lib/calls/archived-day.ts'
import { callKeys } from '#lib/calls/call.ts'
import { callStatsKeys, ownerOfDayKey } from '#lib/calls/counters/call-stats.ts'
import { busyNamesKey, dayGroupsKey } from '#lib/calls/counters/day-groups.ts'
import { dayListKeys } from '#lib/calls/day-list.ts'
import { activeCallKeys } from '#lib/calls/live/active-call-stored.ts'
import { localCallKeys } from '#lib/calls/local-call.ts'
import { queueLogKeys } from '#lib/calls/queue-log.ts'
import { dialogEventKey } from '#lib/cdrs/dialogs/dialog-event.ts'
import { identityKindKey } from '#lib/cdrs/matching/identity-kind.ts'
import { linkedCallKey } from '#lib/cdrs/matching/linked-call.ts'
import { loopbackLegKey } from '#lib/cdrs/matching/loopback-leg.ts'
import { suspenseKeys } from '#lib/cdrs/suspense/suspense.ts'
import { deviceRuleKey } from '#lib/devices/device-rule-stored.ts'
import { deviceCounterKey } from '#lib/devices/device-stored.ts'
import { freedKey } from '#lib/devices/dialled.ts'
import { LOCATION_RULE_LENGTHS } from '#lib/devices/location-rule.ts'
import { locationRuleKey, locationRules } from '#lib/devices/location-rule-stored.ts'
import { keyOfLengths, lengthsKey } from '#lib/devices/location-rule-writing.ts'
import { billedKey, billRunKey, seriesKey } from '#lib/invoicing/month-items.ts'
import { directoryKey, directoryList, directoryPages } from '#lib/rates/destination.ts'
import { pageKey } from '#lib/rates/prefix-pages.ts'
import { ratePages, ratesOf } from '#lib/rates/tariff.ts'
import { versionKeys } from '#lib/rates/version-history.ts'
import { auditLogKey } from '#lib/settings/audit-log.ts'
import { datasetKey } from '#lib/settings/dataset.ts'
import { failedImportsKey } from '#lib/settings/failed-import.ts'
import { intakeKeys } from '#lib/settings/intake.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import type { Entity } from '#lib/table/entity.ts'
import { idCounterKey } from '#lib/table/id-counter.ts'
import type { Item } from '#lib/table/items.ts'
import {
  callerKey,
  currencyKey,
  deviceKey,
  inList,
  type Key,
  type KeyForm,
  type KeyValues,
  keyForm,
  keyIn,
  keyReader,
  tariffKey,
} from '#lib/table/keys.ts'
import { raceKey } from '#lib/table/requests/running-again.ts'
import { reratingKey } from '#tools/commands/rerate/rerating-log.ts'
import { forgettingKey } from '../commands/forget/forgetting-log.ts'
import { migrationKey } from '../commands/migrate/progress.ts'
import { balanceRule, bookedRule } from './balance-rules.ts'
import {
  activeCallRule,
  callRule,
  callStatsRule,
  dayCounterRule,
  keptRecordRule,
  listedRecordRule,
  ownerOfDayRule,
  secondPartyRule,
} from './call-rules.ts'
import { intakeRule, pendingEventRule, suspenseRule } from './cdr-rules.ts'
import { checkListedCall, checkProductPage, checkQueueLogEntry } from './checked-rows.ts'
import { declaredExpectations } from './entity-rules.ts'
import { type Circumstances, type Expectation, expectItem, type Rule, standsAlone } from './expectation.ts'
import {
  billedRule,
  billRunRule,
  creditNoteRule,
  invoiceRule,
  paymentRule,
  seriesRule,
} from './invoice-rules.ts'
import { keyNameRule, keysOfCallerRule } from './key-rules.ts'
import { headerRule, keptVersionRule, pageRule } from './version-rules.ts'

/** Returns the expectations of an item. An item that cannot be read, or has an unknown key, is wrong. */
export function expectationsOf(item: Item, circumstances: Circumstances): readonly Expectation[] {
  const { PK, SK } = keyIn(item)
  try {
    const declared = declaredExpectations(item, circumstances)
    const further = RULES.map((rule) => rule(item, circumstances)).filter((found) => found !== undefined)
    if (!declared && further.length === 0)
      return [{ wrong: `${PK} ${SK} is nothing that this version stores.` }]
    return [...(declared ?? []), ...further.flat()]
  } catch (error) {
    return [{ wrong: `${PK} ${SK} cannot be read: ${error instanceof Error ? error.message : error}.` }]
  }
}

// Accounts

/** An account belongs to an owner that accounts of its type can have. */
const accountRule: Rule = (item) => {
  const account = readAccount(item)
  const reason = misplacement(account)
  if (reason === undefined) return []
  const { id, username, usertype, owner_id } = account
  const wrong = `Account ${id}, ${username}, of type ${usertype} belongs to account ${owner_id}, but ${reason}: import it again.`
  return [{ wrong }]
}

// Billing

/** The currency of a document has a rate. A document without a currency is in the default currency. */
const currencyRule =
  (documents: Entity): Rule =>
  (item, { settings }) => {
    const { id, currency } = documents.read(item)
    if (currency === undefined || currency === '' || currency === settings.Default_Currency) return []
    const otherwise = `${documents.name} ${id} is in ${currency}, a currency without a rate.`
    return [expectItem(currencyKey(String(currency)), otherwise)]
  }

/** A page of products can be read. */
const productPageRule: Rule = (item) => {
  checkProductPage(item)
  return []
}

// Devices

const DEVICES = 'devices of the installation'

/** A device is counted for the license. */
const deviceRule: Rule = () => [{ total: DEVICES, adds: 1 }]

const deviceCountRule: Rule = ({ devices: count }) => [{ total: DEVICES, counts: Number(count) }]

// Ids

/** The counter of such ids has reached the id of the item. */
const idOf =
  (ids: string): Rule =>
  ({ id }) => [{ ids, used: Number(id) }]

const idCounterRule: Rule<KeyValues<typeof idCounterKey>> = ({ last }, _circumstances, { of }) => [
  { ids: of, reached: Number(last ?? 0) },
]

// Location rules

/** A rule adds one to the counter of each length that it covers. */
const locationRuleRule: Rule = (item) => {
  const rule = locationRules.read(item)
  const { PK, SK } = keyOfLengths(rule)
  const from = Math.max(rule.minlen, LOCATION_RULE_LENGTHS.shortest)
  const till = Math.min(rule.maxlen, LOCATION_RULE_LENGTHS.longest)
  return Array.from({ length: Math.max(0, till - from + 1) }, (_, index) => ({
    total: ofLength(PK, SK, from + index),
    adds: 1,
  }))
}

const ofLength = (location: string, key: string, length: number): string =>
  `rules of ${location} under ${key} for ${length} digits`

const ruleLengthsRule: Rule = (item) => {
  const { PK, SK } = keyIn(item)
  const lengths = String(item['lengths']).split(',').map(Number)
  return lengths.map((counts, index) => ({
    total: ofLength(PK, SK, LOCATION_RULE_LENGTHS.shortest + index),
    counts,
  }))
}

/** The expectations of an item under keys of one form. Returns undefined for all other items. */
type FormRule = (item: Item, circumstances: Circumstances) => Expectation[] | undefined

function under<F extends KeyForm>(form: F, ...rules: readonly Rule<KeyValues<F>>[]): FormRule {
  const read = keyReader(form)
  return (item, circumstances) => {
    const values = read(item)
    return values && rules.flatMap((rule) => [...rule(item, circumstances, values)])
  }
}

const formOf = ({ PK, SK }: Key): KeyForm => keyForm(PK, SK)

/** A list of pages: its header, the versions and the log beside it, and its pages. */
function listRules(header: KeyForm, pages: string, listOf: Parameters<typeof pageRule>[0]): FormRule[] {
  const [partition] = header.text
  return [
    under(header, headerRule(listOf)),
    under(inList(versionKeys.kept, partition), keptVersionRule(listOf)),
    under(inList(versionKeys.logEntry, partition), standsAlone),
    under(inList(pageKey, pages), pageRule(listOf)),
  ]
}

/** Items that depend on no others. */
const ALONE: readonly KeyForm[] = [
  formOf(settingsKey),
  failedImportsKey,
  auditLogKey,
  datasetKey,
  loginFailureKeys.ofAddress,
  sessionKey,
  formerNameKey,
  usedSignatureKey,
  raceKey,
  formOf(migrationKey),
  paymentTransactionKey,
  paymentRequestKey,
  paymentSignatureKey,
  freedKey,
  suspenseKeys.part,
  linkedCallKey,
  loopbackLegKey,
  identityKindKey,
  intakeKeys.failures,
  reratingKey,
  forgettingKey,
  archivedDayKey,
  dayGroupsKey,
  busyNamesKey,
  chargeTermsKey,
  formOf(chargeRunKey),
]

const LOCAL_CALL_LISTS = [localCallKeys.lists.user.text, localCallKeys.lists.owner.text]

/** Rules beyond the declarations of entities. An item follows every rule whose form its key has. */
const RULES: readonly FormRule[] = [
  ...ALONE.map((form) => under(form, standsAlone)),
  under(suspenseKeys.item, suspenseRule),
  under(dialogEventKey, pendingEventRule),
  under(intakeKeys.item, intakeRule),
  under(accounts.key, accountRule),
  under(callerKey, keysOfCallerRule),
  under(namedKeyKeys.item, keyNameRule),
  under(invoices.key, invoiceRule, currencyRule(invoices)),
  under(payments.key, currencyRule(payments), bookedRule(payments, isCounted), paymentRule),
  under(adjustments.key, bookedRule(adjustments, isCounted)),
  under(
    charges.key,
    currencyRule(charges),
    bookedRule(charges, ({ date }, settings) => isCharged(date, settings)),
  ),
  under(balanceKey, balanceRule),
  under(creditNotes.key, currencyRule(creditNotes), creditNoteRule),
  under(billRunKey, billRunRule),
  under(seriesKey, seriesRule),
  under(billedKey, billedRule),
  under(invoiceProductKey, productPageRule),
  under(deviceKey, deviceRule, idOf('device')),
  under(deviceRuleKey, idOf('device_rule')),
  under(deviceCounterKey, deviceCountRule),
  under(idCounterKey, idCounterRule),
  under(locationRuleKey, locationRuleRule, idOf('location_rule')),
  under(lengthsKey, ruleLengthsRule),
  ...listRules(tariffKey, ratePages.text, ({ id }) => ratesOf(Number(id))),
  ...listRules(formOf(directoryKey), directoryPages.text, () => directoryList),
  under(callKeys.withoutSwitch, callRule),
  under(callKeys.ofSwitch, callRule),
  ...Object.values(callStatsKeys.lists).map(({ text }) =>
    under(inList(callStatsKeys.item, text), callStatsRule),
  ),
  under(ownerOfDayKey, ownerOfDayRule),
  under(activeCallKeys.item, activeCallRule),
  under(activeCallKeys.second, secondPartyRule),
  under(localCallKeys.item, keptRecordRule),
  under(queueLogKeys.item, keptRecordRule),
  ...[...LOCAL_CALL_LISTS, queueLogKeys.all].map((list) =>
    under(inList(dayListKeys.counter, list), dayCounterRule),
  ),
  ...LOCAL_CALL_LISTS.map((list) =>
    under(inList(dayListKeys.record, list), listedRecordRule(checkListedCall)),
  ),
  under(inList(dayListKeys.record, queueLogKeys.all), listedRecordRule(checkQueueLogEntry)),
]
