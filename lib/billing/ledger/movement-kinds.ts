import type { Translations } from '#lib/base/language/language.ts'

/** The kinds of changes of the debt of an account, in the order of a day: those that raise it come first. */
export const MOVEMENT_KINDS = [
  ...(['invoice', 'from_balance', 'credit_note', 'payment', 'refund', 'taken_back'] as const),
  ...(['write_off', 'conversion'] as const),
]

export type MovementKind = (typeof MOVEMENT_KINDS)[number]

/** The words of a statement, on the customer's page and in its file. */
export const STATEMENT_TEXTS = {
  statement: ['Statement', 'Kontoauszug', 'Relevé de compte', 'Extracto de cuenta'],
  owedBefore: ['Owed before', 'Vorher offen', 'Dû auparavant', 'Debido antes'],
  owedThen: ['Owed then', 'Danach offen', 'Dû ensuite', 'Debido después'],
  owedAtEnd: ['Owed at the end', 'Am Ende offen', 'Dû à la fin', 'Debido al final'],
  movedInvoice: ['Invoice', 'Rechnung', 'Facture', 'Factura'],
  movedFromBalance: [
    'Paid from the balance',
    'Aus dem Guthaben bezahlt',
    'Payé avec le solde',
    'Pagado con el saldo',
  ],
  movedCreditNote: ['Credit note', 'Rechnungskorrektur', 'Avoir', 'Factura rectificativa'],
  movedPayment: ['Payment', 'Zahlung', 'Paiement', 'Pago'],
  movedRefund: ['Refund', 'Rückzahlung', 'Remboursement', 'Reembolso'],
  movedTakenBack: ['Payment taken back', 'Zahlung zurückgenommen', 'Paiement annulé', 'Pago anulado'],
  movedWriteOff: ['Written off', 'Ausgebucht', 'Passé en perte', 'Dado de baja'],
  movedConversion: ['Conversion', 'Umrechnung', 'Conversion', 'Conversión'],
} as const satisfies Record<string, Translations>

export const MOVEMENT_TEXTS: Readonly<Record<MovementKind, keyof typeof STATEMENT_TEXTS>> = {
  invoice: 'movedInvoice',
  from_balance: 'movedFromBalance',
  credit_note: 'movedCreditNote',
  payment: 'movedPayment',
  refund: 'movedRefund',
  taken_back: 'movedTakenBack',
  write_off: 'movedWriteOff',
  conversion: 'movedConversion',
}
