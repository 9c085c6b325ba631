import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { defineAct } from '#lib/acts/act.ts'
import { accountInput, monthInput, optionalInput } from '#lib/acts/inputs.ts'
import { MANAGERS, ownsCustomers } from '#lib/base/account-types.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT, actsFor } from '#lib/base/scope.ts'
import { absent, is } from '#lib/table/requests/changes.ts'
import { addMonths, isMonthOver } from '../month.ts'
import { closedMonthKey, findClosedTill, journalMonthKey, readJournalMonth } from './entry.ts'
import { numberEntries, requirePosted } from './number-entries.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly month_not_over: { readonly month: string }
    readonly month_closed: { readonly month: string; readonly till: string }
    readonly earlier_month_open: { readonly month: string }
    readonly no_seller: { readonly account: string }
  }
}

/**
 * Closes a past month of a seller. The first one closes all before it, later ones follow in order. Whatever
 * belongs into it later is posted on the first open day.
 */
export const closeMonth = defineAct({
  summary: 'Close a past month of the journal to further postings',
  callers: MANAGERS,
  input: {
    month: monthInput('the month, the first one that is open'),
    seller: optionalInput(accountInput('the reseller or partner whose journal it is (default: your own)')),
  },
  run: async ({ store, settings, now, actor }, { month, seller }) => {
    if (seller && !ownsCustomers(seller))
      throw new Refusal('no_seller', { account: seller.username }, 'seller')
    const id = seller ? sellerId(seller) : (actsFor(actor) ?? actor.id)
    if (!isMonthOver(month, now, settings.Timezone)) throw new Refusal('month_not_over', { month }, 'month')
    const closed = await findClosedTill(store, id)
    if (closed !== undefined && month <= closed)
      throw new Refusal('month_closed', { month, till: closed }, 'month')
    await requirePosted(store)
    // Entries posted before the act get their numbers here; the act's own transaction only locks them.
    await numberEntries({ store, settings }, id, month)
    const open = closed === undefined ? month : addMonths(closed, 1)
    if (open < month) throw new Refusal('earlier_month_open', { month: open }, 'month')
    const { last } = readJournalMonth(await store.get(journalMonthKey(id, month)))
    const of = seller ? ` of ${seller.username}` : ''
    return {
      changes: [
        {
          put: { ...closedMonthKey(id), till: month },
          when: { till: closed === undefined ? absent : is(closed) },
        },
      ],
      answer: { month, seller: id, entries: last, open_from: `${addMonths(month, 1)}-01` },
      log: { action: `closed ${month} of the journal${of}: ${last} entries` },
    }
  },
})

/** Admins sell as account 0. */
export const sellerId = ({ id, usertype }: Pick<WholeAccount, 'id' | 'usertype'>): number =>
  usertype === 'admin' ? ADMIN_ACCOUNT : id
