import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { addDays, today } from '#lib/base/calendar.ts'
import type { Money } from '#lib/base/money.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import { type CreditNote, listCreditNotes } from '#lib/billing/credit-note.ts'
import { inMinorUnits } from '#lib/invoicing/amounts.ts'
import { CreditRefused, creditInvoice } from '#lib/invoicing/credit-invoice.ts'
import { sendCreditNote } from '#lib/invoicing/mails/send-acts.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { actCommand } from '../../command-line/act-commands.ts'
import { changeAction, listAction } from '../../command-line/actions.ts'
import { amountArgument } from '../../command-line/arguments.ts'
import { type Listing, listFormat, listingOf, type Shown, shownFormat } from '../../command-line/listing.ts'
import { findInvoiceNamed, withCustomers } from '../../command-line/named.ts'
import { ACTOR, openLog, type TerminalAct, withTableOptions } from '../../command-line/over-table.ts'
import { CommandError } from '../../machine/terminal.ts'
import { documentScopeOf } from '../invoices/month-tool.ts'

function rowsArgument(text: string): readonly number[] {
  if (/^[1-9]\d{0,8}(,[1-9]\d{0,8})*$/.test(text)) return text.split(',').map(Number)
  throw new InvalidArgumentError('Use the numbers of rows, with commas between them: 1,3.')
}

export function declare(command: Command): void {
  const notes = withTableOptions(command)
    .description('An issued invoice never changes: a credit note corrects it. docs/invoices.md explains it.')
    .addOption(ACTOR)
  notes
    .command('add')
    .description(
      'credit an invoice: all of it, which opens its month again, some of its rows, or an amount without VAT',
    )
    .requiredOption('--invoice <NUMBER>', 'the invoice')
    .option('--customer <ACCOUNT>', 'its customer, if several sellers have given this number')
    .option('--seller <ACCOUNT>', 'its seller, if the customer had another one before')
    .option('--rows <ROWS>', 'the numbers of rows, as invoices show prints them (1,3)', rowsArgument)
    .option('--amount <AMOUNT>', 'an amount without VAT, for goodwill', amountArgument)
    .requiredOption('--why <TEXT>', 'the reason, which the customer reads')
    .option('--again', 'credit a part although an equal one was credited within a day')
    .option('--dry-run', 'only show what would be credited')
    .addOption(shownFormat())
    .action(changeAction((store, act, options) => addCreditNote(store, options, act)))
  actCommand(notes, 'send', sendCreditNote, ['note'])
  notes
    .command('list')
    .description('list credit notes by day of issue, with the invoices that they correct')
    .option('--customer <ACCOUNT>', 'the only customer')
    .option('--seller <ACCOUNT>', 'the reseller or partner whose customers are credited (default: admin)')
    .addOption(listFormat())
    .action(
      listAction(async (store, options) => creditNotesListing(store, await documentScopeOf(store, options))),
    )
}

export async function creditNotesListing(store: Store, scope: LimitedScope): Promise<Listing> {
  const { Default_Currency } = await settingsOf(store)
  async function* notes() {
    for await (const note of withCustomers(store, listCreditNotes(store, scope))) {
      const { number, customer, issue_date: issued, invoices, price: net, comment: why } = note
      const currency = note.currency || Default_Currency
      const gross = inMinorUnits(note.price_with_vat ?? net, currency)
      yield { number, customer, issued, invoices, net: inMinorUnits(net, currency), gross, currency, why }
    }
  }
  return listingOf(store, 'credit note', notes(), {
    ...{ number: 'text', customer: 'text', issued: 'text', invoices: 'text' },
    ...{ net: 'number', gross: 'number', currency: 'text', why: 'text' },
  })
}

interface CreditOptions {
  readonly invoice: string
  /** Its customer, if several sellers have given its number. */
  readonly customer?: string | undefined
  readonly seller?: string | undefined
  readonly rows?: readonly number[] | undefined
  readonly amount?: Money | undefined
  readonly why: string
  readonly dryRun?: boolean | undefined
  /** Credits a part although an equal one was credited within a day. */
  readonly again?: boolean | undefined
}

/** Issues a credit note of an invoice, or shows what it would be. */
export async function addCreditNote(store: Store, wanted: CreditOptions, act: TerminalAct): Promise<Shown> {
  const { invoice: number, why, dryRun } = wanted
  if (why.trim() === '') throw new CommandError('The reason is blank: pass --why with words')
  const invoice = await findInvoiceNamed(store, number, wanted.customer, wanted.seller)
  const settings = await settingsOf(store)
  const log = await openLog(store, act)
  const logged = (note: string) => log(`issued credit note ${note} of ${invoice.number}: ${why.trim()}`)
  const credited = creditedOf(wanted)
  const request = { store, settings, now: act.now, invoiceId: invoice.id, credited, why: why.trim(), logged }
  const credit = (isDryRun: boolean) =>
    creditInvoice({ ...request, isDryRun }).catch((error: unknown) => {
      throw error instanceof CreditRefused ? new CommandError(error.message) : error
    })
  if (credited.kind !== 'whole' && !dryRun && !wanted.again)
    await refuseRepeated(
      listCreditNotes(
        store,
        { user: invoice.user_id },
        { from: addDays(today(act.now, settings.Timezone), -1) },
      ),
      await isEqualTo(invoice.number, credit(true)),
      (equal) => `Credit note ${equal.number} of ${equal.price} for ${invoice.number}`,
    )
  const note = await credit(dryRun ?? false)
  const currency = invoice.currency || settings.Default_Currency
  const [net, vat, gross] = [note.net, note.vat, note.gross].map((sum) => inMinorUnits(sum, currency))
  return {
    json: { number: note.number || null, invoice: invoice.number, net, vat, gross, currency },
    lines: [
      `${note.number || 'A credit note'} of ${invoice.number}: net ${net}, VAT ${vat}, gross ${gross} ${currency}`,
    ],
  }
}

const isEqualTo = async (invoice: string, drafted: Promise<{ readonly net: Money }>) => {
  const { net } = await drafted
  return ({ invoices, price }: CreditNote) => invoices === invoice && price === net
}

function creditedOf({ rows, amount }: CreditOptions) {
  if (rows && amount !== undefined) throw new CommandError('Pass either --rows or --amount')
  if (rows) return { kind: 'rows', rows } as const
  return amount === undefined ? ({ kind: 'whole' } as const) : ({ kind: 'amount', net: amount } as const)
}

/** Refuses a document that equals a stored one: a command whose answer is lost is run again. */
async function refuseRepeated<T>(
  stored: AsyncIterable<readonly T[]>,
  isEqual: (one: T) => boolean,
  nameOf: (one: T) => string,
): Promise<void> {
  for await (const page of stored) {
    const equal = page.find(isEqual)
    if (equal === undefined) continue
    throw new CommandError(`${nameOf(equal)} was recorded within a day: pass --again to record another one`)
  }
}
