import type { LedgerFigures } from '#lib/billing/ledger/ledger-figures.ts'

/** The debt of an account, a line for each currency. Amounts are with VAT. */
export const ledgerLines = (ledger: readonly LedgerFigures[]): string[] =>
  ledger.map(
    ({ currency, owed, open, unassigned }) =>
      `owed, with VAT: ${owed} ${currency} (open invoices ${open}, unassigned ${unassigned})`,
  )
