import type { Money } from '#lib/base/money.ts'
import { inMinorUnits } from '#lib/invoicing/amounts.ts'
import { CreditRefused, creditInvoice } from '#lib/invoicing/credit-invoice.ts'
import { inAuditLog } from '#lib/settings/audit-log.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { Shown } from '../../command-line/listing.ts'
import { findInvoiceNamed } from '../../command-line/named.ts'
import { type Act, operatorOf } from '../../command-line/over-table.ts'
import { CommandError } from '../../machine/terminal.ts'

interface CreditOptions {
  readonly invoice: string
  /** Its customer, if several sellers have given its number. */
  readonly customer?: string | undefined
  /** The numbers of rows; without them and an amount, the whole invoice. */
  readonly rows?: readonly number[] | undefined
  /** An amount without VAT. */
  readonly amount?: Money | undefined
  readonly why: string
  readonly dryRun?: boolean | undefined
}

/** Issues a credit note of an invoice, or shows what it would be. */
export async function addCreditNote(store: Store, wanted: CreditOptions, act: Act): Promise<Shown> {
  const { invoice: number, why, dryRun } = wanted
  if (why.trim() === '') throw new CommandError('The reason is blank: pass --why with words')
  const invoice = await findInvoiceNamed(store, number, wanted.customer)
  const settings = await settingsOf(store)
  const who = await operatorOf(store, act)
  const logged = (note: string) =>
    inAuditLog({
      at: act.now.toISOString(),
      who,
      action: `issued credit note ${note} of ${invoice.number}: ${why.trim()}`,
    })
  const credited = creditedOf(wanted)
  const request = { store, settings, now: act.now, invoiceId: invoice.id, credited, why: why.trim(), logged }
  const note = await creditInvoice({ ...request, isDryRun: dryRun ?? false }).catch((error: unknown) => {
    throw error instanceof CreditRefused ? new CommandError(error.message) : error
  })
  const currency = invoice.currency || settings.Default_Currency
  const [net, vat, gross] = [note.net, note.vat, note.gross].map((sum) => inMinorUnits(sum, currency))
  return {
    json: { number: note.number || null, invoice: invoice.number, net, vat, gross, currency },
    lines: [
      `${note.number || 'A credit note'} of ${invoice.number}: net ${net}, VAT ${vat}, gross ${gross} ${currency}`,
    ],
  }
}

function creditedOf({ rows, amount }: CreditOptions) {
  if (rows && amount !== undefined) throw new CommandError('Pass either --rows or --amount')
  if (rows) return { kind: 'rows', rows } as const
  return amount === undefined ? ({ kind: 'whole' } as const) : ({ kind: 'amount', net: amount } as const)
}
