import { add, subtract } from '#lib/base/money.ts'
import { holdsKey, readHold, readHolds } from '#lib/control/holds.ts'
import { accountKey, type KeyValues } from '#lib/table/keys.ts'
import { expectItem, type FormRule, type Rule, under } from './expectation.ts'

/** The sum and the number of the holds of an account are in the same item, written by the same updates. */
const holdsRule: Rule<KeyValues<typeof holdsKey>> = (item, _circumstances, { account }) => {
  const { held, open, texts } = readHolds(item)
  const sum = add('0', ...[...texts.values()].map((text) => readHold(text).amount))
  const isRight = subtract(held, sum) === '0' && open === texts.size
  const wrong = `Account ${account} holds ${held} for ${open} calls, but its holds are ${texts.size} of ${sum}: npx tollgate holds release ${account} --recount`
  return [
    expectItem(accountKey(Number(account)), `Holds are of account ${account}, which does not exist.`),
    ...(isRight ? [] : [{ wrong }]),
  ]
}

export const rulesOfHolds: readonly FormRule[] = [under(holdsKey, holdsRule)]
