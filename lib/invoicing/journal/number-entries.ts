import { listOwnerIds } from '#lib/accounts/account.ts'
import { findWholeAccounts, type WholeAccount } from '#lib/accounts/whole-account.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { type Day, monthOf } from '#lib/base/calendar.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import { add, round, subtract, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { findInvoices } from '#lib/billing/invoice.ts'
import {
  POSTED_SINCE,
  type PostedKind,
  type PostedLine,
  sumOfLines,
  unpostedKey,
} from '#lib/billing/journal/posting.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { findSettings, settingsOf } from '#lib/settings/stored-settings.ts'
import { invocation } from '#lib/table/invocation.ts'
import { type Key, keyIn, keyReader } from '#lib/table/keys.ts'
import { absent, absentOrIs, type Change, is, present } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store, TableServices } from '#lib/table/store.ts'
import { ROW } from '#lib/table/table.ts'
import { formatIn } from '#lib/table/table-format.ts'
import { addMonths, daysOfMonth, type Month } from '../month.ts'
import {
  closedMonthKey,
  closedTill,
  type JournalEntry,
  type JournalLine,
  journalKey,
  journalMonthKey,
  readJournalMonth,
  readUnposted,
  type UnpostedEntry,
} from './entry.ts'
import { accountOfLine, debtorOf, taxKeyOf } from './journal-accounts.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly documents_unposted: Readonly<Record<never, never>>
    readonly no_rate_in_journal: { readonly document: string; readonly currency: string }
  }
}

export type JournalSource = Pick<ActContext, 'store' | 'settings'>

/** Throws Refusal until the documents of earlier releases are posted: a month would lack them. */
export async function requirePosted(store: Store): Promise<void> {
  if (formatIn(await findSettings(store)) < POSTED_SINCE) throw new Refusal('documents_unposted', {})
}

/** Each entry is removed from those without a number, and stored with one. */
const ENTRIES_IN_ONE_TRANSACTION = 48

/**
 * Gives the entries of a seller their numbers, from 1 in each month without a gap, up to the end of a month
 * or all. An entry of a closed month is posted on the first open day. Only this writes numbers: documents
 * store entries without one, so that no item of a seller is in each of their transactions. Throws Refusal
 * for an entry without an account; those before it keep their numbers.
 */
export async function numberEntries(source: JournalSource, seller: number, till?: Month): Promise<number> {
  let count = 0
  for (;;) {
    const numbered = await retryingRaces(source.store, () => numberPage(source, seller, till))
    if (numbered === undefined) return count
    count += numbered
  }
}

/** Numbers the entries of all sellers. An entry without an account stops those of its seller alone. */
export async function numberEveryone(source: JournalSource) {
  const done = { numbered: 0, unnumbered: 0, refused: [] as string[] }
  for (const seller of await listOwnerIds(source.store))
    try {
      done.numbered += await numberEntries(source, seller)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      done.unnumbered += 1
      done.refused.push(`seller ${seller}: ${error.message}`)
    }
  return done
}

/** Numbers the entries posted since the last hour, and writes a log line. */
export const hourlyNumbers = (services: TableServices) => async (): Promise<void> => {
  await invocation(services, 'number_entries', async ({ store }) => {
    const { refused, ...counts } = await numberEveryone({ store, settings: await settingsOf(store) })
    return { outcome: 'numbered', ...counts, ...(refused.length > 0 && { reason: refused.join('; ') }) }
  })
}

/** The postings of documents: several changes of one day since the last run are one entry. */
interface Unposted extends Omit<UnpostedEntry, 'lines'> {
  readonly kind: PostedKind
  readonly document: number
  readonly user_id: number
  readonly keys: readonly Key[]
  readonly lines: readonly PostedLine[]
}

async function numberPage(source: JournalSource, seller: number, till?: Month): Promise<number | undefined> {
  const { store } = source
  const { partition } = unpostedKey.range(seller)
  const items = await store.firstPage({
    partition,
    between: ['', till === undefined ? '~' : `${daysOfMonth(till).till}~`],
    pageSize: ENTRIES_IN_ONE_TRANSACTION,
  })
  const closedItem = await store.get(closedMonthKey(seller))
  const closed = closedTill(closedItem)
  const found = byDocument(items).map((one) => ({ ...one, posting: postingDay(one.day, closed) }))
  const [first] = found
  if (!first) return undefined
  const month = monthOf(first.posting)
  const some = found.filter(({ posting }) => monthOf(posting) === month)
  const key = journalMonthKey(seller, month)
  const { last } = readJournalMonth(await store.get(key))
  const posted = some.filter(({ lines }) => lines.length > 0)
  const entries = await namedEntries(source, posted)
  const changes: Change[] = [
    ...some.flatMap(({ keys }) => keys.map((remove) => ({ remove, when: { PK: present } }))),
    ...entries.map((entry, index) => ({
      put: { ...journalKey(seller, month, last + index + 1), [ROW]: JSON.stringify(entry) },
      when: { PK: absent },
    })),
    { update: key, to: { set: { last: last + entries.length } }, when: { last: absentOrIs(last) } },
    { check: closedMonthKey(seller), when: closedItem ? { till: is(closed) } : { PK: absent } },
  ]
  await store.transact(changes)
  return entries.length
}

