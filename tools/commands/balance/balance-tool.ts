import { setTimeout } from 'node:timers/promises'
import { totalOf } from '#lib/base/balance.ts'
import { type Day, secondsOf } from '#lib/base/calendar.ts'
import { isZero, type Money } from '#lib/base/money.ts'
import { adjustments } from '#lib/billing/adjustment.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { documentPages } from '#lib/billing/document.ts'
import { openInvoicesOf } from '#lib/billing/receivables.ts'
import { recordAdjustment } from '#lib/billing/told/record-adjustment.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { padded } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import type { Shown } from '../../command-line/listing.ts'
import { accountGone, findAccountNamed, findStoredAccountNamed } from '../../command-line/named.ts'
import { type Act, operatorOf, refuseRace } from '../../command-line/over-table.ts'
import { lastDay, refuseRepeated } from '../../command-line/repeated.ts'
import { CommandError, countOf } from '../../machine/terminal.ts'
import { openBalances } from './balance-opening.ts'

/** Keeps balances from a day on, or no more with a blank one. */
export async function changeBalanceDay(store: Store, day: Day, act: Act): Promise<string[]> {
  const who = await operatorOf(store, act)
  const changed = await openBalances(store, { day, who, clock: () => act.now, wait: setTimeout }).catch(
    refuseRace('Balance_From'),
  )
  return [
    `Balance_From = ${day}`,
    `${countOf(changed, 'row')} booked or taken back: calls, payments, adjustments and charges`,
  ]
}

/** The settings. Throws CommandError while no balances are kept. */
export async function settingsWithBalances(store: Store) {
  const settings = await settingsOf(store)
  if (settings.Balance_From !== '') return settings
  throw new CommandError(
    'Balance_From is blank, so no balances are kept: npx tollgate balance open --day DAY',
  )
}

/** The reason why a balance and the open invoices of an account differ. */
const OPEN_AND_BALANCE =
  'The balance is net, and counts calls, fees, payments and adjustments, invoiced or not'

export async function showBalance(store: Store, word: string): Promise<Shown> {
  const { Balance_From, Default_Currency } = await settingsWithBalances(store)
  const { id, username } = await findAccountNamed(store, word)
  const found = await findBalance(store, id)
  if (!found) throw accountGone(username)
  const { opening, paid, adjusted, charged, fees } = found.balance
  const balance = totalOf(found.balance)
  const open = await openInvoicesOf(store, id, Default_Currency)
  return {
    json: {
      id,
      username,
      balance,
      currency: Default_Currency,
      from: Balance_From,
      opening,
      paid,
      adjusted,
      charged,
      fees,
      open_invoices: open,
    },
    lines: [
      `${username}: ${balance} ${Default_Currency}`,
      `opening on ${Balance_From}: ${opening} ${Default_Currency}`,
      `paid: ${paid} ${Default_Currency}`,
      `adjusted: ${adjusted} ${Default_Currency}`,
      `charged: ${charged} ${Default_Currency}`,
      `fees: ${fees} ${Default_Currency}`,
      ...open.map((one) => `open invoices, with VAT: ${one.open} ${one.currency}`),
      ...(open.length > 0 ? [OPEN_AND_BALANCE] : []),
    ],
  }
}

interface AdjustmentOptions {
  readonly account: string
  readonly amount: Money
  readonly why: string
  /** Books it although an equal one was booked within a day. */
  readonly again?: boolean | undefined
}

export async function adjustBalance(
  store: Store,
  { account: word, amount, why, again }: AdjustmentOptions,
  act: Act,
): Promise<readonly string[]> {
  const settings = await settingsWithBalances(store)
  if (isZero(amount)) throw new CommandError('The amount is 0: an adjustment adds or takes an amount')
  if (why.trim() === '') throw new CommandError('The reason is blank: pass --why with words')
  const account = await findStoredAccountNamed(store, word)
  if (!again)
    await refuseRepeated(
      documentPages(store, adjustments, { scope: { user: account.id }, from: padded(lastDay(act.now).from) }),
      (one) => one.amount === amount,
      ({ id, who }) => `Adjustment ${id} of ${amount} ${settings.Default_Currency} by ${who}`,
    )
  const said = { amount, why: why.trim(), who: await operatorOf(store, act), date: secondsOf(act.now) }
  await recordAdjustment(store, account, said, { settings, rates: new Map() })
  const { lines } = await showBalance(store, account.username)
  return lines
}
