import pMap from 'p-map'
import { creditOf, thresholdsIn } from '#lib/accounts/limits.ts'
import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { alertChange, alertKeys, eventOf, isWanted, isWantedByAnybody } from '#lib/alerts/event.ts'
import type { EventType } from '#lib/alerts/event-types.ts'
import { totalOf } from '#lib/base/balance.ts'
import { type Day, today } from '#lib/base/calendar.ts'
import { add, isPositive, type Money, subtract, ZERO } from '#lib/base/money.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Item } from '#lib/table/items.ts'
import { absentOrIs } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { type AccountBalance, findBalance } from '../balance.ts'
import { figuresIn, type LedgerFigures } from '../ledger/ledger-figures.ts'

/** The table, the settings and the moment by which balances are watched. */
export interface Watch {
  readonly store: Store
  readonly settings: Pick<Settings, 'subscribed' | 'Charged_From' | 'Default_Currency' | 'Timezone'>
  readonly now: Date
  /** The cost of an account's calls on a day, and of its customers' calls; missing if no call was stored. */
  readonly spentOn?: (account: WholeAccount, day: Day) => Promise<Money>
}

const WATCHED = ['balance.low', 'balance.exhausted', 'spend.daily_limit'] as const

/** Returns whether an endpoint hears of the money of an owner's accounts. */
export const isMoneyWatched = (settings: Pick<Settings, 'subscribed'>, owner: number): boolean =>
  WATCHED.some((type) => isWanted(settings, type, owner))

const ACCOUNTS_AT_ONCE = 8

/**
 * Reports the thresholds that the balances of these accounts have crossed since the last report, after a
 * change of them is stored. Reads four items of each account; nothing without subscribers.
 */
export async function watchBalances(watch: Watch, ids: Iterable<number>): Promise<void> {
  if (!isWantedByAnybody(watch.settings, WATCHED) || watch.settings.Charged_From === '') return
  await pMap(new Set(ids), (id) => watchBalance(watch, id), { concurrency: ACCOUNTS_AT_ONCE })
}

/**
 * Of changes that end at the same time, the one that stores the note reports. It looks again afterwards: a
 * change that looked before the note was stored had nothing to report.
 */
async function watchBalance(watch: Watch, id: number): Promise<void> {
  while (await notifyOnce(watch, id));
}

/** Returns false if there is nothing to report. */
const notifyOnce = (watch: Watch, id: number): Promise<boolean> =>
  retryingRaces(watch.store, async () => {
    const { store, settings } = watch
    // One by one: after a later event, the balance before a fall would look like a rise.
    const stored = await store.get(alertKeys.item(id))
    const found = await findBalance(store, id)
    if (!found || !isMoneyWatched(settings, found.account.owner_id)) return false
    const change = await changeOf(watch, found, stored)
    if (change) await store.update(change.update, change.to, change.when)
    return change !== undefined
  })

/** The change of an account that crossed a threshold, with its events; `undefined` otherwise. */
async function changeOf(watch: Watch, { account, balance, item = {} }: AccountBalance, stored: Item = {}) {
  const { settings, now } = watch
  const day = today(now, settings.Timezone)
  const left = leftOf(account, totalOf(balance))
  const low = crossing(thresholdsIn(account), left, toldIn(stored))
  const spent = await overspent(watch, account, day, stored)
  if (!low && !spent) return undefined
  const { epoch = 0 } = stored
  const ledger = figuresIn(item, settings, account.owner_id)
  const events = [...occurrencesOf(low, left, ledger), ...(spent ?? [])]
    .filter(({ type }) => isWanted(settings, type, account.owner_id))
    .map((one) => eventOf(newEvent(watch, account, Number(epoch) + 1, one)))
  const set = { ...(low && { told: low.told }), ...(spent && { limit_day: day }) }
  return alertChange(account.id, { set, when: { epoch: absentOrIs(epoch) }, at: now, events })
}

interface Occurrence {
  readonly type: EventType
  readonly data: Item
}

const newEvent = (
  { settings, now }: Watch,
  { id, owner_id }: WholeAccount,
  epoch: number,
  { type, data }: Occurrence,
) => ({
  type,
  owner: owner_id,
  at: now,
  subject: `${id} ${epoch}`,
  data: { account: id, owner: owner_id, ...data, currency: settings.Default_Currency },
})

/** The money left to an account, without holds. With unlimited credit, the balance itself counts. */
const leftOf = (account: WholeAccount, balance: Money): Money => add(balance, creditOf(account) ?? ZERO)

const toldIn = ({ told }: Item): Money | undefined => (told === undefined ? undefined : String(told))

const isBelow = (one: Money, other: Money): boolean => isPositive(subtract(other, one))

/** The thresholds that were crossed, the highest first, and the lowest one, which counts as reported. */
interface Crossing {
  readonly crossed: readonly Money[]
  readonly told: Money | undefined
}

/**
 * An edge, not a level: a threshold is reported when the remaining money falls below it, and again only after
 * a rise to it. `told` is the lowest reported. 0, in every list, is no money. `undefined` for no change.
 */
export function crossing(
  thresholds: readonly Money[],
  left: Money,
  told: Money | undefined,
): Crossing | undefined {
  if (thresholds.length === 0) return told === undefined ? undefined : { crossed: [], told: undefined }
  const descending = [...new Set([...thresholds, ZERO])].sort((one, other) => (isBelow(one, other) ? 1 : -1))
  const below = descending.filter((one) => (isPositive(one) ? isBelow(left, one) : !isPositive(left)))
  const crossed = below.filter((one) => told === undefined || isBelow(one, told))
  const lowest = below.at(-1)
  return crossed.length === 0 && lowest === told ? undefined : { crossed, told: lowest }
}

/** Several thresholds that one charge crosses are one event with the list. */
function occurrencesOf(
  low: Crossing | undefined,
  left: Money,
  ledger: readonly LedgerFigures[],
): Occurrence[] {
  const crossed = low?.crossed ?? []
  const thresholds = crossed.filter(isPositive)
  return [
    ...(thresholds.length > 0 ? [{ type: 'balance.low' as const, data: { left, ledger, thresholds } }] : []),
    ...(thresholds.length < crossed.length
      ? [{ type: 'balance.exhausted' as const, data: { left, ledger } }]
      : []),
  ]
}

/** Reports once a day that the calls of the day cost more than the limit of the account. */
async function overspent(
  { settings, spentOn }: Watch,
  account: WholeAccount,
  day: Day,
  stored: Item,
): Promise<Occurrence[] | undefined> {
  const { owner_id, daily_balance_limit: limit } = account
  const isTold = stored['limit_day'] === day
  if (!spentOn || limit === undefined || isTold || !isWanted(settings, 'spend.daily_limit', owner_id))
    return undefined
  const spent = await spentOn(account, day)
  return isBelow(limit, spent) ? [{ type: 'spend.daily_limit', data: { day, spent, limit } }] : undefined
}
