import type { Command } from '@commander-js/extra-typings'
import { listOwnerIds } from '#lib/accounts/account.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import { countOf } from '#lib/base/text.ts'
import { listCharges } from '#lib/billing/charges/charge.ts'
import type { NewCharge } from '#lib/billing/charges/charge-plan.ts'
import {
  type AccountCharges,
  type ChargingRun,
  chargeAccount,
  chargeEveryone,
  dueChargesOf,
} from '#lib/billing/charges/charge-run.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { listAction } from '../../command-line/actions.ts'
import { type Listing, listFormat, listingOf, listingText, printText } from '../../command-line/listing.ts'
import { findAccountNamed, withCustomers } from '../../command-line/named.ts'
import {
  ACTOR,
  changeTable,
  openLog,
  overTable,
  type TerminalAct,
  withTableOptions,
} from '../../command-line/over-table.ts'
import { CommandError, printNote } from '../../machine/terminal.ts'

export function declare(command: Command): void {
  const charges = withTableOptions(command)
    .description(
      'Subscriptions are charged by the hour in AWS and by npm start, if Charges_From is set (docs/balances.md).',
    )
    .addOption(ACTOR)
  charges
    .command('run')
    .description(
      'make the charges that are due now, each once. Exit code 1: some subscriptions could not be charged',
    )
    .option('--customer <NAME>', 'only the subscriptions of this account')
    .option('--dry-run', 'list what would be charged, and write nothing')
    .addOption(listFormat())
    .action(({ format, ...options }) => {
      const { as, ...table } = charges.opts()
      const over = options.dryRun ? overTable : changeTable
      return over(table, (store) => run(() => chargeNow(store, options, { as, now: new Date() }), format))
    })
  charges
    .command('list')
    .description('list the charges of all accounts, or of one, by period')
    .option('--customer <NAME>', 'only those of this account')
    .addOption(listFormat())
    .action(listAction((store, { customer }) => listStoredCharges(store, customer)))
}

type Started = ReturnType<typeof chargeNow>

/** Prints the charges while they are made, then the subscriptions that were not charged. */
async function run(start: () => Started, format: Parameters<typeof listingText>[1]): Promise<number> {
  const { listing, notes } = await start()
  for await (const text of listingText(listing, format)) printText(text)
  const { uncharged, refused } = notes()
  for (const note of [...uncharged, ...refused]) printNote(note)
  return refused.length > 0 ? 1 : 0
}

interface ChargesOptions {
  readonly customer?: string | undefined
  readonly dryRun?: boolean | undefined
}

/** The uncharged subscriptions, once the rows of the list are read. */
type Uncharged = Pick<AccountCharges, 'uncharged' | 'refused'>

/** Makes the charges that are due, or only finds them, while the rows of the list are read. */
export async function chargeNow(
  store: Store,
  options: ChargesOptions,
  act: TerminalAct,
): Promise<{ readonly listing: Listing; readonly notes: () => Uncharged }> {
  const settings = await settingsOf(store)
  if (settings.Charges_From === '')
    throw new CommandError(
      'Charges_From is blank, so nothing is charged: npx tollgate settings set Charges_From DAY --as USERNAME',
    )
  const run = { store, settings, now: act.now }
  const found =
    options.customer === undefined ? chargeEveryone(run, options.dryRun) : ofOne(store, run, options)
  const notes = { uncharged: [] as string[], refused: [] as string[] }
  const log = options.dryRun ? undefined : await openLog(store, act)
  async function* pages() {
    let made = 0
    for await (const { charges, uncharged, refused } of found) {
      made += charges.length
      notes.uncharged.push(...uncharged)
      notes.refused.push(...refused)
      yield charges
    }
    if (log && made > 0) await store.transact([log(`made ${countOf(made, 'charge')} of subscriptions`)])
  }
  return { listing: await chargesListing(store, pages(), settings.Default_Currency), notes: () => notes }
}

async function* ofOne(
  store: Store,
  run: ChargingRun,
  { customer = '', dryRun }: ChargesOptions,
): AsyncGenerator<AccountCharges> {
  const { id } = await findAccountNamed(store, customer)
  yield await (dryRun ? dueChargesOf : chargeAccount)(run, id)
}

/** The stored charges, by owner, period and subscription. */
export async function listStoredCharges(store: Store, customer: string | undefined): Promise<Listing> {
  const { Default_Currency } = await settingsOf(store)
  const scopes: LimitedScope[] =
    customer === undefined
      ? (await listOwnerIds(store)).map((owner) => ({ owner }))
      : [{ user: (await findAccountNamed(store, customer)).id }]
  async function* pages() {
    for (const scope of scopes) yield* listCharges(store, scope)
  }
  return chargesListing(store, pages(), Default_Currency)
}

const chargesListing = (
  store: Store,
  pages: AsyncIterable<readonly NewCharge[]>,
  currency: string,
): Promise<Listing> =>
  listingOf(store, 'charge', withCustomers(store, pages), {
    customer: 'text',
    subscription: ['number', ({ subscription_id }) => subscription_id],
    service: ['text', ({ memo }) => memo],
    from: 'text',
    till: 'text',
    charged: ['text', ({ date }) => date],
    quantity: 'number',
    net: 'number',
    currency: ['text', (charge) => charge.currency || currency],
    amount: 'number',
  })
