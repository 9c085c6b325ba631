import { createSum, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Item } from '#lib/table/items.ts'
import { ledgerAttribute, ledgerAttributes } from '../balance-item.ts'

/** The debt of a customer in a currency, with VAT: open amounts of invoices, less unassigned ones. */
export interface LedgerFigures {
  readonly currency: string
  /** Negative if the customer has paid too much. */
  readonly owed: Money
  readonly open: Money
  /** The part of the customer's payments and credits that no invoice has. */
  readonly unassigned: Money
}

/** The figures that an account's balance holds, by currency; of one seller, or of all. */
export function figuresIn(
  item: Item,
  { Default_Currency }: Pick<Settings, 'Default_Currency'>,
  wanted: number | undefined,
): LedgerFigures[] {
  const sums = createLedger()
  for (const name of ledgerAttributes(item)) {
    const { isOpen, seller, currency } = ledgerAttribute(name)
    if (wanted !== undefined && seller !== wanted) continue
    const amount = String(item[name])
    sums.add(
      currency || Default_Currency,
      isOpen ? { owed: ZERO, open: amount } : { owed: amount, open: ZERO },
    )
  }
  return sums
    .figures()
    .filter(({ owed, open }) => !isZero(owed) || !isZero(open))
    .sort((one, other) => (one.currency < other.currency ? -1 : 1))
}

/** Adds up entries by currency. */
export function createLedger() {
  const sums = new Map<string, { readonly owed: Sum; readonly open: Sum }>()
  return {
    add: (currency: string, { owed, open }: { readonly owed: Money; readonly open: Money }): void => {
      const sum = sums.get(currency) ?? { owed: createSum(), open: createSum() }
      sums.set(currency, sum)
      sum.owed.add(owed)
      sum.open.add(open)
    },
    figures: (): LedgerFigures[] =>
      [...sums].map(([currency, sum]) => {
        const [owed, open] = [sum.owed.total(), sum.open.total()]
        return { currency, owed, open, unassigned: subtract(open, owed) }
      }),
  }
}

type Sum = ReturnType<typeof createSum>
