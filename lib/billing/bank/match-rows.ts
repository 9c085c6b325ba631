import { findAccounts } from '#lib/accounts/account.ts'
import { type AccountText, listTexts } from '#lib/accounts/account-text.ts'
import { foldedWords } from '#lib/accounts/name-search.ts'
import { DAY_SECONDS, periodOfDay } from '#lib/base/calendar.ts'
import { inBatches, memoize, paired } from '#lib/base/collections.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { add, isLessThan, isPositive, isZero, type Money, round, subtract, ZERO } from '#lib/base/money.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { isSameCurrency } from '#lib/rates/sheets/numbers.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import { findForEach } from '#lib/table/requests/query.ts'
import type { Store } from '#lib/table/store.ts'
import { openBooks } from '../booking.ts'
import { findIdsOfNumber, findInvoices, newestInvoices, type StoredInvoice } from '../invoice.ts'
import { openAmount } from '../invoice-payment.ts'
import { MOST_AT_ONCE } from '../ledger/allocation.ts'
import { findNumberFormats } from '../number-formats.ts'
import {
  findPaymentsOfBankRows,
  grossOfPayment,
  listPayments,
  listPaymentsOfInvoice,
  type Payment,
} from '../payment.ts'
import { type BankRow, RETURNED } from './bank-row.ts'
import {
  type NumberForm,
  type NumberGuess,
  numberForm,
  numbersInText,
  numbersOfReference,
  wordsInText,
} from './invoice-numbers.ts'

/** Why a person has to say what a row is. */
export type OpenQuestion =
  | 'nobody'
  | 'several_customers'
  | 'paid'
  | 'more_than_open'
  | 'amount_differs'
  | 'other_currency'
  | 'unknown_currency'
  | 'batch'
  | 'return'

/** The proposal for a row. Only the first two book something. */
export type Proposal =
  | {
      readonly does: 'pay'
      readonly customer: number
      /** The numbers of the invoices, in the order in which it pays them; none leaves it unassigned. */
      readonly invoices: readonly string[]
      readonly by: 'number' | 'reference' | 'payer' | 'answer'
      /** It is less than what is open of them. */
      readonly inPart?: true
    }
  | { readonly does: 'take back'; readonly customer: number; readonly payment: number }
  | {
      readonly does: 'ask'
      readonly why: OpenQuestion
      readonly customers: readonly number[]
      readonly invoices: readonly string[]
    }
  | { readonly does: 'nothing'; readonly why: 'outgoing' | 'skipped' | 'repeated' }
  | { readonly does: 'booked'; readonly payment: number }

export interface MatchedRow {
  readonly row: BankRow
  readonly proposal: Proposal
}

/** A person's answer for a row, by its place. */
export type RowAnswer =
  | { readonly skip: true }
  | { readonly customer: number }
  | { readonly invoices: readonly StoredInvoice[] }

export interface Matching {
  readonly store: Store
  readonly settings: Settings
  /** Whose invoices the rows pay. */
  readonly seller: number
  readonly answers: ReadonlyMap<number, RowAnswer>
}

const ROWS_AT_ONCE = 64

/** Proposes what each row is, in the order of the file: an earlier row leaves less of an invoice open. */
export async function* matchRows(
  matching: Matching,
  rows: AsyncIterable<BankRow>,
): AsyncGenerator<MatchedRow> {
  const { store, seller, answers } = matching
  const matcher: Matcher = {
    ...matching,
    form: numberForm((await findNumberFormats(store, matching.settings, seller)).invoice),
    // Many rows have the same names and counts.
    idsOfNumber: memoize(async (number: string) =>
      number.length > LONGEST_NUMBER ? [] : findIdsOfNumber(store, number),
    ),
    idsOfPayer: memoize((payer: string) => findIdsOfPayer(matching, payer)),
    ...{ left: new Map(), undone: new Set(), currencies: new Map() },
  }
  const seen = new Set<string>()
  for await (const batch of inBatches(rows, ROWS_AT_ONCE)) {
    const ids = batch.map(({ id }) => id)
    const booked = await findPaymentsOfBankRows(store, seller, ids)
    const open = batch.filter(
      (row, index) => booked[index] === undefined && !answers.has(row.place) && isPayment(row),
    )
    const evidence = new Map((await evidenceFor(matcher, open)).map((one) => [one.row, one]))
    for (const [index, row] of batch.entries()) {
      const payment = booked[index]
      if (seen.has(row.id)) yield { row, proposal: { does: 'nothing', why: 'repeated' } }
      else if (payment !== undefined) yield { row, proposal: { does: 'booked', payment } }
      else yield { row, proposal: await proposalFor(matcher, row, evidence.get(row)) }
      seen.add(row.id)
    }
  }
}

