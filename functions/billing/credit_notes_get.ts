import { accountIn, pointerIn } from '#lib/api/loads.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { idParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { fullPrecision } from '#lib/base/money.ts'
import { documentScope, isOwnCustomer } from '#lib/base/scope.ts'
import { type CreditNote, creditNotes, listCreditNotes } from '#lib/billing/credit-note.ts'
import { findAt } from '#lib/table/entity.ts'
import { readFirstBatch, rowStream } from '#lib/xml/batches.ts'
import { element } from '#lib/xml/element.ts'
import { rowWriter } from '#lib/xml/row-writer.ts'

const contract = defineContract({
  name: 'credit_notes_get',
  aliases: ['credit_notes'],
  summary: 'One credit note, or the credit notes of one customer or of all in scope, by day of issue.',
  callers: { allowed: ['admin', 'reseller', 'accountant'], anonymous: 'Bad login' },
  params: { credit_note_id: idParam, user_id: idParam },
  hashOrders: [
    { signs: ['user_id'] },
    /** Signed by deployed clients. A credit_note_id overrides a user_id (wire.md credit_notes_get). */
    { signs: ['credit_note_id'], sent: ['credit_note_id'] },
  ],
  errors: { not_found: 'Credit note was not found' },
  envelope: 'page',
  access: 'read',
  streams: true,
  loads: { account: accountIn('user_id'), pointer: pointerIn(creditNotes, 'credit_note_id') },
})

export const method = defineMethod(contract, async (request) => {
  const notes = await readFirstBatch(listRequested(request))
  if (!notes) throw request.refuse('not_found')

  return element('credit_notes', rowStream(notes.all, noteRows))
})

export const handler = lambda(method)

/** A named credit note overrides a named customer. */
async function* listRequested({ caller, params, store, loaded }: RequestTo<typeof contract>) {
  if (params.credit_note_id !== undefined) {
    const note = await findAt(store, creditNotes, loaded.pointer)
    if (note && isOwnCustomer(caller, { id: note.user_id, owner_id: note.owner_id })) yield [note]
    return
  }
  const scope = documentScope(caller, params.user_id, loaded.account)
  if (scope) yield* listCreditNotes(store, scope)
}

const writeNotes = rowWriter('credit_note', [
  'user_id',
  'issue_date',
  'number',
  'comment',
  'price',
  'price_with_vat',
  'pay_date',
])

const noteRows = (notes: readonly CreditNote[]) =>
  writeNotes(
    notes.map((note) => ({
      ...note,
      price: fullPrecision(note.price),
      price_with_vat: fullPrecision(note.price_with_vat ?? note.price),
      pay_date: note.pay_date,
    })),
  )
