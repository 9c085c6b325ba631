import type { Command } from '@commander-js/extra-typings'
import type { LimitedScope } from '#lib/base/scope.ts'
import { listCreditNotes } from '#lib/billing/credit-note.ts'
import { assignCreditNote } from '#lib/billing/payments/assign-payment.ts'
import { unassignCreditNote } from '#lib/billing/payments/unassign-payment.ts'
import { inMinorUnits } from '#lib/invoicing/amounts.ts'
import { creditInvoice } from '#lib/invoicing/credit-invoice.ts'
import { sendCreditNote } from '#lib/invoicing/mails/send-acts.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { actCommand } from '../../command-line/act-commands.ts'
import { listAction } from '../../command-line/actions.ts'
import { type Listing, listFormat, listingOf } from '../../command-line/listing.ts'
import { withCustomers } from '../../command-line/named.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'
import { documentScopeOf } from '../invoices/month-tool.ts'

export function declare(command: Command): void {
  const notes = withTableOptions(command)
    .description('An issued invoice never changes: a credit note corrects it. docs/invoices.md explains it.')
    .addOption(ACTOR)
  actCommand(notes, 'add', creditInvoice, [], {
    shown: ({ number, ...note }) => ({
      json: { number, ...note },
      lines: [
        `${number ?? 'A credit note'} of ${note.invoice}: net ${note.net}, VAT ${note.vat}, gross ${note.gross} ${note.currency}`,
      ],
    }),
  })
  actCommand(notes, 'assign', assignCreditNote, ['note', 'invoices'])
  actCommand(notes, 'unassign', unassignCreditNote, ['note', 'invoice'])
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