/** Whether a row is booked once it is agreed to. */
export const booksSomething = ({ proposal: { does } }: MatchedRow): boolean =>
  does === 'pay' || does === 'take back'

/** The digest of the proposed bookings of a preview. The same digest means the same bookings. */
export const digestOfProposals = (rows: readonly MatchedRow[]): string =>
  hexDigest(
    rows
      .map(({ row, proposal }) => {
        if (proposal.does === 'take back') return `${row.id} back ${proposal.payment}`
        return proposal.does === 'pay' ? `${row.id} ${proposal.customer} ${proposal.invoices.join(' ')}` : ''
      })
      .filter((line) => line !== '')
      .join('\n'),
  ).slice(0, 32)

interface Evidence {
  readonly row: BankRow
  readonly by: 'number' | 'reference'
  readonly invoices: readonly {
    readonly invoice: StoredInvoice
    readonly certainty: NumberGuess['certainty']
  }[]
  /** Accounts of the seller that have all words of the payer's name. */
  readonly payers: readonly number[]
}

/** The matching of one file. */
interface Matcher extends Matching {
  readonly form: NumberForm
  /** The ids of the invoices of a number, and of the accounts whose texts begin with a word of a payer. */
  readonly idsOfNumber: (number: string) => Promise<number[]>
  readonly idsOfPayer: (payer: string) => Promise<number[]>
  /** The open amounts of invoices after earlier rows have paid them. */
  readonly left: Map<number, Money>
  /** Payments that earlier rows take back. */
  readonly undone: Set<number>
  readonly currencies: Map<string, boolean>
}

/** Incoming and returned payments, also those of which only the text says that they came back. */
const isPayment = ({ isCredit, isReturn, amount, text }: BankRow): boolean =>
  !isZero(amount) && (isCredit || isReturn || RETURNED.test(text))

/** As the document prints it: an imported one may have more decimals. */
const leftOf = ({ left }: Matcher, invoice: StoredInvoice): Money =>
  left.get(invoice.id) ?? round(openAmount(invoice), minorDigits(invoice.currency))

function answeredBy(matcher: Matcher, answer: RowAnswer, row: BankRow): Proposal {
  if ('skip' in answer) return { does: 'nothing', why: 'skipped' }
  if ('customer' in answer) return { does: 'pay', customer: answer.customer, invoices: [], by: 'answer' }
  return paying(matcher, answer.invoices, row, 'answer')
}

// Evidence

/** The evidence in rows: the first of a reference, a whole number and a likely one that finds an invoice. */
async function evidenceFor(matcher: Matcher, rows: readonly BankRow[]): Promise<Evidence[]> {
  const { form } = matcher
  const guesses = new Map(
    rows.map((row) => [row, numbersInText([row.text, ...row.ids].join(' \n '), form, row.day)]),
  )
  const byReference = await evidenceBy(matcher, 'reference', rows, ({ references }) =>
    references.flatMap((reference) => numbersOfReference(reference, form)),
  )
  const [referred, others] = partition(byReference)
  const byNumber = await evidenceBy(matcher, 'number', others, (row) =>
    (guesses.get(row) ?? []).filter(({ certainty }) => certainty === 'whole'),
  )
  const [named, unnamed] = partition(byNumber)
  const payers = await findPayers(matcher, unnamed)
  const likely = await evidenceBy(matcher, 'number', unnamed, (row) => {
    // A count alone counts for a known payer only.
    const isKnown = (payers.get(row) ?? []).length > 0
    const some = (guesses.get(row) ?? []).filter(({ certainty }) =>
      isKnown ? certainty !== 'whole' : certainty === 'part',
    )
    return [...some, ...wordsInText(row.text)]
  })
  return [...referred, ...named, ...likely.map((one) => ({ ...one, payers: payers.get(one.row) ?? [] }))]
}

