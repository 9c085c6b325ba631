import { findWholeAccount, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { monthOf, today } from '#lib/base/calendar.ts'
import { type Translations, translator } from '#lib/base/language/language.ts'
import { isZero } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { chargesToPreview } from '../charges-of.ts'
import { daysOfMonth, type Month, monthInWords } from '../month.ts'
import { openMonth } from '../month-customers.ts'
import { readCustomerMonth } from '../month-run.ts'
import { buyerOf, factsOf, sellerOf } from '../parties.ts'
import { rowNameOf } from '../row-names.ts'
import { findBrand } from './brand.ts'
import { documentWords } from './document-facts.ts'
import { type DocumentSource, type PrintedDocument, printedRow } from './printed-document.ts'
import { type Rendered, renderedAs } from './rendered.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** `month` in words. The number is blank for a month without anything to bill. */
    readonly month_billed: { readonly month: string; readonly customer: string; readonly number: string }
  }
}

const TEXTS = {
  draft: ['DRAFT', 'ENTWURF', 'BROUILLON', 'BORRADOR'],
  says: [
    'This is not an invoice. It shows what would be billed if the month ended now.',
    'Dies ist keine Rechnung. Es zeigt, was berechnet würde, wenn der Monat jetzt endete.',
    "Ceci n'est pas une facture. Il montre ce qui serait facturé si le mois se terminait maintenant.",
    'Esto no es una factura. Muestra lo que se facturaría si el mes terminara ahora.',
  ],
} as const satisfies Record<string, Translations>

/**
 * The draft of a month of an account, by default of the running one, without a number and without how to
 * pay. It stores and charges nothing. Throws Refusal for a month that cannot be billed.
 */
export async function renderedDraft(
  source: DocumentSource & { readonly now: Date },
  account: WholeAccount,
  format: 'pdf' | 'html',
  month?: Month,
): Promise<Rendered> {
  const printed = await printedDraft(source, account, month)
  const text = translator(TEXTS, printed.language)
  const words = documentWords(printed)
  const said = { ...words, title: text('draft'), closing: [...words.closing, text('says')] }
  return renderedAs(
    printed,
    said,
    `${text('draft')}-${account.username}-${printed.period?.till ?? printed.issued}`,
    format,
  )
}

async function printedDraft(
  { store, settings, now }: DocumentSource & { readonly now: Date },
  account: WholeAccount,
  month: Month | undefined,
): Promise<PrintedDocument> {
  const { id, username, owner_id } = account
  const issued = today(now, settings.Timezone)
  const billed = month ?? monthOf(issued)
  const { from, till } = daysOfMonth(billed)
  const run = await openMonth(store, {
    ...{ month: billed, owner_id, now, chargesOf: chargesToPreview, isDraft: true },
    ...{ suspended: new Map(), isDespiteSuspense: true },
  })
  const { done, refusal, draft, terms } = await readCustomerMonth(run, account)
  if (done)
    throw new Refusal(
      'month_billed',
      { month: monthInWords(billed), customer: username, number: done.number ?? '' },
      'month',
    )
  if (refusal) throw refusal
  const seller = sellerOf(settings, await findWholeAccount(store, owner_id))
  const buyer = { ...buyerOf(account), id, username }
  const { currency, vat_percent: vatPercent } = terms
  const { net, vat, gross, products } = draft
  const facts = factsOf(settings, { seller, buyer }, { username, vat, vatPercent, brand: '' })
  const { language, vatCategory, noVatReason, paper } = facts
  return {
    ...{ kind: 'statement', language, paper, currency, seller, buyer, issued, net, vat, gross, vatPercent },
    ...{
      number: '',
      due: undefined,
      period: { from, till: till < issued ? till : issued },
      corrects: [],
      comment: '',
    },
    ...{ vatCategory, noVatReason: isZero(vat) ? noVatReason : '', accounted: undefined, isPaid: false },
    brand: await findBrand(store, owner_id),
    rows: products.map((product) => printedRow(product, currency, (one) => rowNameOf(one, billed, language))),
  }
}
