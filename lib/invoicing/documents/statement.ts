import { findWholeAccount, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { type Days, today } from '#lib/base/calendar.ts'
import { formatsIn, translator } from '#lib/base/language/language.ts'
import { ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { MOVEMENT_TEXTS, STATEMENT_TEXTS } from '#lib/billing/ledger/movement-kinds.ts'
import {
  type AccountStatement,
  accountStatements,
  MOST_LEDGER_DOCUMENTS,
} from '#lib/billing/ledger/movements.ts'
import { buyerOf, factsOf, sellerOf } from '../parties.ts'
import { findBrand } from './brand.ts'
import type { DocumentWords } from './document-facts.ts'
import { documentTexts } from './document-texts.ts'
import type { DocumentSource, PrintedDocument, PrintedRow } from './printed-document.ts'
import { type Rendered, renderedAs } from './rendered.ts'

/**
 * The statement of an account in all its currencies, by its present seller, and what it prints. Throws
 * Refusal for too many documents.
 */
export async function renderedStatement(
  source: DocumentSource & { readonly now: Date },
  account: WholeAccount,
  days: Days,
  format: 'pdf' | 'html',
): Promise<Rendered & { readonly printed: PrintedDocument }> {
  const { store, settings } = source
  const scope = { user: account.id, seller: account.owner_id }
  const statements = await accountStatements(store, settings, scope, days)
  if (!statements) {
    const values = { most: MOST_LEDGER_DOCUMENTS, report: 'statement', customer: account.username } as const
    throw new Refusal('too_many_documents', values)
  }
  const printed = await printedStatement(source, account, days, statements)
  const words = wordsOf(printed, statements)
  const file = renderedAs(printed, words, `${account.username}-${days.from}-${days.till}`, format)
  return { ...file, printed }
}

/** What a statement says of its parties, and its rows. */
async function printedStatement(
  { store, settings, now }: DocumentSource & { readonly now: Date },
  account: WholeAccount,
  period: Days,
  statements: readonly AccountStatement[],
): Promise<PrintedDocument> {
  const { id, username, owner_id } = account
  const seller = sellerOf(settings, await findWholeAccount(store, owner_id))
  const buyer = { ...buyerOf(account), id, username }
  const printable = { username, vat: ZERO, vatPercent: undefined, brand: '' }
  const { language, paper, currency } = factsOf(settings, { seller, buyer }, printable)
  return {
    ...{ kind: 'statement', language, paper, currency, seller, buyer, period },
    ...{ number: '', issued: today(now, settings.Timezone), due: undefined, corrects: [], comment: '' },
    brand: await findBrand(store, owner_id),
    rows: statements.flatMap((statement) => rowsOf(statement, language)),
    ...{ net: ZERO, vat: ZERO, gross: ZERO, vatPercent: undefined, vatCategory: 'S', noVatReason: '' },
    ...{ accounted: undefined, isPaid: false },
  }
}

/** Its sum is what an entry adds, its price what is owed then, its prefix the currency of both. */
function rowsOf(statement: AccountStatement, language: PrintedDocument['language']): PrintedRow[] {
  const { currency, opening, entries } = statement
  const text = translator(STATEMENT_TEXTS, language)
  const row = { prefix: currency, from: undefined, quantity: '1', unit: 'piece', time: '' } as const
  return [
    { ...row, name: text('owedBefore'), price: opening, sum: ZERO },
    ...entries.map(({ kind, number, day: from, owed: sum, after: price }) => ({
      ...{ ...row, name: `${text(MOVEMENT_TEXTS[kind])} ${number}`, from, price, sum },
    })),
  ]
}

function wordsOf(document: PrintedDocument, statements: readonly AccountStatement[]): DocumentWords {
  const { language, buyer, issued, period } = document
  const formats = formatsIn(language)
  const text = documentTexts(language)
  const words = translator(STATEMENT_TEXTS, language)
  const money = (amount: string | undefined, currency: string) =>
    amount === undefined ? '' : `${formats.amount(amount, currency)} ${currency}`
  return {
    ...{ text, formats, title: words('statement') },
    facts: [
      [text('issued'), formats.day(issued)],
      ...(period
        ? ([[text('days'), `${formats.day(period.from)} – ${formats.day(period.till)}`]] as const)
        : []),
      [text('customer'), `${buyer.username} (${buyer.id})`],
    ],
    columns: [
      { title: text('item'), isNumber: false, share: 44, cell: ({ name }) => name },
      { title: text('day'), isNumber: false, share: 20, cell: ({ from }) => (from ? formats.day(from) : '') },
      {
        ...{ title: text('sum'), isNumber: true, share: 18 },
        cell: ({ from, sum, prefix }) => (from ? money(sum, prefix) : ''),
      },
      {
        ...{ title: words('owedThen'), isNumber: true, share: 18 },
        cell: ({ price, prefix }) => money(price, prefix),
      },
    ],
    totals: statements.map(
      ({ currency, closing }) => [words('owedAtEnd'), money(closing, currency)] as const,
    ),
    closing: document.seller.bank.split('\n').filter((line) => line !== ''),
  }
}
