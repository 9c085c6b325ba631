import pMap from 'p-map'
import { accounts, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { dayOf } from '#lib/base/calendar.ts'
import { balanceKey, LEDGER_CHANGES, ledgerAttributes } from '#lib/billing/balance-item.ts'
import { findInvoices } from '#lib/billing/invoice.ts'
import { type Allocation, allocationsText } from '#lib/billing/ledger/allocation.ts'
import { ledgerOfDocuments } from '#lib/billing/ledger/figures.ts'
import { figuresIn } from '#lib/billing/ledger/ledger-figures.ts'
import { allocationsOf, type Payment, payments } from '#lib/billing/payment.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { exactly, type Item } from '#lib/table/items.ts'
import { isUnder } from '#lib/table/keys.ts'
import { absentOrIs } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { CONCURRENT_DOCUMENTS, changeDocuments } from './change-documents.ts'
import { NO_REPAIR, type Repair } from './new-entries.ts'

/**
 * Lets the payments among these items say which parts pay which invoices, and counts what the accounts among
 * them owe. Writers count at the same time: an account that changes meanwhile is counted again.
 */
export async function countLedgers(store: Store, items: readonly Item[], dryRun: boolean): Promise<Repair[]> {
  const settings = await settingsOf(store)
  const found = items.filter(isUnder(payments.key)).map((item) => payments.read(item))
  const wanted = found.filter(isUnsaid)
  const counted = items.filter(isUnder(accounts.key)).map((item) => accounts.read(item))
  return [
    ...(await changeDocuments(store, payments, wanted, {
      counts: 'ledgers',
      dryRun,
      change: async (before) =>
        isUnsaid(before) ? { ...before, ...(await saidParts(store, settings, before)) } : undefined,
    })),
    ...(await pMap(counted, (account) => countOne(store, settings, account, dryRun), {
      concurrency: CONCURRENT_DOCUMENTS,
    })),
  ]
}

const ONE: Repair = { ledgers: 1 }

/** Earlier releases stored the part of a payment that pays its invoice in columns of its own. */
const isUnsaid = (payment: Payment): boolean =>
  payment.allocations === '' && allocationsOf(payment).length > 0

/** The columns of a payment whose part says its invoice's currency and its day. */
async function saidParts(store: Store, { Timezone }: Settings, payment: Payment) {
  const day = dayOf(payment.confirm_date ?? payment.date, Timezone)
  const parts = allocationsOf(payment)
  const found = await findInvoices(
    store,
    parts.map(({ id }) => id),
  )
  const said = parts.map(
    (part, index): Allocation => ({ ...part, day, currency: found[index]?.currency ?? '' }),
  )
  return {
    ...{ allocations: allocationsText(said) },
    ...{ invoice_amount: undefined, applied: undefined, applied_booked: undefined },
  }
}

const countOne = (
  store: Store,
  settings: Settings,
  { id, username }: WholeAccount,
  dryRun: boolean,
): Promise<Repair> =>
  retryingRaces(store, async () => {
    const key = balanceKey(id, 0)
    const item = (await store.get(key)) ?? {}
    const before = dryRun ? await ledgerOfDocuments(store, id) : {}
    const after = await ledgerOfDocuments(store, id, async (payment) =>
      isUnsaid(payment) ? { ...payment, ...(await saidParts(store, settings, payment)) } : payment,
    )
    const names = new Set([...ledgerAttributes(item), ...Object.keys(after)])
    const wrong = [...names].filter((name) => String(item[name] ?? '0') !== (after[name] ?? '0'))
    if (dryRun) {
      const [had, has] = [before, after].map((sums) => textOf(sums, settings))
      return wrong.length === 0 ? NO_REPAIR : { ...ONE, note: `${username}: before ${had}; after ${has}` }
    }
    if (wrong.length === 0) return NO_REPAIR
    const changes = item[LEDGER_CHANGES]
    const set = Object.fromEntries(wrong.map((name) => [name, exactly(after[name] ?? '0')]))
    await store.transact([
      {
        update: key,
        to: { set, add: { [LEDGER_CHANGES]: 1 } },
        when: { [LEDGER_CHANGES]: absentOrIs(changes ?? 0) },
      },
    ])
    return ONE
  })

const textOf = (sums: Item, settings: Settings): string =>
  figuresIn(sums, settings, undefined)
    .map(
      ({ currency, owed, open, unassigned }) =>
        `owed ${owed} ${currency}, open ${open}, unassigned ${unassigned}`,
    )
    .join(', ') || 'nothing'
