import { defineAct } from '#lib/acts/act.ts'
import { accountInput, amountInput, choiceInput, optionalInput, textInput } from '#lib/acts/inputs.ts'
import { OWNERS } from '#lib/base/account-types.ts'
import { DAY_SECONDS, secondsOf } from '#lib/base/calendar.ts'
import { isZero } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { padded } from '#lib/table/keys.ts'
import { ADJUSTMENT_KINDS, adjustments, ofNoWriteOff } from '../adjustment.ts'
import { withBookedAmount } from '../booking.ts'
import { documentPages, newDocumentId } from '../document.ts'
import { watchBalances } from '../notifications/watched-balances.ts'
import { amountOf, refuseOthersCustomer } from './payment-input.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly no_balances: Record<never, never>
    readonly adjustment_of_0: Record<never, never>
  }
}

/** Adds an amount in the default currency to a balance, or takes it; the journal says who, when and why. */
export const adjustBalance = defineAct({
  summary: 'Adjust the balance of a customer by an amount in the default currency, for a reason',
  callers: OWNERS,
  input: {
    customer: accountInput('the customer'),
    amount: amountInput('the amount to add, or to take below 0'),
    why: textInput('the reason, shown in the journal'),
    kind: optionalInput(
      choiceInput(...ADJUSTMENT_KINDS)('what it is, with its account in Journal_Adjustments'),
    ),
  },
  run: async (context, { customer, amount: adjusted, why, kind = 'correction' }) => {
    const { store, settings, now, actor, lostRaces } = context
    refuseOthersCustomer(context, customer, 'customer')
    if (settings.Balance_From === '') throw new Refusal('no_balances', {})
    if (isZero(adjusted)) throw new Refusal('adjustment_of_0', {}, 'amount')
    const { id: user_id, owner_id, username } = customer
    const id = newDocumentId(now.getTime(), lostRaces)
    const said = {
      ...{ ...ofNoWriteOff, id, user_id, kind, amount: adjusted },
      ...{ why, who: actor.username, date: secondsOf(now) },
    }
    const row = withBookedAmount(said, undefined, { settings, rates: new Map() })
    const sum = amountOf({ amount: adjusted, currency: '' }, settings)
    return {
      changes: changesOf(adjustments, undefined, { ...row, owner_id }),
      answer: row,
      log: { action: `adjusted the balance of ${username} by ${sum}: ${why}` },
      afterwards: () => watchBalances({ store, settings, now }, [user_id]),
    }
  },
  repeats: async ({ store, settings, now }, { user_id, amount: adjusted }) => {
    const from = padded(secondsOf(now) - DAY_SECONDS + 1)
    for await (const page of documentPages(store, adjustments, { scope: { user: user_id }, from })) {
      const equal = page.find((one) => one.amount === adjusted)
      if (equal) return `Adjustment ${equal.id} of ${adjusted} ${settings.Default_Currency} by ${equal.who}`
    }
    return undefined
  },
})
