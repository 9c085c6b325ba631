import { callKeys } from '#lib/store/calls/call.ts'
import { deviceRulePointerKey } from '#lib/store/devices/device-rule.ts'
import { deviceKey, type Key } from '#lib/store/keys.ts'
import { locationRulePointerKey } from '#lib/store/location-rules/location-rule.ts'
import type { DumpedItem } from './dump.ts'
import { type Blow, COPIES_GO_TO, extensionOf, idsFrom, type Kind, RULES } from './fight.ts'

/** What was answered with success in a fight and is not to be seen afterwards, a sentence each. */
export function brokenPromises(journal: readonly Blow[], dump: readonly DumpedItem[]): string[] {
  return CHECKS.flatMap((check) => check(journal, dump))
}

type Check = (journal: readonly Blow[], dump: readonly DumpedItem[]) => string[]

const NOT_DONE = /<error>|<status>failed</

export const isDone = ({ answer }: Blow): boolean =>
  answer !== undefined && answer.length > 0 && !NOT_DONE.test(answer)

const of = (journal: readonly Blow[], kind: Kind): Blow[] => journal.filter((blow) => blow.kind === kind)

const done = (journal: readonly Blow[], kind: Kind): Blow[] => of(journal, kind).filter(isDone)

const itemsAt = (dump: readonly DumpedItem[], { PK, SK }: Key): DumpedItem[] =>
  dump.filter((item) => item.PK === PK && item.SK === SK)

const has = (dump: readonly DumpedItem[], key: Key): boolean => itemsAt(dump, key).length > 0

/** Created and never asked to be deleted: there. Deleted: gone. */
const comesAndGoes =
  ([creation, deletion]: readonly [Kind, Kind], id: string, keyOf: (id: number) => Key): Check =>
  (journal, dump) => {
    const doomed = new Set(of(journal, deletion).map(({ params }) => params[id]))
    const missing = idsFrom(journal, creation).filter((one) => !doomed.has(one) && !has(dump, keyOf(one)))
    const left = done(journal, deletion)
      .map(({ params }) => Number(params[id]))
      .filter((one) => has(dump, keyOf(one)))
    return [
      ...missing.map((one) => `${creation} gave ${one}, which is not there`),
      ...left.map((one) => `${deletion} of ${one} was made, which is there`),
    ]
  }

const deviceRules: Check = (journal, dump) => {
  const names = new Set(dump.filter(({ SK }) => SK.startsWith('RULE#')).map(({ name }) => name))
  const missing = done(journal, 'device_rule_create').filter(({ params }) => !names.has(params['name']))
  const left = done(journal, 'device_rule_delete').filter(({ params }) =>
    has(dump, deviceRulePointerKey(Number(params['device_rule_id']))),
  )
  return [...missing, ...left].map(({ n, kind }) => `${kind} ${n} was made, and is not to be seen`)
}

/** What was written last is what some blow sent, whole, and not what was there before one of them was made. */
const changed =
  (kind: Kind, target: string, written: (item: DumpedItem, blow: Blow) => boolean): Check =>
  (journal, dump) =>
    [...new Set(done(journal, kind).map(({ params }) => Number(params[target])))].flatMap((id) => {
      const items = kind === 'device_update' ? itemsAt(dump, deviceKey(id)) : rulesWith(dump, id)
      const sent = of(journal, kind).filter(({ params }) => params[target] === id)
      const isWhole = items.length === 1 && items.every((item) => sent.some((blow) => written(item, blow)))
      return isWhole ? [] : [`${kind} of ${id} was made, and its outcome is none of those that were sent`]
    })

const rulesWith = (dump: readonly DumpedItem[], id: number): DumpedItem[] =>
  dump.filter(({ PK, SK, id: own }) => PK.startsWith('LOCATION#') && SK.startsWith('RULE#') && own === id)

/** A copy has no id of its own in its answer: so many there are. */
const copies: Check = (journal, dump) => {
  const created = new Set([...RULES, ...idsFrom(journal, 'location_rule_create')])
  const unheard = of(journal, 'location_rule_create').filter(({ answer }) => !answer).length
  const present = dump.filter(
    ({ PK, SK, id }) =>
      PK === `LOCATION#${COPIES_GO_TO}` && SK.startsWith('RULE#') && !created.has(Number(id)),
  ).length
  const [least, sent] = [done(journal, 'location_rule_copy').length, of(journal, 'location_rule_copy').length]
  return present < least || present > sent + unheard
    ? [`${least} to ${sent} copies were made, and ${present} are there`]
    : []
}

const exchangeRate: Check = (journal, dump) => {
  const sent = of(journal, 'exchange_rate_update').map(({ params }) => params['rate'])
  const rate = dump.find(({ PK }) => PK === 'CURRENCY#GBP')?.['exchange_rate']
  const isMade = done(journal, 'exchange_rate_update').length > 0
  return isMade && !sent.includes(String(rate)) ? [`The exchange rate is ${rate}, which nobody sent`] : []
}

const calls: Check = (journal, dump) =>
  of(journal, 'calls')
    .filter(
      ({ answer, params }) =>
        answer === 'done' && !has(dump, callKeys.item({ uniqueid: String(params['uniqueid']) })),
    )
    .map(({ n }) => `Call ${n} was taken in, and is not there`)

const CHECKS: readonly Check[] = [
  comesAndGoes(['device_create', 'device_delete'], 'device', deviceKey),
  comesAndGoes(['location_rule_create', 'location_rule_delete'], 'location_rule_id', locationRulePointerKey),
  deviceRules,
  changed(
    'device_update',
    'device',
    (item, { n }) => item['extension'] === extensionOf(n) && JSON.stringify(item).includes(`"c${n}"`),
  ),
  changed(
    'location_rule_update',
    'location_rule_id',
    (item, { n }) => item['name'] === `u${n}` && item['cut'] === String(n),
  ),
  copies,
  exchangeRate,
  calls,
]
