import pMap from 'p-map'
import { listAccounts } from '#lib/accounts/account.ts'
import { type Done, defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { dayInput } from '#lib/acts/inputs.ts'
import { isCharged } from '#lib/base/balance.ts'
import { ALL_TIME, type Day, LAST_DAY, secondsOf } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import type { Money } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { MOST_COUNTERS } from '#lib/base/shards.ts'
import { countOf } from '#lib/base/text.ts'
import { adjustments } from '#lib/billing/adjustment.ts'
import { type Books, openBooks, withBookedAmount } from '#lib/billing/booking.ts'
import { charges, withBookedCharge } from '#lib/billing/charges/charge.ts'
import { type Document, type DocumentEntity, documentPages, replaceDocuments } from '#lib/billing/document.ts'
import { payments } from '#lib/billing/payment.ts'
import type { Call } from '#lib/calls/call.ts'
import { type CallDay, listCallDays, listCalls } from '#lib/calls/call-search.ts'
import {
  daysAround,
  EARLIEST_DAY,
  earliestBalanceDay,
  everyoneOn,
  fencesOfDay,
  listDaysOfCalls,
} from '#lib/calls/counters/call-stats.ts'
import { archivedNotice } from '#lib/calls/retention.ts'
import { REMEMBERED_MS } from '#lib/settings/recent-items.ts'
import { OPENING_DAY, readSettings, type Settings } from '#lib/settings/settings.ts'
import { asStored, findSettings, settingIn, settingsKey } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { CHANGES_IN_ONE_TRANSACTION, type Change, is } from '#lib/table/requests/changes.ts'
import {
  hasWritten,
  objectChanged,
  repeating,
  retryingRaces,
  TooMuchContention,
} from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { changeStoredCalls } from '../rerate/change-stored-calls.ts'

/**
 * Sets Balance_From and charges the stored calls from that day on, while calls arrive. It can be killed at
 * any point: the next run for the same day does the rest. `changed` counts the calls, payments and
 * adjustments that count now and did not, or the other way round.
 *
 * Every call has a mark that says whether it is charged, and its transaction changes the mark and the
 * balances together: no run and no other writer charges a call twice. No call is forgotten either:
 * 1. The day is noted in the settings' item. Writers that read the settings from now on charge by it.
 * 2. The days are fenced in their counters, which every transaction of a new call changes. A writer with
 *    older settings fails there, reads the settings again, and charges by them.
 * 3. After the fence of a day, all its calls without the right mark are in the table, and are changed. The
 *    lists are indexes and may lag: a day is read again until it has as many calls as its counters.
 * 4. Writers of payments read the settings at most a second before they write: after it, every payment and
 *    adjustment that is booked wrongly is found in its account's list.
 * 5. Balance_From is set, and readers see the balances.
 */
async function changeBalanceDay(
  { store, now }: ActContext,
  day: Day,
  wait: Wait,
): Promise<Done<{ readonly changed: number }>> {
  const stored = await findSettings(store)
  const earliest = earliestBalanceDay(stored, day)
  refuseArchivedCalls(earliest, readSettings(stored))
  const settings = readSettings({ ...stored, [OPENING_DAY]: day })
  const begins = { name: 'Balance_From', before: settingIn(stored, 'Balance_From'), after: day }
  return {
    begins,
    changes: [balanceChangeBegun(stored, day)],
    async *steps() {
      let changed = 0
      if (earliest !== undefined) {
        const counted = await listDaysOfCalls(store, 'everyone', { from: earliest, till: LAST_DAY })
        const days = [
          ...counted.map(({ day: one }) => one),
          ...daysAround(secondsOf(now), earliest, settings, LATEST_CALL_DAYS),
        ]
        const fenced = new Set(days)
        await fenceDays(store, settings, fenced)
        changed = await chargeDays(store, settings, earliest, fenced)
        yield `${countOf(changed, 'call')} changed`
      }
      await wait(REMEMBERED_MS)
      changed += await bookDocuments(store, settings)
      await endBalanceChange(store, day)
      return { answer: { changed }, did: begins }
    },
  }
}

/** A day without calls is fenced, too, as long as its first one may still come. */
const LATEST_CALL_DAYS = 400

/** `wait` takes a number of milliseconds. */
type Wait = (milliseconds: number) => Promise<unknown>

/** Keeps balances from a day on. */
export const openBalances = (wait: Wait) =>
  defineAct({
    summary:
      'Keep balances from a day on: charges the calls and books the payments that are stored since then. Calls may arrive meanwhile. Run \
it again if it is interrupted',
    permission: 'settings',
    input: { day: dayInput('the first day (YYYY-MM-DD)') },
    run: (context, { day }) => changeBalanceDay(context, day, wait),
  })

export const closeBalances = (wait: Wait) =>
  defineAct({
    summary: 'Keep no balances any more: takes back all charges and bookings',
    permission: 'settings',
    input: {},
    run: (context) => changeBalanceDay(context, '', wait),
  })

/**
 * Notes the new day in the settings' item: writers charge calls by it from here on, and readers see no
 * balances. A blank day closes the balances.
 */
const balanceChangeBegun = (stored: Item, after: Day): Change => ({
  update: settingsKey,
  to: {
    set: { [OPENING_DAY]: after, Balance_From: '', [EARLIEST_DAY]: earliestBalanceDay(stored, after) },
  },
  when: Object.fromEntries([OPENING_DAY, 'Balance_From'].map((name) => [name, asStored(stored, name)])),
})

/** Sets Balance_From. Throws Refusal if another change has begun meanwhile. */
async function endBalanceChange(store: Store, after: Day): Promise<void> {
  const set = { Balance_From: after, [OPENING_DAY]: undefined, [EARLIEST_DAY]: after || undefined }
  const isSet = await hasWritten(store.update(settingsKey, { set }, { [OPENING_DAY]: is(after) }))
  if (!isSet) throw objectChanged('Balance_From')
}

/** Archived calls keep their mark. */
function refuseArchivedCalls(earliest: Day | undefined, { archivedBefore }: Settings): void {
  if (archivedBefore === undefined || earliest === undefined || earliest >= archivedBefore) return
  const says = `${archivedNotice(archivedBefore)}: balances cannot be opened or closed over them`
  throw new Refusal('unfit_setting', { says })
}

async function fenceDays(store: Store, settings: Settings, days: Iterable<Day>): Promise<void> {
  for (const some of slices(days, DAYS_IN_ONE_TRANSACTION))
    await store.transact(some.flatMap((day) => fencesOfDay(day, isCharged(day, settings))))
}

/** Charges all days' calls by the settings. A day's first call meanwhile is found by the next look. */
async function chargeDays(
  store: Store,
  settings: Settings,
  earliest: Day,
  fenced: ReadonlySet<Day>,
): Promise<number> {
  const done = new Set<Day>()
  let changed = 0
  for (;;) {
    const found = await listCallDays(store, ['everyone'], { from: earliest, till: LAST_DAY }, settings)
    const open = found.map(({ day }) => day).filter((day) => !done.has(day))
    if (open.length === 0) return changed
    const unfenced = open.filter((day) => !fenced.has(day))
    await fenceDays(store, settings, unfenced)
    for (const days of slices(open, DAYS_IN_ONE_TRANSACTION))
      changed += await chargeSomeDays(store, settings, days)
    for (const day of open) done.add(day)
  }
}

/** Ascending days, charged at once. Those that list too few calls are charged again. */
async function chargeSomeDays(store: Store, settings: Settings, days: readonly Day[]): Promise<number> {
  let changed = 0
  let lagging = days
  const attempt = async () => {
    const counted = await countCallsOn(store, lagging)
    const range = { from: lagging.at(0) ?? '', till: lagging.at(-1) ?? '' }
    const found = await listCallDays(store, ['everyone'], range, settings)
    const calls = await chargeListed(
      store,
      settings,
      found.filter(({ day }) => lagging.includes(day)),
    )
    changed += calls.changed
    lagging = lagging.filter((day, index) => (calls.listed.get(day) ?? 0) < (counted[index] ?? 0))
    // An index does not show all calls of a day yet.
    if (lagging.length > 0)
      throw new TooMuchContention(`${lagging.join(', ')}: fewer calls are listed than counted`)
  }
  await repeating(store.meter, attempt, (error) => error instanceof TooMuchContention)
  return changed
}

async function chargeListed(store: Store, settings: Settings, days: readonly CallDay[]) {
  const total = { listed: new Map<Day, number>(), changed: 0 }
  for await (const calls of listCalls(store, days, ALL_TIME)) {
    for (const { day } of calls) total.listed.set(day, (total.listed.get(day) ?? 0) + 1)
    const wrong = calls.filter((call) => newMark(call, settings) !== undefined)
    total.changed += await changeStoredCalls({ store, settings }, wrong, (call) => newMark(call, settings))
  }
  return total
}

/** `undefined` for a call that has the right mark. */
function newMark({ day, charged = false }: Call, settings: Settings): Pick<Call, 'charged'> | undefined {
  const isRight = isCharged(day, settings) === charged
  return isRight ? undefined : { charged: charged ? undefined : true }
}

/** The number of days that one transaction can fence, and one request can count. */
export const DAYS_IN_ONE_TRANSACTION = Math.floor(CHANGES_IN_ONE_TRANSACTION / MOST_COUNTERS.everyone)

/** The numbers of calls on these days, from the counters as they are now. */
export async function countCallsOn(store: Store, days: readonly Day[]): Promise<number[]> {
  const items = await store.getMany(days.flatMap(everyoneOn))
  return [...slices(items, MOST_COUNTERS.everyone)].map((shards) =>
    shards.reduce((sum, item) => sum + Number(item?.['calls'] ?? 0), 0),
  )
}

const ACCOUNTS_AT_ONCE = 8

/**
 * Books the payments, adjustments and charges of all accounts as the settings say, each in one transaction
 * with the balance. Returns the number of those that have changed.
 */
export async function bookDocuments(store: Store, settings: Settings): Promise<number> {
  let changed = 0
  const bookAccount = async ({ id }: { readonly id: number }) => {
    changed += await bookKind(store, { kind: payments, booked: withBookedAmount }, id, settings)
    changed += await bookKind(store, { kind: adjustments, booked: withBookedAmount }, id, settings)
    changed += await bookKind(store, { kind: charges, booked: withBookedCharge }, id, settings)
  }
  await pMap(listAccounts(store), bookAccount, { concurrency: ACCOUNTS_AT_ONCE })
  return changed
}

/** A document that may be booked, by the state that is stored and the books. */
type BookedKind<D extends Document> = {
  readonly kind: DocumentEntity<D>
  readonly booked: (row: D, before: D, books: Books) => D & { readonly booked: Money | undefined }
}

/** The list of an account is read consistently. */
async function bookKind<D extends Document & { readonly booked?: Money | undefined }>(
  store: Store,
  of: BookedKind<D>,
  user: number,
  settings: Settings,
): Promise<number> {
  let changed = 0
  for await (const page of documentPages(store, of.kind, { scope: { user } })) {
    const books = await openBooks(store, settings, page)
    const wrong = page.filter((row) => of.booked(row, row, books).booked !== row.booked)
    for (const { id } of wrong) changed += await bookOne(store, of, id, books)
  }
  return changed
}

/** Books a document as it is stored now. Returns 0 if it is booked already. */
const bookOne = <D extends Document & { readonly booked?: Money | undefined }>(
  store: Store,
  { kind, booked }: BookedKind<D>,
  id: number,
  books: Books,
): Promise<number> =>
  retryingRaces(store, async () => {
    const before = await kind.find(store, id)
    const after = before && { ...before, ...booked(before, before, books) }
    if (!after || after.booked === before.booked) return 0
    await replaceDocuments(store, kind, [{ before, after }])
    return 1
  })
