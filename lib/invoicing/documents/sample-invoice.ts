import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { addDays, type Day, firstOfMonth } from '#lib/base/calendar.ts'
import { languageIn } from '#lib/base/language/language.ts'
import { add, multiply } from '#lib/base/money.ts'
import { ofNoKind } from '#lib/billing/invoice-product.ts'
import { numberFormatsOf } from '#lib/billing/number-formats.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { daysOfMonth } from '../month.ts'
import { type Party, sellerOf } from '../parties.ts'
import { rowNameOf } from '../row-names.ts'
import { vatCategoryOf } from '../vat-category.ts'
import type { Brand } from './brand.ts'
import type { PrintedDocument } from './printed-document.ts'

const CUSTOMER: Party = {
  ...{ name: 'Example customer', address: '1 Example Street\n10000 Example', vat_number: '', bank: '' },
  ...{ street: '1 Example Street', city: 'Example', postcode: '10000', region: '', contact: '' },
  ...{ telephone: '', email: '', electronic_address: '', legal_number: '' },
  country: '',
}

const ROWS = [
  { kind: 'calls', destination: 'Germany', quantity: '120', time: '05:12:00', sum: '31.20' },
  { kind: 'calls', destination: 'United Kingdom mobile', quantity: '14', time: '00:41:00', sum: '12.30' },
  { kind: 'charges', destination: '', quantity: '1', time: '', sum: '15.00' },
] as const

const VAT_PERCENT = '20'

/** An invoice of the month before, made up, as the seller's would look. */
export function sampleInvoice(
  settings: Settings,
  owner: WholeAccount | undefined,
  brand: Brand,
  issued: Day,
): PrintedDocument {
  const seller = sellerOf(settings, owner)
  const country = seller.country
  const buyer = {
    ...CUSTOMER,
    country,
    prepaid: false,
    itemised: false,
    reference: '',
    order_number: '',
  } as const
  const language = languageIn(owner ? owner.language : settings.Language) ?? 'en'
  const net = add(...ROWS.map(({ sum }) => sum))
  const vat = settings.No_VAT_Reason === '' || owner ? multiply(net, '0.2') : '0'
  const month = addDays(firstOfMonth(issued), -1).slice(0, 7)
  return {
    ...{ kind: 'invoice', language, issued, seller, brand, net, vat, corrects: [], comment: '' },
    number: numberFormatsOf(settings, owner)
      .invoice.replaceAll('{year}', issued.slice(0, 4))
      .replaceAll('{n}', '1'),
    due: addDays(issued, settings.Payment_Days ?? 0),
    period: daysOfMonth(month),
    buyer: { ...buyer, language, id: 10, username: 'example' },
    currency: settings.Default_Currency,
    rows: ROWS.map((row) => ({
      name: rowNameOf({ ...ofNoKind, name: '', ...row }, month, language),
      ...{ prefix: '', from: undefined, price: undefined },
      ...{ quantity: row.quantity, unit: row.time === '' ? 'piece' : 'call', time: row.time, sum: row.sum },
    })),
    gross: add(net, vat),
    vatPercent: vat === '0' ? '0' : VAT_PERCENT,
    vatCategory: vatCategoryOf({ vat, vatPercent: vat === '0' ? '0' : VAT_PERCENT, seller, buyer }),
    noVatReason: vat === '0' ? settings.No_VAT_Reason : '',
    accounted: undefined,
    isPaid: false,
    paper: settings.Document_Paper === 'Letter' ? 'Letter' : 'A4',
  }
}
