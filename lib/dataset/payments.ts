import { payments as kind, type Payment, paymentColumns } from '#lib/store/entities/payment.ts'
import { documentFile } from './document-file.ts'

export const payments = documentFile<Payment, Payment>({
  columns: paymentColumns,
  kind,
  stored: (row) => row,
})
