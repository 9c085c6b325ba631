import { type BilledCustomer, billMonth, openIssue } from '#lib/invoicing/bill-month.ts'
import { chargesToIssue, chargesToPreview } from '#lib/invoicing/charges-of.ts'
import type { BillableCharge } from '#lib/invoicing/draft.ts'
import { issueDocument, type MonthOutcome } from '#lib/invoicing/issue.ts'
import type { Month } from '#lib/invoicing/month.ts'
import { billedAccounts, customerMonths, openMonth } from '#lib/invoicing/month-customers.ts'
import type { CustomerMonth, MonthRun } from '#lib/invoicing/month-run.ts'
import { openNumbers } from '#lib/invoicing/numbers.ts'
import type { Store } from '#lib/table/store.ts'
import type { DatasetRows } from '#test/datasets/import-rows.ts'
import { aWorld, type World } from '#test/world.ts'

export const person = (id: number, columns: Readonly<Record<string, string>> = {}) => ({
  id: String(id),
  username: `u${id}`,
  usertype: 'user',
  owner_id: '0',
  vat_percent: '21',
  password_hash: '0'.repeat(40),
  ...columns,
})

export const ZONES_OF_TESTS = [
  'Pacific/Auckland',
  'Asia/Kolkata',
  'Europe/Berlin',
  'America/New_York',
  'Pacific/Honolulu',
]

export const admin = person(0, { usertype: 'admin' })

/** A call that came with its price. `at` is the day and time in UTC. */
export const aCall = (
  user: number,
  at: string,
  user_price: string,
  columns: Readonly<Record<string, string>> = {},
) => ({
  uniqueid: `${user}-${at.replace(' ', 'T')}`,
  calldate: at,
  src: '100',
  dst: '4915123456',
  disposition: 'ANSWERED',
  duration: '60',
  billsec: '60',
  hangupcause: '16',
  user_id: String(user),
  user_price,
  ...columns,
})

const directory = [
  { prefix: '44', direction: 'United Kingdom', destination: 'United Kingdom' },
  { prefix: '49', direction: 'Germany', destination: 'Germany' },
  { prefix: '4915', direction: 'Germany', destination: 'Germany mobile' },
]

/** An installation that has kept balances and issued invoices since May 2026. It is 2 June. */
export async function aBilledWorld(
  rows: DatasetRows,
  settings: Parameters<typeof aWorld>[1] = {},
): Promise<World> {
  const world = await aWorld(
    { destinations: directory, ...rows },
    { Balance_From: '2026-05-01', Invoices_From: '2026-05-01', Default_Currency: 'EUR', ...settings },
  )
  world.now = new Date('2026-06-02T08:00:00Z')
  return world
}

interface MonthOptions {
  readonly month?: Month
  readonly owner_id?: number
  readonly store?: Store
  readonly charges?: readonly (BillableCharge & { readonly user_id: number })[]
  readonly suspended?: ReadonlyMap<number, number>
  readonly isDespiteSuspense?: boolean
  readonly isLate?: boolean
}

export const aMonthRun = (world: World, options: MonthOptions = {}): Promise<MonthRun> => {
  const { month = '2026-05', owner_id = 0, store = world.store, charges = [] } = options
  return openMonth(store, {
    month,
    owner_id,
    now: world.now,
    suspended: options.suspended ?? new Map(),
    isDespiteSuspense: options.isDespiteSuspense ?? false,
    isLate: options.isLate,
    chargesOf: async (_run, id) => ({
      charges: charges.filter(({ user_id }) => user_id === id),
      refused: [],
    }),
  })
}

export async function preview(world: World, options?: MonthOptions): Promise<CustomerMonth[]> {
  const run = await aMonthRun(world, options)
  return Array.fromAsync(customerMonths(run, billedAccounts(run.store, run.owner_id)))
}

/** Issues the month to all customers of an owner, and returns what became of it by account. */
export async function issue(world: World, options?: MonthOptions): Promise<Map<number, MonthOutcome>> {
  const run = await aMonthRun(world, options)
  const numbers = await openNumbers(run.store, run.settings, run.owner_id)
  const outcomes = new Map<number, MonthOutcome>()
  for await (const read of customerMonths(run, billedAccounts(run.store, run.owner_id)))
    outcomes.set(read.account.id, await issueDocument(run, numbers, read))
  return outcomes
}

/** A month of an owner with the charges that are due, as the command and the page issue it. */
export async function bill(
  world: World,
  { month, owner }: { readonly month: Month; readonly owner: number },
  what: 'preview' | 'issue',
): Promise<BilledCustomer[]> {
  const run = await openMonth(world.store, {
    month,
    owner_id: owner,
    now: world.now,
    suspended: new Map(),
    isDespiteSuspense: false,
    chargesOf: what === 'issue' ? chargesToIssue : chargesToPreview,
  })
  const billing = what === 'issue' ? await openIssue(run) : undefined
  return Array.fromAsync(billMonth(run, billedAccounts(world.store, owner), billing))
}
