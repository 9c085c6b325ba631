import { creditNotes } from '#lib/store/billing/credit-note.ts'
import { payments } from '#lib/store/billing/payment.ts'
import { checkListedCall } from '#lib/store/calls/local-call.ts'
import { checkQueueLogEntry } from '#lib/store/calls/queue-log.ts'
import type { Item } from '#lib/store/items.ts'
import { keyIn } from '#lib/store/keys.ts'
import { accountRule, callerRule } from './accounts.ts'
import { activeCallRule, activeCopyRule } from './active-calls.ts'
import { callRule, callStatsRule } from './calls.ts'
import { dayCounterRule, keptRecordRule, listedRecordRule } from './day-records.ts'
import {
  claimRule,
  deviceCountRule,
  deviceRule,
  deviceRulePointerRule,
  didNumberRule,
  didRule,
  freeExtensionRule,
  listedDeviceRule,
  locationRuleOnDeviceRule,
  ruleOfDeviceRule,
} from './devices.ts'
import {
  documentPointerRule,
  documentRule,
  invoiceRule,
  productPageRule,
  subscriptionRule,
} from './documents.ts'
import { idCounterRule } from './ids.ts'
import { locationRulePointerRule, locationRuleRule, ruleLengthsRule } from './location-rules.ts'
import { ownedRule } from './owned.ts'
import { providerPointerRule, providerRule } from './providers.ts'
import { directoryRule, keptVersionRule, pageRule, tariffRule } from './rates.ts'
import { type Circumstances, type Rule, type Statement, standsAlone } from './statement.ts'

/** What is stored, by `PK SK` as lib/store/keys.ts makes them; the first that fits says what must hold. */
const RULES: readonly (readonly [keys: RegExp, rule: Rule])[] = [
  [
    /^(SETTINGS|CURRENCY#|DATASET#|LOGINFAIL#|RACES#|EXTMARK|SUSPENSE#|SIPHALVES#|INTAKE#|INTAKEFAIL#|RERATINGS )/,
    standsAlone,
  ],
  [/^CALLER#/, callerRule],
  [/^USER#\d+ USER$/, accountRule],
  [/^USER#\d+ DEVICE#/, listedDeviceRule],
  [/^USER#\d+ INVOICE#/, invoiceRule],
  [/^USER#\d+ SUBSCRIPTION#/, subscriptionRule],
  [/^USER#\d+ PAYMENT#/, documentRule(payments)],
  [/^USER#\d+ CREDITNOTE#/, documentRule(creditNotes)],
  [/^(INVOICE|SUBSCRIPTION|PAYMENT|CREDITNOTE)#\d+ [A-Z]+$/, documentPointerRule],
  [/^INVOICE#\d+ PRODUCTS#/, productPageRule],
  [/^DEVICE#\d+ DEVICE$/, deviceRule],
  [/^DEVICE#\d+ RULE#/, ruleOfDeviceRule],
  [/^DEVICE#\d+ LOCRULE#/, locationRuleOnDeviceRule],
  [/^DEVRULE#/, deviceRulePointerRule],
  [/^(DEVICENAME#|EXTENSIONS |DEVICEIP#)/, claimRule],
  [/^EXTFREE /, freeExtensionRule],
  [/^COUNT#DEVICES /, deviceCountRule],
  [/^ID#/, idCounterRule],
  [/^DID#/, didRule],
  [/^DIDNUMBER#/, didNumberRule],
  [/^(LCR|LOCGROUP|SERVICE)#/, ownedRule],
  [/^LOCATION#\d+ LOCATION$/, ownedRule],
  [/^LOCATION#\d+ RULE#/, locationRuleRule],
  [/^LOCATION#\d+ LENGTHS#/, ruleLengthsRule],
  [/^LOCRULE#/, locationRulePointerRule],
  [/^TARIFF#\d+ TARIFF$/, tariffRule],
  [/^PROVIDER#/, providerRule],
  [/^PROVIDER(NAME|IP|CHANNEL)#/, providerPointerRule],
  [/^DIRECTORY DIRECTORY$/, directoryRule],
  [/^(TARIFF#\d+|DIRECTORY) VERSION#/, keptVersionRule],
  [/^(TARIFF#\d+|DIRECTORY) SWITCH#/, standsAlone],
  [/^(RATES|DESTINATIONS)#/, pageRule],
  [/^CALL#/, callRule],
  [/^STATS#/, callStatsRule],
  [/^ACTIVECALL#/, activeCallRule],
  [/^ACTIVE[ #]/, activeCopyRule],
  [/^(LOCALCALL#.* LOCALCALL|QUEUELOG#\d+ QUEUELOG)$/s, keptRecordRule],
  [/^(LOCALCALLS#\S+|QUEUELOG)#DAYS /, dayCounterRule],
  [/^LOCALCALLS#/, listedRecordRule(checkListedCall)],
  [/^QUEUELOG#/, listedRecordRule(checkQueueLogEntry)],
]

/** What the item says about others; an item that cannot be read, or that nothing here stores, says that. */
export function statementsOf(item: Item, circumstances: Circumstances): readonly Statement[] {
  const { PK, SK } = keyIn(item)
  const rule = RULES.find(([keys]) => keys.test(`${PK} ${SK}`))?.[1]
  if (!rule) return [{ wrong: `${PK} ${SK} is nothing that this version stores.` }]
  try {
    return [...rule(item, circumstances)]
  } catch (error) {
    return [{ wrong: `${PK} ${SK} cannot be read: ${error instanceof Error ? error.message : error}.` }]
  }
}
