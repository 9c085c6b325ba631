import { findAccount } from '#lib/accounts/account.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { type Input, idIn, idInput, inputOf, optionalInput } from '#lib/acts/inputs.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { actsFor, isOwnCustomer, type Owned, seesEveryone } from '#lib/base/scope.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import { creditNotes, isNote, listCreditNotes, type StoredNote } from '../credit-note.ts'
import { findPaymentsOfBankRows, type Payment, payments, type StoredPayment } from '../payment.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly unknown_payment: { readonly payment: string }
    /** The owner of a customer alone records what the customer pays. */
    readonly customer_of_other: { readonly owner: number }
    readonly taken_back: { readonly payment: number; readonly by: number }
    readonly takes_back: { readonly payment: number; readonly other: number }
    readonly refunds_other: { readonly payment: number; readonly other: number }
    /** A row of a bank's statement is booked once. */
    readonly row_booked: { readonly payment: number }
    readonly unknown_credit_note: { readonly note: string }
  }
}

/** A payment of an own customer. A hidden payment is refused in the same words as a missing one. */
export const ownPayment: Input<StoredPayment> = {
  ...idInput('the id of the payment'),
  takes: 'id of a payment',
  read: async (text, name, context) => {
    const paymentId = idIn(text)
    const payment = paymentId === undefined ? undefined : await payments.find(context.store, paymentId)
    const isSeen = payment && (seesEveryone(context.actor) || isOwnCustomer(context.actor, ofPayer(payment)))
    if (!isSeen) throw new Refusal('unknown_payment', { payment: text }, name)
    refuseOthersCustomer(context, ofPayer(payment), name)
    return payment
  },
}

/** A credit note that the actor has issued: by its number where names are typed, otherwise by its id. */
export const issuedNote: Input<StoredNote> = {
  takes: 'number or id of a credit note',
  placeholder: 'NOTE',
  says: 'the credit note',
  isOptional: false,
  read: async (text, name, { store, actor, namesAreTyped }) => {
    const id = idIn(text)
    const found =
      (id === undefined ? undefined : await creditNotes.find(store, id)) ??
      (namesAreTyped ? await noteOfNumber(store, actsFor(actor) ?? actor.id, text) : undefined)
    if (found && isOwnCustomer(actor, ofPayer(found))) return found
    throw new Refusal('unknown_credit_note', { note: text }, name)
  },
}

async function noteOfNumber(store: Store, owner: number, number: string): Promise<StoredNote | undefined> {
  for await (const page of listCreditNotes(store, { owner })) {
    const note = page.find((one) => one.number.toLowerCase() === number.toLowerCase())
    if (note) return creditNotes.find(store, note.id)
  }
  return undefined
}

/** `payment 17` or `credit note C-2026-1`, as the log and messages name what pays. */
export const payerText = (payer: StoredPayment): string =>
  isNote(payer) ? `credit note ${payer.note.number}` : `payment ${payer.id}`

/** The row of a bank's statement that a payment is. */
export const bankRow = optionalInput(
  inputOf('text of 1 to 64 letters and digits', 'ROW', (text) =>
    /^[A-Za-z0-9]{1,64}$/.test(text) ? text : undefined,
  )("the row of a bank's statement that it is, which is booked once"),
)

export async function refuseBookedRow(
  { store }: ActContext,
  owner_id: number,
  row: string | undefined,
): Promise<void> {
  const [payment] = row === undefined ? [] : await findPaymentsOfBankRows(store, owner_id, [row])
  if (payment !== undefined) throw new Refusal('row_booked', { payment }, 'bank_row')
}

const ofPayer = ({ user_id: id, owner_id }: Pick<StoredPayment, 'user_id' | 'owner_id'>): Owned => ({
  id,
  owner_id,
})

/** Refuses to record something for a customer of another owner, whom the actor may only see. */
export function refuseOthersCustomer({ actor }: ActContext, customer: Owned, field?: string): void {
  if (!isOwnCustomer(actor, customer))
    throw new Refusal('customer_of_other', { owner: customer.owner_id }, field)
}

/** A payment that was taken back, takes back another one or refunds it, stays as it is. */
export function refuseTakenBack({ id, takes_back, taken_back_by, refunds }: Payment): void {
  if (refunds !== undefined) throw new Refusal('refunds_other', { payment: id, other: refunds }, 'payment')
  if (taken_back_by !== undefined)
    throw new Refusal('taken_back', { payment: id, by: taken_back_by }, 'payment')
  if (takes_back !== undefined) throw new Refusal('takes_back', { payment: id, other: takes_back }, 'payment')
}

/** An amount with its currency, as the log and messages name it. */
export const amountOf = (
  { amount, currency }: Pick<Payment, 'amount' | 'currency'>,
  { Default_Currency }: Pick<Settings, 'Default_Currency'>,
): string => `${amount} ${currency || Default_Currency}`

/** The username of a payment's customer, or its id if the account is gone. */
export async function payerName({ store }: Pick<ActContext, 'store'>, { user_id }: Payment): Promise<string> {
  const account = await findAccount(store, user_id)
  return account?.username ?? `account ${user_id}`
}