/** Those that lead to an invoice, and the rows of the others. */
const partition = (all: readonly Evidence[]): [Evidence[], BankRow[]] => [
  all.filter(({ invoices }) => invoices.length > 0),
  all.filter(({ invoices }) => invoices.length === 0).map(({ row }) => row),
]

/** The invoices that rows name, read together. */
async function evidenceBy(
  { store, seller, idsOfNumber }: Matcher,
  by: Evidence['by'],
  rows: readonly BankRow[],
  guessesOf: (row: BankRow) => readonly NumberGuess[],
): Promise<Evidence[]> {
  const guesses = rows.map(guessesOf)
  const numbers = [...new Set(guesses.flat().map(({ number }) => number))]
  const ids = new Map(paired(numbers, await findForEach(numbers, idsOfNumber)))
  const known = await batchedLookup((some) => findInvoices(store, some))(
    [...ids.values()].flatMap((some) => some ?? []),
  )
  return rows.map((row, index) => {
    const found = (guesses[index] ?? []).flatMap(({ number, certainty }) =>
      (ids.get(number) ?? []).flatMap((id) => {
        const invoice = known.get(id)
        return invoice?.owner_id === seller ? [{ invoice, certainty }] : []
      }),
    )
    const isFirst = ({ invoice }: Evidence['invoices'][number], at: number) =>
      found.findIndex((one) => one.invoice.id === invoice.id) === at
    return { row, by, invoices: found.filter(isFirst), payers: [] }
  })
}

const LONGEST_NUMBER = 60

/** Forms of companies, and words of salutation, which names of accounts often leave out. */
const NOT_OF_A_NAME = new Set(
  'gmbh ag kg ohg ug se ltd llc inc plc bv nv sa sarl srl sp zoo z o co und and et herr frau mr mrs dr'.split(
    ' ',
  ),
)

const MOST_TEXTS = 60

/** The accounts of the seller that have all words of the names of rows' payers. */
async function findPayers(
  { store, seller, idsOfPayer }: Matcher,
  rows: readonly BankRow[],
): Promise<Map<BankRow, number[]>> {
  const ids = await findForEach(rows, ({ payer }) => idsOfPayer(payer))
  const accounts = await batchedLookup((some) => findAccounts(store, some, 'eventual'))(ids.flat())
  return new Map(
    rows.map((row, index) => [row, (ids[index] ?? []).filter((id) => accounts.get(id)?.owner_id === seller)]),
  )
}

async function findIdsOfPayer({ store, seller }: Matching, payer: string): Promise<number[]> {
  const words = foldedWords(payer.slice(0, 140)).filter((word) => !NOT_OF_A_NAME.has(word))
  const [longest = ''] = words.toSorted((one, other) => other.length - one.length)
  if (longest.length < 3 || words.length > 6) return []
  const owner = seller === ADMIN_ACCOUNT ? undefined : seller
  const wanted = { owner, beginning: longest, after: undefined, pageSize: MOST_TEXTS }
  const pages = listTexts(store, wanted)
  const page: readonly AccountText[] = (await pages.next()).value ?? []
  // Another account beyond the page may have the same name.
  if (!(await pages.next()).done) return []
  const hasName = ({ texts }: AccountText) =>
    words.every((word) => texts.some((text) => text.split(' ').includes(word)))
  return [...new Set(page.filter(hasName).map(({ id }) => id))].slice(0, 10)
}

/** An answer about money that left the account tells which payment came back. */
const evidenceOf = (answer: Exclude<RowAnswer, { readonly skip: true }>, row: BankRow): Evidence => {
  const [invoices, payers] = 'invoices' in answer ? [answer.invoices, []] : [[], [answer.customer]]
  return { row, by: 'number', invoices: invoices.map((invoice) => ({ invoice, certainty: 'whole' })), payers }
}

// Proposals

