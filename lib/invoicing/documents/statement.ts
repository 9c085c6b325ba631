import { findAccounts } from '#lib/accounts/account.ts'
import { findWholeAccount, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { displayName } from '#lib/base/account-types.ts'
import { type Day, type Days, today } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { formatsIn, type Translations, translator } from '#lib/base/language/language.ts'
import { add, type Money, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { AGES, type Ageing } from '#lib/billing/ledger/ageing.ts'
import { MOVEMENT_TEXTS, STATEMENT_TEXTS } from '#lib/billing/ledger/movement-kinds.ts'
import {
  type AccountStatement,
  accountStatements,
  MOST_LEDGER_DOCUMENTS,
} from '#lib/billing/ledger/movements.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import { buyerOf, factsOf, NO_BUYER, sellerOf } from '../parties.ts'
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
  const { id, username, owner_id } = account
  const buyer = { ...buyerOf(account), id, username }
  const issued = today(source.now, settings.Timezone)
  const list = await printedList(source, owner_id, buyer, { issued, period: days })
  const rows = statements.flatMap((statement) => rowsOf(statement, list.language))
  const printed = { ...list, rows }
  const words = wordsOf(printed, statements)
  const file = renderedAs(printed, words, `${username}-${days.from}-${days.till}`, format)
  return { ...file, printed }
}

/** A list that has no number and no sums, as its seller looks. */
async function printedList(
  { store, settings }: DocumentSource,
  owner: number,
  buyer: PrintedDocument['buyer'],
  { issued, period }: Pick<PrintedDocument, 'issued' | 'period'>,
): Promise<PrintedDocument> {
  const [brand, account] = await Promise.all([findBrand(store, owner), findWholeAccount(store, owner)])
  const seller = sellerOf(settings, account)
  const printable = { username: buyer.username, vat: ZERO, vatPercent: undefined, brand: '' }
  const { language, paper, currency } = factsOf(settings, { seller, buyer }, printable)
  return {
    ...{ kind: 'statement', language, paper, currency, seller, buyer, brand, issued, period, rows: [] },
    ...{ number: '', due: undefined, corrects: [], comment: '', accounted: undefined, isPaid: false },
    ...{ net: ZERO, vat: ZERO, gross: ZERO, vatPercent: undefined, vatCategory: 'S', noVatReason: '' },
  }
}

const PIECE = { quantity: '1', unit: 'piece', time: '' } as const

/** Its sum is what an entry adds, its price what is owed then, its prefix the currency of both. */
function rowsOf(statement: AccountStatement, language: PrintedDocument['language']): PrintedRow[] {
  const { currency, opening, entries } = statement
  const text = translator(STATEMENT_TEXTS, language)
  const row = { ...PIECE, prefix: currency, from: undefined }
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

const AGEING_TEXTS = {
  title: ['Open by age', 'Offene Posten nach Alter', 'Impayés par ancienneté', 'Pendiente por antigüedad'],
  owed: ['Owed', 'Offen', 'Dû', 'Debido'],
  unassigned: ['Unassigned', 'Nicht zugeordnet', 'Non affecté', 'Sin asignar'],
  currency: ['Currency', 'Währung', 'Devise', 'Divisa'],
  not_due: ['Not due', 'Nicht fällig', 'Non échu', 'No vencido'],
  '1_30': ['1 – 30 days', '1 – 30 Tage', '1 – 30 jours', '1 – 30 días'],
  '31_60': ['31 – 60 days', '31 – 60 Tage', '31 – 60 jours', '31 – 60 días'],
  '61_90': ['61 – 90 days', '61 – 90 Tage', '61 – 90 jours', '61 – 90 días'],
  over_90: ['Over 90 days', 'Über 90 Tage', 'Plus de 90 jours', 'Más de 90 días'],
} as const satisfies Record<string, Translations>

/** The debts of a seller's customers on a day, by age: a list for the seller. */
export async function renderedAgeing(
  source: DocumentSource,
  owner: number,
  day: Day,
  found: readonly Ageing[],
): Promise<Rendered> {
  const namesOf = batchedLookup(async (ids: readonly number[]) =>
    (await findAccounts(source.store, ids)).map((account) => account && displayName(account)),
  )
  const names = await namesOf(found.map(({ user_id }) => user_id))
  const aged = new Map(
    found.map((one): [PrintedRow, Ageing] => {
      const name = names.get(one.user_id) ?? String(one.user_id)
      return [{ ...PIECE, name, prefix: one.currency, from: undefined, price: undefined, sum: one.owed }, one]
    }),
  )
  const placeOf = ({ name, prefix }: PrintedRow): string => `${name}\0${prefix}`
  const rows = [...aged.keys()].sort((one, other) => ascending(placeOf(one), placeOf(other)))
  const nobody = { ...NO_BUYER, id: owner, username: '' }
  const printed = { ...(await printedList(source, owner, nobody, { issued: day, period: undefined })), rows }
  const formats = formatsIn(printed.language)
  const text = documentTexts(printed.language)
  const words = translator(AGEING_TEXTS, printed.language)
  const amount = (name: keyof typeof AGEING_TEXTS, amountOf: (one: Ageing) => Money) => ({
    ...{ title: words(name), isNumber: true, share: 13 },
    cell: (row: PrintedRow) => formats.amount(amountOf(aged.get(row) as Ageing), row.prefix),
  })
  const sums = [...Map.groupBy(rows, ({ prefix }) => prefix)].map(([currency, all]) => {
    const sum = add(ZERO, ...all.map(({ sum: owed }) => owed))
    return [words('owed'), `${formats.amount(sum, currency)} ${currency}`] as const
  })
  const columns = [
    { title: text('customer'), isNumber: false, share: 24, cell: ({ name }: PrintedRow) => name },
    { title: words('currency'), isNumber: false, share: 12, cell: ({ prefix }: PrintedRow) => prefix },
    amount('owed', ({ owed }) => owed),
    ...AGES.map(([age]) => amount(age, ({ ages }) => ages[age])),
    amount('unassigned', ({ unassigned }) => unassigned),
  ]
  const facts = [[text('day'), formats.day(day)]] as const
  const said = { text, formats, title: words('title'), facts, columns, totals: sums, closing: [] }
  return renderedAs(printed, said, `${said.title}-${day}`, 'pdf')
}
