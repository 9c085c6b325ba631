import { creditNotes } from '#lib/store/billing/credit-note.ts'
import { invoices } from '#lib/store/billing/invoice.ts'
import { payments } from '#lib/store/billing/payment.ts'
import { checkListedCall } from '#lib/store/calls/local-call.ts'
import { checkQueueLogEntry } from '#lib/store/calls/queue-log.ts'
import type { Item } from '#lib/store/items.ts'
import { keyIn } from '#lib/store/keys.ts'
import { activeCallRule, activeCopyRule } from './active-calls.ts'
import { currencyRule, invoiceRule, productPageRule } from './billing.ts'
import { callRule, callStatsRule } from './calls.ts'
import { dayCounterRule, keptRecordRule, listedRecordRule } from './day-records.ts'
import { deviceCountRule, deviceRule, freeExtensionRule } from './devices.ts'
import { statementsOfEntities } from './entities.ts'
import { locationRuleRule, ruleLengthsRule } from './location-rules.ts'
import { directoryRule, keptVersionRule, pageRule, tariffRule } from './rates.ts'
import { type Circumstances, type Rule, type Statement, standsAlone } from './statement.ts'

/** An id was given out, and the counter of its kind has come to it. */
const idOf =
  (ids: string): Rule =>
  ({ id }) => [{ ids, used: Number(id) }]

const idCounterRule: Rule = ({ PK, last }) => [{ ids: String(PK).slice('ID#'.length), reached: Number(last) }]

/** What no declaration of an entity says, by `PK SK`. An item follows all rules whose pattern fits it. */
const RULES: readonly (readonly [keys: RegExp, rule: Rule])[] = [
  [
    /^(SETTINGS|DATASET#|LOGINFAIL#|RACES#|EXTMARK|SUSPENSE#|SIPHALVES#|INTAKE#|INTAKEFAIL#|RERATINGS )/,
    standsAlone,
  ],
  [/^USER#\d+ INVOICE#/, invoiceRule],
  [/^USER#\d+ INVOICE#/, currencyRule(invoices)],
  [/^USER#\d+ PAYMENT#/, currencyRule(payments)],
  [/^USER#\d+ CREDITNOTE#/, currencyRule(creditNotes)],
  [/^INVOICE#\d+ PRODUCTS#/, productPageRule],
  [/^DEVICE#\d+ DEVICE$/, deviceRule],
  [/^DEVICE#\d+ DEVICE$/, idOf('device')],
  [/^DEVICE#\d+ RULE#/, idOf('device_rule')],
  [/^EXTFREE /, freeExtensionRule],
  [/^COUNT#DEVICES /, deviceCountRule],
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
  [/^STATS#/, callStatsRule],
  [/^ACTIVECALL#/, activeCallRule],
  [/^ACTIVE[ #]/, activeCopyRule],
  [/^(LOCALCALL#.* LOCALCALL|QUEUELOG#\d+ QUEUELOG)$/s, keptRecordRule],
  [/^(LOCALCALLS#\S+|QUEUELOG)#DAYS /, dayCounterRule],
  [/^LOCALCALLS#(?!.*#DAYS )/, listedRecordRule(checkListedCall)],
  [/^QUEUELOG#\d{4}-/, listedRecordRule(checkQueueLogEntry)],
]

/** What the item says about others. One that cannot be read, or that this version does not store, says that. */
export function statementsOf(item: Item, circumstances: Circumstances): readonly Statement[] {
  const { PK, SK } = keyIn(item)
  const rules = RULES.flatMap(([keys, rule]) => (keys.test(`${PK} ${SK}`) ? [rule] : []))
  try {
    const declared = statementsOfEntities(item)
    if (!declared && rules.length === 0)
      return [{ wrong: `${PK} ${SK} is nothing that this version stores.` }]
    return [...(declared ?? []), ...rules.flatMap((rule) => [...rule(item, circumstances)])]
  } catch (error) {
    return [{ wrong: `${PK} ${SK} cannot be read: ${error instanceof Error ? error.message : error}.` }]
  }
}
