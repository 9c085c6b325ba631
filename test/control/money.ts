import { totalOf } from '#lib/base/balance.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { findHolds } from '#lib/control/holds.ts'
import type { World } from '#test/world.ts'

export const BOB = 10

/** The balance of an account, the amount held of it, and the number of calls that hold it. */
export async function heldMoney({ store }: Pick<World, 'store'>, accountId = BOB) {
  const [[holds], found] = await Promise.all([findHolds(store, [accountId]), findBalance(store, accountId)])
  return { held: holds?.held, open: holds?.open, balance: found && totalOf(found.balance) }
}

/** How often the log notes something. */
export const notedTimes = ({ log }: Pick<World, 'log'>, name: string): number =>
  log.reduce((sum, line) => sum + Number(line[name] ?? 0), 0)
