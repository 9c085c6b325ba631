import type { LedgerFigures } from '#lib/billing/ledger/ledger-figures.ts'

/** What an account owes, a line for each currency. Amounts are with VAT. */
export const ledgerLines = (ledger: readonly LedgerFigures[]): string[] =>
  ledger.map(
    ({ currency, owed, open, unassigned }) =>
      `owed, with VAT: ${owed} ${currency} (open invoices ${open}, unassigned ${unassigned})`,
  )
