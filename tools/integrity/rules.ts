import { misplacement } from '#lib/domain/accounts/scope.ts'
import { LOCATION_RULE_LENGTHS } from '#lib/domain/location-rules/location-rule.ts'
import { accounts } from '#lib/store/accounts/account.ts'
import { creditNotes } from '#lib/store/billing/credit-note.ts'
import { invoices } from '#lib/store/billing/invoice.ts'
import { checkProductPage, keysOfPages } from '#lib/store/billing/invoice-product.ts'
import { payments } from '#lib/store/billing/payment.ts'
import { checkListedCall } from '#lib/store/calls/local-call.ts'
import { checkQueueLogEntry } from '#lib/store/calls/queue-log.ts'
import type { Entity } from '#lib/store/entity.ts'
import type { Item } from '#lib/store/items.ts'
import { currencyKey, type Key, keyIn, tariffKey } from '#lib/store/keys.ts'
import { locationRules } from '#lib/store/location-rules/location-rule.ts'
import { keyOfLengths } from '#lib/store/location-rules/location-rule-writing.ts'
import { directoryKey, directoryPages } from '#lib/store/rates/destination.ts'
import { ownLines, readPage } from '#lib/store/rates/prefix-pages.ts'
import { readVersion, readVersions } from '#lib/store/rates/prefix-versions.ts'
import { ratePages } from '#lib/store/rates/tariff.ts'
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
import { declaredExpectations } from './entity-rules.ts'
import { type Circumstances, type Expectation, expectItem, type Rule, standsAlone } from './expectation.ts'

/** Returns the expectations of an item. An item that cannot be read, or has an unknown key, is wrong. */
export function expectationsOf(item: Item, circumstances: Circumstances): readonly Expectation[] {
  const { PK, SK } = keyIn(item)
  const rules = RULES.flatMap(([keys, rule]) => (keys.test(`${PK} ${SK}`) ? [rule] : []))
  try {
    const declared = declaredExpectations(item)
    if (!declared && rules.length === 0)
      return [{ wrong: `${PK} ${SK} is nothing that this version stores.` }]
    return [...(declared ?? []), ...rules.flatMap((rule) => [...rule(item, circumstances)])]
  } catch (error) {
    return [{ wrong: `${PK} ${SK} cannot be read: ${error instanceof Error ? error.message : error}.` }]
  }
}

// Accounts

