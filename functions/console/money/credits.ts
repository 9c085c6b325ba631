import { creditAnswer } from '#lib/api/console/answers/billing.ts'
import { ConsoleRefusal, invalidValue, unknownThing } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { amountValue, pathId, plainText, yesValue } from '#lib/api/console/values.ts'
import { isPositive, type Money } from '#lib/base/money.ts'
import { findInvoices } from '#lib/billing/invoice.ts'
import { inMinorUnits } from '#lib/invoicing/amounts.ts'
import { CreditRefused, creditInvoice } from '#lib/invoicing/credit-invoice.ts'

const credit = { id: pathId, amount: amountValue, why: plainText, 'dry-run': yesValue }

export const resource = defineResource({
  name: 'credits',
  access: 'write',
  operations: [
    operation('POST', '/documents/invoices/{id}/credit', {
      summary:
        'Issues a credit note of an invoice, for an amount without VAT or for all of it, and logs it. A dry run stores nothing.',
      callers: ['admin'],
      params: credit,
      answer: creditAnswer,
      run: (request) => creditOf(request),
    }),
  ],
})

export const handler = consoleLambda(resource)

async function creditOf({ store, settings, clock, params, logged }: ConsoleRequest<typeof credit>) {
  const { id, amount, why = '' } = params
  const isDryRun = params['dry-run'] === 'yes'
  const [invoice] = await findInvoices(store, [id])
  if (!invoice) throw unknownThing('invoice', id)
  if (why === '' && !isDryRun) throw invalidValue('why is blank: give the reason.')
  if (amount !== undefined && !isPositive(amount)) throw invalidValue('amount takes a number above 0.')
  const note = await creditInvoice({
    ...{ store, settings, now: clock(), invoiceId: id, why, isDryRun },
    credited: amount === undefined ? { kind: 'whole' } : { kind: 'amount', net: amount },
    logged: (number) => logged({ action: `issued credit note ${number} of ${invoice.number}: ${why}` }),
  }).catch((error: unknown) => {
    throw error instanceof CreditRefused ? new ConsoleRefusal('conflict', `${error.message}.`) : error
  })
  const currency = invoice.currency || settings.Default_Currency
  const inCurrency = (sum: Money) => inMinorUnits(sum, currency)
  return {
    ...{ number: note.number || null, invoice: invoice.number, currency },
    ...{ net: inCurrency(note.net), vat: inCurrency(note.vat), gross: inCurrency(note.gross) },
  }
}
