import type { Command } from '@commander-js/extra-typings'
import { listOwnerIds } from '#lib/accounts/account.ts'
import { type Done, defineAct } from '#lib/acts/act.ts'
import { accountInput, optionalInput } from '#lib/acts/inputs.ts'
import { Refusal } from '#lib/base/refusal.ts'
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
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { carryOutAs } from '../../command-line/act-commands.ts'
import { listAction } from '../../command-line/actions.ts'
import { type Listing, listFormat, listingOf, listingText, printText } from '../../command-line/listing.ts'
import { findAccountNamed, withCustomers } from '../../command-line/named.ts'
import {
  ACTOR,
  changeByActs,
  overTable,
  type TerminalAct,
  withTableOptions,
} from '../../command-line/over-table.ts'
import { printNote } from '../../machine/terminal.ts'

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
      const over = options.dryRun ? overTable : changeByActs
      const { as, ...table } = charges.opts()
      return over(table, async (store) => {
        const { listing, uncharged, refused } = await chargeNow(store, options, { as, now: new Date() })
        for await (const text of listingText(listing, format)) printText(text)
        for (const note of [...uncharged, ...refused]) printNote(note)
        return refused.length > 0 ? 1 : 0
      })
    })
  charges
    .command('list')
    .description('list the charges of all accounts, or of one, by period')
    .option('--customer <NAME>', 'only those of this account')
    .addOption(listFormat())
    .action(listAction((store, { customer }) => listStoredCharges(store, customer)))
}

interface ChargesOptions {
  readonly customer?: string | undefined
  readonly dryRun?: boolean | undefined
}

/** Account by account. */
type FoundCharges = readonly AccountCharges[]

/** It does what AWS and npm start do by the hour. */
export const makeCharges = defineAct({
  summary: 'Make the charges that are due now, each once',
  permission: 'settings',
  input: { customer: optionalInput(accountInput('only the subscriptions of this account')) },
  run: async ({ store, settings, now }, { customer }): Promise<Done<FoundCharges>> => {
    const run = chargingRun(store, settings, now)
    return {
      async *steps() {
        const found: AccountCharges[] = []
        let made = 0
        for await (const one of customer ? [chargeAccount(run, customer.id)] : chargeEveryone(run)) {
          found.push(one)
          made += one.charges.length
          yield made > 0 ? { logs: 'made charges of subscriptions (interrupted)' } : 'nothing charged'
        }
        const did = made > 0 ? `made ${countOf(made, 'charge')} of subscriptions` : undefined
        return { answer: found, did }
      },
    }
  },
})

function chargingRun(store: Store, settings: Settings, now: Date): ChargingRun {
  if (settings.Charges_From === '') throw new Refusal('charges_off', {})
  return { store, settings, now }
}

/** Makes the charges that are due, or only finds them. */
export async function chargeNow(
  store: Store,
  { customer, dryRun }: ChargesOptions,
  act: TerminalAct,
): Promise<Pick<AccountCharges, 'uncharged' | 'refused'> & { readonly listing: Listing }> {
  const settings = await settingsOf(store)
  const found = dryRun
    ? await dueCharges(chargingRun(store, settings, act.now), customer)
    : (await carryOutAs(store, makeCharges, act, { customer })).answer
  return {
    listing: await chargesListing(
      store,
      found.map(({ charges }) => charges),
      settings.Default_Currency,
    ),
    uncharged: found.flatMap(({ uncharged }) => uncharged),
    refused: found.flatMap(({ refused }) => refused),
  }
}

async function dueCharges(run: ChargingRun, customer: string | undefined): Promise<FoundCharges> {
  if (customer === undefined) return Array.fromAsync(chargeEveryone(run, true))
  return [await dueChargesOf(run, (await findAccountNamed(run.store, customer)).id)]
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
  pages: AsyncIterable<readonly NewCharge[]> | Iterable<readonly NewCharge[]>,
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
