import type { GivenTexts } from '#lib/acts/inputs.ts'
import { creditInvoice } from '#lib/invoicing/credit-invoice.ts'
import type { Store } from '#lib/table/store.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import type { TerminalAct } from '#tools/command-line/over-table.ts'

/** Issues a credit note of an invoice, or shows what it would be. */
export const addCreditNote = async (store: Store, given: GivenTexts, act: TerminalAct) =>
  (await carryOutAs(store, creditInvoice, act, given)).answer
