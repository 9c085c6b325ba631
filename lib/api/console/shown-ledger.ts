import { fixed, niceDigits } from '#lib/base/money.ts'
import { actsFor, seesEveryone } from '#lib/base/scope.ts'
import { findFigures } from '#lib/billing/ledger/figures.ts'
import type { ConsoleRequest } from './resource.ts'

/** The amount an account owes in each currency. A reseller sees its own documents, others see all. */
export async function shownLedger(
  { store, settings, caller }: Pick<ConsoleRequest, 'store' | 'settings' | 'caller'>,
  id: number,
) {
  const seller = seesEveryone(caller) ? undefined : actsFor(caller)
  const figures = await findFigures(store, settings, id, seller)
  const shown = (amount: string) => fixed(amount, niceDigits(settings))
  return figures.map(({ currency, owed, open, unassigned }) => ({
    ...{ currency, owed: shown(owed), open: shown(open), unassigned: shown(unassigned) },
  }))
}
