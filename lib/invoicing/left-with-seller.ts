import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { totalOf } from '#lib/base/balance.ts'
import { monthOf, today } from '#lib/base/calendar.ts'
import { isZero } from '#lib/base/money.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { findFigures } from '#lib/billing/ledger/figures.ts'
import { monthInWords } from './month.ts'
import type { MonthRun } from './month-run.ts'
import { monthsNotBilled } from './unbilled.ts'

/**
 * The unsettled rest of an account with its seller, with the remedy; `undefined` if it may go to another one.
 * It is read only where invoices or balances are kept here.
 */
export async function leftWithSeller(
  run: Pick<MonthRun, 'store' | 'settings' | 'now'>,
  account: WholeAccount,
): Promise<string | undefined> {
  const { store, settings, now } = run
  const { Invoices_From, Charged_From, Default_Currency, Timezone } = settings
  if (Invoices_From === '' && Charged_From === '') return undefined
  const month = monthOf(today(now, Timezone))
  const [first] = await monthsNotBilled(run, account, month)
  if (first) return `${monthInWords(first.month)} is not billed: issue it first`
  const figures = await findFigures(store, settings, account.id, account.owner_id)
  const due = figures.find(({ open }) => !isZero(open))
  if (due)
    return `${due.open} ${due.currency} of its invoices are open: record the payment or credit them first`
  const found = Charged_From === '' ? undefined : await findBalance(store, account.id)
  const balance = found && totalOf(found.balance)
  if (balance === undefined || isZero(balance)) return undefined
  return `its balance is ${balance} ${Default_Currency}: adjust it to 0 first`
}
