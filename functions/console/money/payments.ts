import { actOperation } from '#lib/api/console/act-operation.ts'
import { billedRowMaker, paymentRow } from '#lib/api/console/billed-rows.ts'
import { type ConsoleRequest, defineResource } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { type Payment, type StoredPayment, unassignedOf } from '#lib/billing/payment.ts'
import { adjustBalance } from '#lib/billing/payments/adjust-balance.ts'
import { assignCreditNote, assignPayment } from '#lib/billing/payments/assign-payment.ts'
import { confirmPayment } from '#lib/billing/payments/confirm-payment.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { refundPayment } from '#lib/billing/payments/refund-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { unassignCreditNote, unassignPayment } from '#lib/billing/payments/unassign-payment.ts'
import { writeOffInvoice } from '#lib/billing/payments/write-off.ts'
import { creditInvoice } from '#lib/invoicing/credit-invoice.ts'
import { noteBounce, sendCreditNote, sendInvoice } from '#lib/invoicing/mails/send-acts.ts'

async function showPayment(request: ConsoleRequest, payment: Payment) {
  const unnamed = paymentRow(payment, request.settings)
  const toRow = await billedRowMaker(request, [unnamed])
  return { payment: toRow(unnamed) }
}

const credited = {
  show: async (_request: ConsoleRequest, note: StoredPayment) => ({
    number: note.transaction_id,
    unassigned: unassignedOf(note),
  }),
}

const answered = { show: showPayment }

export const resource = defineResource({
  name: 'payments',
  access: 'write',
  operations: [
    actOperation('POST', '/payments', recordPayment, answered),
    actOperation('POST', '/payments/{payment}/confirm', confirmPayment, answered),
    actOperation('POST', '/payments/{payment}/assign', assignPayment, answered),
    actOperation('POST', '/payments/{payment}/unassign', unassignPayment, answered),
    actOperation('POST', '/payments/{payment}/refund', refundPayment, answered),
    actOperation('POST', '/payments/{payment}/take-back', takeBackPayment, answered),
    actOperation('POST', '/documents/invoices/{invoice}/write-off', writeOffInvoice),
    actOperation('POST', '/documents/invoices/{invoice}/credit', creditInvoice),
    actOperation('POST', '/documents/invoices/{invoice}/send', sendInvoice),
    actOperation('POST', '/documents/credit-notes/{note}/send', sendCreditNote),
    actOperation('POST', '/documents/credit-notes/{note}/assign', assignCreditNote, credited),
    actOperation('POST', '/documents/credit-notes/{note}/unassign', unassignCreditNote, credited),
    actOperation('POST', '/documents/invoices/{invoice}/bounced', noteBounce),
    actOperation('POST', '/adjustments', adjustBalance, {
      show: async (_request, { id, user_id, amount }) => ({ id, customer: user_id, amount }),
    }),
  ],
})

export const handler = consoleLambda(resource)
