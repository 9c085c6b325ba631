import { randomInt } from 'node:crypto'
import pMap from 'p-map'
import * as v from 'valibot'
import { listOwnerIds } from '#lib/accounts/account.ts'
import { findWholeAccounts, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { type Day, firstOfMonth, today } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { exchangeRatesOf } from '#lib/rates/currency.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { invocation } from '#lib/table/invocation.ts'
import { keyForm } from '#lib/table/keys.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store, TableServices } from '#lib/table/store.ts'
import { DOCUMENTS_IN_ONE_TRANSACTION, documentPages, newDocumentId, replaceDocuments } from '../document.ts'
import { watchBalances } from '../notifications/watched-balances.ts'
import { findServices, type Service } from '../service.ts'
import { listSubscriptions, type Subscription, subscriptions } from '../subscription.ts'
import { charges, listCharges, withBookedCharge } from './charge.ts'
import { type ChargePlan, type NewCharge, type PeriodTerms, planCharges } from './charge-plan.ts'

/** The terms of a postpaid subscription's present period, and the free periods of a subscription. */
export const chargeTermsKey = keyForm('CHARGETERMS#<subscription_id>', 'CHARGETERMS')

/** The day on which all subscriptions were last looked at from Charges_From on. */
export const chargeRunKey = keyForm('CHARGERUN', 'CHARGERUN')()

const termsSchema = v.object({
  from: v.string(),
  price: v.string(),
  quantity: v.number(),
  currency: v.string(),
  service_id: v.exactOptional(v.number()),
  memo: v.exactOptional(v.string()),
  free: v.optional(v.array(v.object({ from: v.string(), till: v.string() }))),
})

const runSchema = v.object({ day: v.string(), charges_from: v.string() })

/** The table, the settings that were read for this run, and its moment. */
export interface ChargingRun {
  readonly store: Store
  readonly settings: Settings
  readonly now: Date
}

/** The charges of an account that are due or were made, and its subscriptions that are not charged. */
export interface AccountCharges extends Pick<ChargePlan, 'charges' | 'uncharged' | 'refused'> {
  readonly user_id: number
  /** The table refused or failed: what is due is made by a later run. */
  readonly isFailed?: true
}

const NOTHING_DUE = { charges: [], uncharged: [], refused: [] }

/** The charges that are due for an account now. Writes nothing. */
export const dueChargesOf = (run: ChargingRun, accountId: number): Promise<AccountCharges> =>
  overAccount(run, accountId, findDue)

/** Makes the charges of an account that are due, each once, however many runs there are. */
export const chargeAccount = (run: ChargingRun, accountId: number): Promise<AccountCharges> =>
  overAccount(run, accountId, makeDue)

type Treat = (run: ChargingRun, subscribed: Subscribed, lookedFrom: Day) => Promise<ChargePlan>

async function overAccount(run: ChargingRun, accountId: number, treat: Treat): Promise<AccountCharges> {
  const { store, settings } = run
  const isOn = settings.Charges_From !== ''
  const pages = isOn ? documentPages(store, subscriptions, { scope: { user: accountId } }) : []
  const [subscribed] = await subscribedIn(store, (await Array.fromAsync(pages)).flat())
  const plan = subscribed && (await treat(run, subscribed, settings.Charges_From))
  return { user_id: accountId, ...NOTHING_DUE, ...plan }
}

const ACCOUNTS_AT_ONCE = 8

/**
 * Makes what is due for all subscriptions, yielding account by account; a dry run only looks. The first run
 * of a day covers all periods since Charges_From, the others this month and the two before.
 */
export async function* chargeEveryone(run: ChargingRun, dryRun = false): AsyncGenerator<AccountCharges> {
  const { store, settings, now } = run
  if (settings.Charges_From === '') return
  const whole = { day: today(now, settings.Timezone), charges_from: settings.Charges_From }
  const isFirst = !(await wasLookedAt(store, whole))
  const lookedFrom = isFirst ? settings.Charges_From : firstOfMonth(whole.day, -LOOKED_MONTHS)
  let failed = 0
  const chargeOne = async (subscribed: Subscribed): Promise<AccountCharges> => {
    const { id } = subscribed.account
    try {
      return { user_id: id, ...(await (dryRun ? findDue : makeDue)(run, subscribed, lookedFrom)) }
    } catch (error) {
      failed += 1
      return { user_id: id, ...NOTHING_DUE, refused: [`account ${id}: ${error}`], isFailed: true }
    }
  }
  const scopes = (await listOwnerIds(store)).map((owner) => ({ owner }))
  for await (const page of listSubscriptions(store, scopes))
    yield* await pMap(await subscribedIn(store, page), chargeOne, { concurrency: ACCOUNTS_AT_ONCE })
  if (isFirst && !dryRun && failed === 0) await store.update(chargeRunKey, { set: whole })
}

/** The months before this one whose charges every run looks at: a subscription may have ended in them. */
const LOOKED_MONTHS = 2

async function wasLookedAt(store: Store, whole: v.InferOutput<typeof runSchema>): Promise<boolean> {
  const found = await store.get(chargeRunKey)
  const last = found && v.parse(runSchema, found)
  return last?.day === whole.day && last.charges_from === whole.charges_from
}

interface Subscribed {
  readonly account: WholeAccount
  readonly subscriptions: readonly Subscription[]
  readonly services: ReadonlyMap<number, Service>
}

async function subscribedIn(store: Store, some: readonly Subscription[]): Promise<Subscribed[]> {
  const byUser = [...Map.groupBy(some, ({ user_id }) => user_id)]
  const users = byUser.map(([user]) => user)
  const ids = [...new Set(some.map(({ service_id }) => service_id))]
  const [found, services] = await Promise.all([findWholeAccounts(store, users), findServices(store, ids)])
  const byId = new Map(services.flatMap((service) => (service ? [[service.id, service] as const] : [])))
  return byUser.flatMap(([, own], index) => {
    const account = found[index]
    return account ? [{ account, subscriptions: own, services: byId }] : []
  })
}

/** The due charges at the present rates, read consistently. */
async function findDue(
  { store, settings, now }: ChargingRun,
  { account, subscriptions: own, services }: Subscribed,
  lookedFrom: Day,
): Promise<ChargePlan> {
  const { Timezone: zone, Charges_From: chargesFrom, Default_Currency } = settings
  const isPostpaid = account.postpaid
  const [pages, terms] = await Promise.all([
    Array.fromAsync(listCharges(store, { user: account.id }, { from: firstOfMonth(lookedFrom) })),
    findTerms(store, isPostpaid ? own.map(({ id }) => id) : []),
  ])
  const made = pages.flat()
  const currencies = [...services.values(), ...made].map(({ currency }) => currency)
  const rates = await exchangeRatesOf(store, currencies, Default_Currency)
  const charged = { isPostpaid, subscriptions: own, services, charges: made, terms }
  const options = { zone, chargesFrom, lookedFrom, today: today(now, zone), rates }
  const plan = planCharges(charged, options)
  if (isPostpaid) return plan
  // A prepaid account has terms only for periods without charges.
  const open = [
    ...plan.charges.map(({ subscription_id }) => subscription_id),
    ...plan.terms.map(([id]) => id),
  ]
  return open.length === 0
    ? plan
    : planCharges({ ...charged, terms: await findTerms(store, [...new Set(open)]) }, options)
}

/** The noted terms of these subscriptions, by id. */
async function findTerms(store: Store, ids: readonly number[]): Promise<Map<number, PeriodTerms>> {
  const items = await store.getMany(ids.map((id) => chargeTermsKey(id)))
  return new Map(
    ids.flatMap((id, index) => (items[index] ? [[id, v.parse(termsSchema, items[index])] as const] : [])),
  )
}

/** Makes what is due. A charge that another run has made meanwhile is not made again. */
async function makeDue(run: ChargingRun, subscribed: Subscribed, lookedFrom: Day): Promise<ChargePlan> {
  const { store, now } = run
  const { id, owner_id, alert_at } = subscribed.account
  const watched = alert_at === '' ? [] : [id]
  const made: NewCharge[] = []
  const plan = await retryingRaces(store, async () => {
    const due = await findDue(run, subscribed, lookedFrom)
    for (const [subscription, terms] of due.terms)
      await store.update(chargeTermsKey(subscription), { set: { ...terms } })
    if (due.charges.length === 0) return due
    // Balance_From may have moved since the run began: functions write by settings of at most a second ago.
    const settings = await settingsOf(store)
    for (const some of slices(due.charges, DOCUMENTS_IN_ONE_TRANSACTION)) {
      const rows = some.map((one) =>
        withBookedCharge({ ...one, id: newChargeId(now) }, undefined, { settings }),
      )
      await replaceDocuments(
        store,
        charges,
        rows.map((row) => ({ before: undefined, after: { ...row, owner_id } })),
      )
      made.push(...some)
      await watchBalances({ store, settings, now }, watched)
    }
    return due
  })
  return { ...plan, charges: made }
}

/** Ids of two charges of one moment rarely collide. Then the transaction fails, and a new id is drawn. */
const IDS_OF_A_RUN = 10_000_000

const newChargeId = (now: Date): number => newDocumentId(now.getTime(), 0) + randomInt(IDS_OF_A_RUN)

/** The maximum number of refused subscriptions that a line of the log names. */
const MOST_NAMED = 5

/** Makes due charges and writes a log line. Throws at the end if an account could not be charged. */
export const hourlyCharges = (services: TableServices) => async (): Promise<void> => {
  const { failed } = await invocation(services, 'charge_subscriptions', async ({ store, startedAt }) => {
    const total = { charges: 0, failed: 0, uncharged: 0, refused: [] as string[] }
    const run = { store, settings: await settingsOf(store), now: startedAt }
    for await (const { charges, uncharged, refused, isFailed } of chargeEveryone(run)) {
      total.charges += charges.length
      total.failed += isFailed ? 1 : 0
      total.uncharged += uncharged.length
      total.refused.push(...refused)
    }
    const { refused, ...counts } = total
    const named = refused.length > 0 && { reason: refused.slice(0, MOST_NAMED).join('; ') }
    return { outcome: 'charged', ...counts, refused: refused.length, ...named }
  })
  if (failed > 0) throw new Error(`${failed} accounts were not charged: the line of the log names them`)
}
