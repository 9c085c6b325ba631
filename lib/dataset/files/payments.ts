import { payments as kind, type Payment, paymentColumns } from '#lib/store/billing/payment.ts'
import { documentFile } from './document-file.ts'

export const payments = documentFile<Payment, Payment>({
  columns: paymentColumns,
  kind,
  stored: (row) => row,
})