async function proposalFor(
  matcher: Matcher,
  row: BankRow,
  evidence: Evidence | undefined,
): Promise<Proposal> {
  const answer = matcher.answers.get(row.place)
  if (answer && (row.isCredit || 'skip' in answer)) return answeredBy(matcher, answer, row)
  if (answer) return takenBackBy(matcher, evidenceOf(answer, row))
  if (!evidence) return { does: 'nothing', why: 'outgoing' }
  if (row.isReturn && !row.isCredit) return takenBackBy(matcher, evidence)
  if (row.isReturn || !row.isCredit) return asking('return', evidence)
  if (row.batchOf !== undefined) return asking('batch', evidence)
  if (!(await isKnownCurrency(matcher, row))) return asking('unknown_currency', evidence)
  return byNumber(matcher, evidence) ?? (await byPayer(matcher, evidence))
}

const asking = (why: OpenQuestion, { invoices, payers }: Pick<Evidence, 'invoices' | 'payers'>): Proposal => {
  const likely = invoices.filter(({ certainty }) => certainty !== 'count').map(({ invoice }) => invoice)
  return {
    ...{ does: 'ask', why },
    customers: [...new Set([...likely.map(({ user_id }) => user_id), ...payers])],
    invoices: likely.map(({ number }) => number),
  }
}

const currencyOf = ({ settings }: Matching, currency: string): string =>
  currency === '' ? settings.Default_Currency : currency

async function isKnownCurrency(matcher: Matcher, { currency, sign }: BankRow) {
  const { store, settings, currencies } = matcher
  if (sign !== undefined && !isSameCurrency(sign, currencyOf(matcher, currency))) return false
  const own = currency === settings.Default_Currency ? '' : currency
  const known = currencies.get(own) ?? (await openBooks(store, settings, [{ currency: own }])).rates.has(own)
  currencies.set(own, known)
  return known
}

/** By the invoices that the row names; `undefined` if it names none. */
function byNumber(matcher: Matcher, evidence: Evidence): Proposal | undefined {
  const { row, by } = evidence
  const named = mostCertain(matcher, evidence)
  if (named.length === 0) return undefined
  const open = named.filter((invoice) => !isZero(leftOf(matcher, invoice)))
  const why = obstacleTo(matcher, open, row)
  if (why !== undefined) return asking(why, evidence)
  const rest = subtract(sumLeft(matcher, open), row.amount)
  if (isPositive(subtract(ZERO, rest))) return asking('more_than_open', evidence)
  const isWhole = evidence.invoices.some(({ certainty }) => certainty === 'whole')
  if ((!isWhole || open.length > MOST_AT_ONCE) && !isZero(rest)) return asking('amount_differs', evidence)
  return paying(matcher, open, row, by)
}

/** A count alone may be anything: it means an invoice of this amount, of an account with this name. */
function mostCertain(matcher: Matcher, { row, invoices, payers }: Evidence): StoredInvoice[] {
  const of = (wanted: NumberGuess['certainty']) =>
    invoices.filter(({ certainty }) => certainty === wanted).map(({ invoice }) => invoice)
  const [named] = [of('whole'), of('part')].filter((some) => some.length > 0)
  const isLikely = (invoice: StoredInvoice) =>
    isZero(subtract(leftOf(matcher, invoice), row.amount)) && payers.includes(invoice.user_id)
  return named ?? of('count').filter(isLikely)
}

function obstacleTo(
  matching: Matching,
  open: readonly StoredInvoice[],
  row: BankRow,
): OpenQuestion | undefined {
  const [first] = open
  if (!first) return 'paid'
  if (open.some(({ user_id }) => user_id !== first.user_id)) return 'several_customers'
  const own = currencyOf(matching, row.currency)
  return open.some(({ currency }) => currencyOf(matching, currency) !== own) ? 'other_currency' : undefined
}

const sumLeft = (matcher: Matcher, invoices: readonly StoredInvoice[]): Money =>
  add(ZERO, ...invoices.map((invoice) => leftOf(matcher, invoice)))