/** An account belongs to an owner that accounts of its type can have. */
const accountRule: Rule = (item) => {
  const account = accounts.read(item)
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
  (item, { defaultCurrency }) => {
    const { id, currency } = documents.read(item)
    if (currency === undefined || currency === '' || currency === defaultCurrency) return []
    const otherwise = `${documents.name} ${id} is in ${currency}, a currency without a rate.`
    return [expectItem(currencyKey(String(currency)), otherwise)]
  }

/** The pages of an invoice's products exist. */
const invoiceRule: Rule = (item) => {
  const invoice = invoices.read(item)
  return keysOfPages(invoice).map((key) => expectItem(key, `invoice ${invoice.id} has lost products.`))
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

const idCounterRule: Rule = ({ PK, last }) => [
  { ids: String(PK).slice('ID#'.length), reached: Number(last ?? 0) },
]

// Location rules

/** A rule adds one to the counter of each length that it covers. */
const locationRuleRule: Rule = (item) => {
  const rule = locationRules.read(item)
  const { PK, SK } = keyOfLengths(rule)
  const from = Math.max(rule.minlen, LOCATION_RULE_LENGTHS.shortest)
  const till = Math.min(rule.maxlen, LOCATION_RULE_LENGTHS.longest)
  return Array.from({ length: Math.max(0, till - from + 1) }, (_, position) => ({
    total: ofLength(PK, SK, from + position),
    adds: 1,
  }))
}

const ofLength = (location: string, key: string, length: number): string =>
  `rules of ${location} under ${key} for ${length} digits`

const ruleLengthsRule: Rule = (item) => {
  const { PK, SK } = keyIn(item)
  const lengths = String(item['lengths']).split(',').map(Number)
  return lengths.map((counts, position) => ({
    total: ofLength(PK, SK, LOCATION_RULE_LENGTHS.shortest + position),
    counts,
  }))
}

// Rates

/** Each version in the header of a tariff has all its rates. */
const tariffRule: Rule = (item) => expectRowsOf(item, (version) => ratePages(Number(item['id']), version))

/** Each version in the header of the directory has all its destinations. */
const directoryRule: Rule = (item) => expectRowsOf(item, directoryPages)

const expectRowsOf = (header: Item, partition: (version: number) => string): Expectation[] =>
  readVersions(header).versions.map(({ version, rows }) => ({
    total: rowsIn(partition(version)),
    counts: rows,
  }))

/** A version beside the header of its list has all its rows. */
const keptVersionRule: Rule = (item) => {
  const { version, rows } = readVersion(item)
  const [list, tariffId] = keyIn(item).PK.split('#')
  const partition = list === 'TARIFF' ? ratePages(Number(tariffId), version) : directoryPages(version)
  return [{ total: rowsIn(partition), counts: rows }]
}

const rowsIn = (partition: string): string => `rows in ${partition}`

/** The list of a page exists. No header counts a version that is being written or was replaced. */
const pageRule: Rule = (item) => [
  expectItem(headerOf(item), `${keyIn(item).PK} has rows of a list that does not exist.`),
  { total: rowsIn(keyIn(item).PK), adds: ownLines(readPage(item)).length, mayBeUncounted: true },
]

function headerOf(page: Item): Key {
  const [list, tariffId] = keyIn(page).PK.split('#')
  return list === 'RATES' ? tariffKey(Number(tariffId)) : directoryKey
}

/** Rules beyond the declarations of entities, by a pattern of `PK SK`. An item follows every rule whose pattern fits. */
const RULES: readonly (readonly [keys: RegExp, rule: Rule])[] = [
  [
    /^(SETTINGS|DATASET#|LOGINFAIL#|RACES#|EXTFREE |SUSPENSE#|DIALOGEVENTS#|INTAKE#|INTAKEFAIL#|RERATINGS )/,
    standsAlone,
  ],
  [/^USER#\d+ USER$/, accountRule],
  [/^USER#\d+ INVOICE#/, invoiceRule],
  [/^USER#\d+ INVOICE#/, currencyRule(invoices)],
  [/^USER#\d+ PAYMENT#/, currencyRule(payments)],
  [/^USER#\d+ CREDITNOTE#/, currencyRule(creditNotes)],
  [/^INVOICE#\d+ PRODUCTS#/, productPageRule],
  [/^DEVICE#\d+ DEVICE$/, deviceRule],
  [/^DEVICE#\d+ DEVICE$/, idOf('device')],
  [/^DEVICE#\d+ RULE#/, idOf('device_rule')],
  [/^COUNT#DEVICES#/, deviceCountRule],
  [/^ID#/, idCounterRule],
  [/^LOCATION#\d+ RULE#/, locationRuleRule],
  [/^LOCATION#\d+ RULE#/, idOf('location_rule')],
  [/^LOCATION#\d+ LENGTHS#/, ruleLengthsRule],
  [/^TARIFF#\d+ TARIFF$/, tariffRule],
  [/^DIRECTORY DIRECTORY$/, directoryRule],
  [/^(TARIFF#\d+|DIRECTORY) VERSION#/, keptVersionRule],
  [/^(TARIFF#\d+|DIRECTORY) SWITCH#/, standsAlone],
  [/^(RATES|DESTINATIONS)#/, pageRule],
  [/^CALL#/, callRule],
  [/^STATS#.* DAY#/, callStatsRule],
  [/^STATS#OWNERS /, ownerOfDayRule],
  [/^ACTIVECALL#\d+ CALL$/, activeCallRule],
  [/^ACTIVECALL#\d+ SECOND$/, secondPartyRule],
  [/^(LOCALCALL#.* LOCALCALL|QUEUELOG#\d+ QUEUELOG)$/s, keptRecordRule],
  [/^(LOCALCALLS#\S+|QUEUELOG)#DAYS /, dayCounterRule],
  [/^LOCALCALLS#(?!.*#DAYS )/, listedRecordRule(checkListedCall)],
  [/^QUEUELOG#\d{4}-/, listedRecordRule(checkQueueLogEntry)],
]
