import { callKeys } from '#lib/calls/call.ts'
import { deviceRulePointerKey } from '#lib/devices/device-rule-stored.ts'
import { locationRulePointerKey } from '#lib/devices/location-rule-stored.ts'
import { findTariff, pagesOfRates } from '#lib/rates/tariff.ts'
import type { Item } from '#lib/table/items.ts'
import { deviceKey, type Key } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { EXISTING, idsFrom } from './clients.ts'
import { callIdsOf, LOCATIONS, type SentStep, type StepKind } from './steps.ts'

/** Returns a sentence for each step that was answered with success and whose change is not in the table. */
export function brokenPromises(journal: readonly SentStep[], items: readonly Item[]): string[] {
  const table: Table = Map.groupBy(items, ({ PK }) => String(PK))
  return CHECKS.flatMap((check) => check(journal, table))
}

type Table = ReadonlyMap<string, readonly Item[]>

type Check = (journal: readonly SentStep[], table: Table) => string[]

const NOT_DONE = /<error>|<status>failed</

export const isDone = ({ answer = '' }: SentStep): boolean => answer.length > 0 && !NOT_DONE.test(answer)

export const stepsOfKind = (journal: readonly SentStep[], kind: StepKind): SentStep[] =>
  journal.filter((step) => step.kind === kind)

const doneOf = (journal: readonly SentStep[], kind: StepKind): SentStep[] =>
  stepsOfKind(journal, kind).filter(isDone)

const itemsAt = (table: Table, { PK, SK }: Key): Item[] =>
  (table.get(PK) ?? []).filter((item) => item['SK'] === SK)

const has = (table: Table, key: Key): boolean => itemsAt(table, key).length > 0

/** Created and never asked to be deleted: there. Deleted: gone. */
const comesAndGoes =
  ([creation, deletion]: readonly [StepKind, StepKind], id: string, keyOf: (id: number) => Key): Check =>
  (journal, table) => {
    const doomed = new Set(stepsOfKind(journal, deletion).map(({ params }) => params[id]))
    const missing = idsFrom(journal, creation).filter((one) => !doomed.has(one) && !has(table, keyOf(one)))
    const left = doneOf(journal, deletion)
      .map(({ params }) => Number(params[id]))
      .filter((one) => has(table, keyOf(one)))
    return [
      ...missing.map((one) => `${creation} gave ${one}, which is not there`),
      ...left.map((one) => `${deletion} of ${one} was made, which is there`),
    ]
  }

const deviceRules: Check = (journal, table) => {
  const rules = EXISTING.devices.flatMap((id) => table.get(deviceKey(id).PK) ?? [])
  const names = new Set(rules.filter(isRule).map(({ name }) => name))
  const missing = doneOf(journal, 'device_rule_create').filter(({ params }) => !names.has(params['name']))
  const left = doneOf(journal, 'device_rule_delete').filter(({ params }) =>
    has(table, deviceRulePointerKey(Number(params['device_rule_id']))),
  )
  return [...missing, ...left].map(({ n, kind }) => `${kind} ${n} was made, and is not to be seen`)
}

const isRule = ({ SK }: Item): boolean => String(SK).startsWith('RULE#')

/** The columns that a parameter of another name changes. */
const COLUMNS: Readonly<Record<string, string>> = { device_name: 'name' }

/** The item has all values of one of the steps, which differ in the column `mark`. */
const changed =
  (
    [kind, target, mark]: readonly [StepKind, string, string],
    itemOf: (table: Table, id: number) => Item,
  ): Check =>
  (journal, table) =>
    [...new Set(doneOf(journal, kind).map(({ params }) => Number(params[target])))].flatMap((id) => {
      const item = itemOf(table, id)
      const last = stepsOfKind(journal, kind).find(
        ({ params }) => params[target] === id && params[mark] === item[mark],
      )
      const isWhole = Object.entries(last?.params ?? { [mark]: '' }).every(
        ([name, value]) => name === target || String(item[COLUMNS[name] ?? name]) === String(value),
      )
      return last && isWhole
        ? []
        : [`${kind} of ${id} was made, and its outcome is none of those that were sent`]
    })

const rulesOfLocations = (table: Table): Item[] =>
  LOCATIONS.flatMap((id) => table.get(`LOCATION#${id}`) ?? []).filter(isRule)

const ruleWithId = (table: Table, id: number): Item =>
  rulesOfLocations(table).find((item) => item['id'] === id) ?? {}

/** The answer to a copy does not tell its id, so copies are counted. */
const copies: Check = (journal, table) => {
  const created = new Set([...EXISTING.locationRules, ...idsFrom(journal, 'location_rule_create')])
  const unheard = stepsOfKind(journal, 'location_rule_create').filter(({ answer }) => !answer).length
  const present = rulesOfLocations(table).filter(({ id }) => !created.has(Number(id))).length
  const [least, sent] = [doneOf, stepsOfKind].map((of) => of(journal, 'location_rule_copy').length)
  return present < Number(least) || present > Number(sent) + unheard
    ? [`${least} to ${sent} copies were made, and ${present} are there`]
    : []
}

const exchangeRate: Check = (journal, table) => {
  const sent = stepsOfKind(journal, 'exchange_rate_update').map(({ params }) => params['rate'])
  const [currency] = table.get('CURRENCY#GBP') ?? []
  const isMade = doneOf(journal, 'exchange_rate_update').length > 0
  return isMade && !sent.includes(String(currency?.['exchange_rate']))
    ? [`The exchange rate is ${currency?.['exchange_rate']}, which nobody sent`]
    : []
}

const calls: Check = (journal, table) =>
  journal
    .filter(isDone)
    .flatMap(callIdsOf)
    .filter((id) => table.get(callKeys.withoutSwitch.partition(id))?.length !== 1)
    .map((id) => `The call ${id} was taken in, and is not there once`)

const CHECKS: readonly Check[] = [
  comesAndGoes(['device_create', 'device_delete'], 'device', deviceKey),
  comesAndGoes(['location_rule_create', 'location_rule_delete'], 'location_rule_id', locationRulePointerKey),
  deviceRules,
  changed(['device_update', 'device', 'comment'], (table, id) => itemsAt(table, deviceKey(id))[0] ?? {}),
  changed(['location_rule_update', 'location_rule_id', 'name'], ruleWithId),
  copies,
  exchangeRate,
  calls,
]

/** A tariff has all rates of one import, and not the first ones, 1, if another import is done. */
export async function mixedRates(
  store: Store,
  journal: readonly SentStep[],
  count: number,
): Promise<string[]> {
  const tariff = await findTariff(store, 1)
  const prices: number[] = []
  for await (const page of pagesOfRates(store, { id: 1 }, tariff?.active))
    prices.push(...page.map(({ tariff_rate }) => Number(tariff_rate)))
  const sent = stepsOfKind(journal, 'rates')
  const known = [...(sent.some(isDone) ? [] : [1]), ...sent.map(({ params }) => params['tariff_rate'])]
  const [price = 0, ...others] = new Set(prices)
  if (others.length === 0 && prices.length === count && known.includes(price)) return []
  return [`The tariff has the rates ${[price, ...others]}, ${prices.length} of them`]
}