/** The payment takes what is left of the invoices, in their order. */
function paying(
  matcher: Matcher,
  invoices: readonly StoredInvoice[],
  { amount }: BankRow,
  by: 'number' | 'reference' | 'payer' | 'answer',
): Proposal {
  const inPart = isLessThan(amount, sumLeft(matcher, invoices)) && ({ inPart: true } as const)
  let rest = amount
  for (const invoice of invoices) {
    const open = leftOf(matcher, invoice)
    const part = isLessThan(rest, open) ? rest : open
    matcher.left.set(invoice.id, subtract(open, part))
    rest = subtract(rest, part)
  }
  return {
    ...{ does: 'pay', by, customer: invoices[0]?.user_id ?? ADMIN_ACCOUNT },
    ...{ invoices: invoices.map(({ number }) => number), ...inPart },
  }
}

const NEWEST = 24

/** By the name of the payer and the amount: of one customer one invoice is open with it, or all together. */
async function byPayer(matcher: Matcher, evidence: Evidence): Promise<Proposal> {
  const { row, payers } = evidence
  const [customer, ...others] = payers
  if (customer === undefined) return asking('nobody', evidence)
  if (others.length > 0) return asking('several_customers', evidence)
  const { store, seller } = matcher
  const newest = await newestInvoices(store, { scope: { user: customer, seller }, count: NEWEST })
  const own = currencyOf(matcher, row.currency)
  const open = (newest as StoredInvoice[])
    .filter((one) => !isZero(leftOf(matcher, one)) && currencyOf(matcher, one.currency) === own)
    .toSorted((one, other) => (one.issue_date < other.issue_date ? -1 : 1))
  const paid = ofAmount(matcher, open, row.amount)
  if (paid.length > 0) return paying(matcher, paid, row, 'payer')
  const invoices = open.map((invoice) => ({ invoice, certainty: 'part' as const }))
  return asking('amount_differs', { invoices, payers })
}

/** The only one of these invoices with this amount, or all of them if they have it together. */
function ofAmount(matcher: Matcher, open: readonly StoredInvoice[], amount: Money): readonly StoredInvoice[] {
  const fitting = open.filter((one) => isZero(subtract(leftOf(matcher, one), amount)))
  if (fitting.length === 1) return fitting
  const isAll = open.length <= MOST_AT_ONCE && isZero(subtract(sumLeft(matcher, open), amount))
  return isAll ? open : []
}

/** A direct debit comes back within eight weeks, an unauthorised one within 13 months. */
const RETURNED_WITHIN_SECONDS = 400 * DAY_SECONDS

/** The payment that came back: one of this amount, of an invoice or a payer that the row names. */
async function takenBackBy(matcher: Matcher, evidence: Evidence): Promise<Proposal> {
  const { row, payers } = evidence
  const { store, settings, seller } = matcher
  const named = evidence.invoices.filter(({ certainty }) => certainty !== 'count')
  const ofInvoices = await Promise.all(named.map(({ invoice }) => listPaymentsOfInvoice(store, invoice)))
  const till = periodOfDay(row.day, settings.Timezone).till
  const ofPayers: Payment[] = []
  if (named.length === 0)
    for (const user of payers.slice(0, 2))
      for await (const page of listPayments(
        store,
        { user, seller },
        { from: till - RETURNED_WITHIN_SECONDS, till },
      ))
        ofPayers.push(...page)
  const amount = row.original ?? row.amount
  const own = currencyOf(matcher, row.currency)
  const all = [...ofInvoices.flat(), ...ofPayers].filter(
    (one) =>
      one.completed &&
      [one.taken_back_by, one.takes_back, one.refunds].every((other) => other === undefined) &&
      isZero(subtract(grossOfPayment(one), amount)) &&
      currencyOf(matcher, one.currency) === own &&
      !matcher.undone.has(one.id),
  )
  const found = all.filter((one, index) => all.findIndex(({ id }) => id === one.id) === index)
  const ofId = found.filter(({ transaction_id }) => row.ids.includes(transaction_id))
  const [payment, ...others] = ofId.length > 0 ? ofId : found
  if (!payment || others.length > 0) return asking('return', evidence)
  matcher.undone.add(payment.id)
  return { does: 'take back', customer: payment.user_id, payment: payment.id }
}