const readUnpostedKey = keyReader(unpostedKey)

/** The last document of a full page may continue after it, unless it is the only one. */
function byDocument(items: readonly Record<string, unknown>[]): Unposted[] {
  const groups = [
    ...Map.groupBy(items, (item) => {
      const { day, kind, document } = readUnpostedKey(item) ?? {}
      return `${day} ${kind} ${document}`
    }).values(),
  ]
  const whole =
    items.length === ENTRIES_IN_ONE_TRANSACTION && groups.length > 1 ? groups.slice(0, -1) : groups
  return whole.map((some) => {
    const read = some.map(readUnposted)
    const newest = read.at(-1) as UnpostedEntry
    const { kind = '', document } = readUnpostedKey(some[0] ?? {}) ?? {}
    return {
      ...newest,
      kind: kind as PostedKind,
      document: Number(document),
      user_id: Number(some[0]?.['user_id']),
      keys: some.map(keyIn),
      amount: add(...read.map(({ amount }) => amount)),
      lines: sumOfLines(read.flatMap(({ lines }) => lines)),
    }
  })
}

/** The day of the document, or the first open day if its month is closed. */
const postingDay = (day: Day, closed: Month | undefined): Day =>
  closed !== undefined && monthOf(day) <= closed ? `${addMonths(closed, 1)}-01` : day

/** Entries with the names and the numbers of accounts of now, which they keep. */
async function namedEntries(
  { store, settings }: JournalSource,
  some: readonly (Unposted & { readonly posting: Day })[],
): Promise<JournalEntry[]> {
  const users = [...new Set(some.map(({ user_id }) => user_id))]
  const ids = [...new Set(some.flatMap(({ invoice_id }) => invoice_id ?? []))]
  const [found, invoices] = await Promise.all([findWholeAccounts(store, users), findInvoices(store, ids)])
  const accounts = new Map(users.map((id, index) => [id, found[index]]))
  const numbers = new Map(ids.map((id, index) => [id, invoices[index]?.number]))
  return some.map(({ keys: _, posting, invoice_id, ...entry }) => {
    const { day, document_day = day, user_id, lines } = entry
    requireRate(entry, settings)
    return {
      ...entry,
      day: posting,
      document_day: document_day === posting ? undefined : document_day,
      number: numbers.get(invoice_id ?? -1) ?? entry.number,
      customer: accounts.get(user_id)?.username ?? `account ${user_id}`,
      currency: entry.currency || settings.Default_Currency,
      posted_currency: settings.Default_Currency,
      lines: namedLines(lines, { id: user_id, ...accounts.get(user_id) }, settings),
    }
  })
}

function requireRate(
  { kind, number, currency, rate }: Unposted | Omit<Unposted, 'keys'>,
  settings: Settings,
): void {
  if (currency === '' || currency === settings.Default_Currency || rate !== undefined) return
  throw new Refusal('no_rate_in_journal', { document: `${kind} ${number}`, currency })
}

/** Rounds the lines. The last one that is not VAT has what the others leave, to balance the entry. */
function namedLines(
  lines: readonly PostedLine[],
  customer: Pick<WholeAccount, 'id'> & Partial<WholeAccount>,
  settings: Settings,
): JournalLine[] {
  const digits = minorDigits(settings.Default_Currency)
  const rest = lines.findLastIndex(([of]) => of !== 'VAT')
  const rounded = lines.map(([, , exact]) => round(exact, digits))
  const others = add(ZERO, ...rounded.filter((_, index) => index !== rest))
  return lines.map(([of, word, exact], index) => ({
    of,
    word,
    exact,
    amount: index === rest ? subtract(ZERO, others) : (rounded[index] ?? ZERO),
    account: accountOfLine(settings, of, word),
    debtor: of === 'receivables' ? debtorOf(settings, customer) : undefined,
    tax_key: taxKeyOf(settings, of, word),
  }))
}
