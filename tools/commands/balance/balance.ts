import { setTimeout } from 'node:timers/promises'
import type { Command } from '@commander-js/extra-typings'
import { totalOf } from '#lib/base/balance.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { countOf } from '#lib/base/text.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { figuresOf } from '#lib/billing/ledger/figures.ts'
import { adjustBalance } from '#lib/billing/payments/adjust-balance.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { actCommand } from '../../command-line/act-commands.ts'
import { showAction } from '../../command-line/actions.ts'
import { ledgerLines } from '../../command-line/ledger-lines.ts'
import { type Shown, shownFormat } from '../../command-line/listing.ts'
import { accountGone, findAccountNamed } from '../../command-line/named.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'
import { closeBalances, openBalances } from './balance-opening.ts'

export function declare(command: Command): void {
  const balance = withTableOptions(command)
    .description(
      'The balance of an account is its opening balance, plus payments and adjustments, less the prices of its calls, all since the day \
Balance_From. docs/balances.md explains it.',
    )
    .addOption(ACTOR)
  const shown = { shown: changedRows }
  actCommand(balance, 'open', openBalances(setTimeout), [], shown)
  actCommand(balance, 'close', closeBalances(setTimeout), [], shown)
  balance
    .command('show <account>')
    .description('show the balance of an account')
    .addOption(shownFormat())
    .action(showAction((store, account) => showBalance(store, account)))
  actCommand(balance, 'adjust', adjustBalance, ['customer', 'amount'])
}

const changedRows = (json: { readonly changed: number }): Shown => ({
  json,
  lines: [`${countOf(json.changed, 'row')} booked or taken back: calls, payments, adjustments and charges`],
})

/** The settings. Throws Refusal while no balances are kept. */
export async function settingsWithBalances(store: Store) {
  const settings = await settingsOf(store)
  if (settings.Balance_From !== '') return settings
  throw new Refusal('no_balances', {})
}

/** The reason why a balance and what an account owes differ. */
const OWED_AND_BALANCE =
  'The balance is net, and counts calls, fees, payments and adjustments, invoiced or not'

export async function showBalance(store: Store, word: string): Promise<Shown> {
  const settings = await settingsWithBalances(store)
  const { Balance_From, Default_Currency } = settings
  const { id, username } = await findAccountNamed(store, word)
  const found = await findBalance(store, id)
  if (!found) throw accountGone(username)
  const { opening, paid, adjusted, charged, fees } = found.balance
  const balance = totalOf(found.balance)
  const ledger = await figuresOf(store, settings, { id, item: found.item })
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
      ledger,
    },
    lines: [
      `${username}: ${balance} ${Default_Currency}`,
      `opening on ${Balance_From}: ${opening} ${Default_Currency}`,
      `paid: ${paid} ${Default_Currency}`,
      `adjusted: ${adjusted} ${Default_Currency}`,
      `charged: ${charged} ${Default_Currency}`,
      `fees: ${fees} ${Default_Currency}`,
      ...ledgerLines(ledger),
      ...(ledger.length > 0 ? [OWED_AND_BALANCE] : []),
    ],
  }
}
