import { type Account, findAccounts } from '#lib/accounts/account.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { accountInput } from '#lib/acts/inputs.ts'
import { displayName } from '#lib/base/account-types.ts'
import { slices } from '#lib/base/collections.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { actsFor, isOwnCustomer } from '#lib/base/scope.ts'
import { onlyInvoice } from '#lib/billing/payment-of-invoice.ts'
import { findInvoicesOfNumber, type StoredInvoice } from '../invoice.ts'
import { MOST_AT_ONCE } from '../ledger/allocation.ts'
import { refuseOthersCustomer } from '../payments/payment-input.ts'
import {
  digestOfProposals,
  type MatchedRow,
  matchRows,
  type OpenQuestion,
  type RowAnswer,
} from './match-rows.ts'
import type { BankFile } from './read-bank-file.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly wrong_row_answer: { readonly answer: string }
  }
}

export interface BankPreview {
  readonly rows: readonly MatchedRow[]
  /** The customers that the rows name, by their ids. */
  readonly customers: ReadonlyMap<number, Account>
  /** The act's `agreed` takes this digest, and books nothing else. */
  readonly agreed: string
}

/** The rows of a file, and the proposed bookings. Writes nothing. Throws refused_file or Refusal. */
export async function previewBankFile(
  context: ActContext,
  file: BankFile,
  answers: readonly string[],
): Promise<BankPreview> {
  const { store, settings, actor } = context
  const seller = actsFor(actor)
  if (seller === undefined) throw new Refusal('not_permitted', { usertype: actor.usertype })
  const answered = new Map<number, RowAnswer>()
  for (const answer of answers) {
    const [, place = '', what = ''] = /^(\d{1,6})\s*=\s*(.+)$/s.exec(answer.trim()) ?? []
    if (what === '') throw new Refusal('wrong_row_answer', { answer })
    answered.set(Number(place), await answerOf(context, what, answer))
  }
  const matching = { store, settings, seller, answers: answered }
  const rows = await Array.fromAsync(matchRows(matching, file.rows()))
  const ids = [...new Set(rows.flatMap(customersOf))]
  const customers = new Map<number, Account>()
  for (const some of slices(ids, 100))
    for (const account of await findAccounts(store, some, 'eventual'))
      if (account) customers.set(account.id, account)
  return { rows, customers, agreed: digestOfProposals(rows) }
}

function customersOf({ proposal }: MatchedRow): readonly number[] {
  if (proposal.does === 'ask') return proposal.customers
  return 'customer' in proposal ? [proposal.customer] : []
}

async function answerOf(context: ActContext, what: string, answer: string): Promise<RowAnswer> {
  if (what === 'skip') return { skip: true }
  if (what.startsWith('@')) {
    const account = await accountInput('the customer').read(what.slice(1), 'row', context)
    refuseOthersCustomer(context, account, 'row')
    return { customer: account.id }
  }
  const invoices: StoredInvoice[] = []
  for (const number of what.split(',').map((one) => one.trim())) {
    const found = await findInvoicesOfNumber(context.store, number)
    const sold = found.filter(({ user_id: id, owner_id }) => isOwnCustomer(context.actor, { id, owner_id }))
    invoices.push(await onlyInvoice(context.store, sold, number, '', 'row'))
  }
  const [first] = invoices
  if (invoices.length > MOST_AT_ONCE || invoices.some(({ user_id }) => user_id !== first?.user_id))
    throw new Refusal('wrong_row_answer', { answer })
  return { invoices }
}

const QUESTIONS: Readonly<Record<OpenQuestion, string>> = {
  nobody: 'no invoice and no customer is recognised',
  several_customers: 'several customers may have paid it',
  paid: 'its invoice is paid already',
  more_than_open: 'it is more than is open of its invoices',
  amount_differs: 'its amount is not what is open',
  other_currency: 'its invoice is in another currency',
  unknown_currency: 'its currency is not certain, or has no exchange rate',
  batch: 'a batch without its payments: ask the bank to itemise it',
  return: 'a payment came back, and which one is not certain',
}

const BY = {
  number: 'by its number',
  reference: 'by its reference',
  payer: 'by payer and amount',
  answer: 'as you say',
}

/** The sentence about a row. */
export function describeProposal({ proposal }: MatchedRow, customers: BankPreview['customers']): string {
  const nameOf = (id: number) => {
    const account = customers.get(id)
    return account ? displayName(account) : `account ${id}`
  }
  switch (proposal.does) {
    case 'pay': {
      const whole = proposal.invoices.length > 0 ? `pays ${proposal.invoices.join(', ')} of` : 'is of'
      return `${whole} ${nameOf(proposal.customer)}${proposal.inPart ? ' in part' : ''}, ${BY[proposal.by]}`
    }
    case 'take back':
      return `takes back payment ${proposal.payment} of ${nameOf(proposal.customer)}`
    case 'booked':
      return `is booked, as payment ${proposal.payment}`
    case 'nothing':
      return { outgoing: 'is not a payment of a customer', skipped: 'is skipped', repeated: 'is repeated' }[
        proposal.why
      ]
    case 'ask': {
      const names = proposal.customers.map((id) => `@${customers.get(id)?.username ?? id}`)
      const likely = [...proposal.invoices, ...names].slice(0, 5)
      return `${QUESTIONS[proposal.why]}${likely.length > 0 ? ` (${likely.join(', ')}?)` : ''}`
    }
  }
}
