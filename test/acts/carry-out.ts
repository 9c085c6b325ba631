import type { Act, ActOutcome } from '#lib/acts/act.ts'
import type { GivenTexts, Inputs } from '#lib/acts/inputs.ts'
import type { ArchiveBucket } from '#lib/calls/archive/bucket.ts'
import type { Store } from '#lib/table/store.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { closeBalances, openBalances } from '#tools/commands/balance/balance-opening.ts'
import { forgetCalls } from '#tools/commands/forget/forget.ts'
import { changeTimezone } from '#tools/commands/settings/settings-tool.ts'

/** Carries out an act as somebody at a terminal does, without an account of the installation. */
export const carriedOut = <I extends Inputs, A>(
  { store, now }: { readonly store: Store; readonly now: Date },
  act: Act<I, A>,
  given: GivenTexts = {},
): Promise<ActOutcome<A>> => carryOutAs(store, act, { as: undefined, now }, given)

/** The same, for the new secret that it shows. */
export const secretOf = async (...carried: Parameters<typeof carriedOut>): Promise<string> =>
  (await carriedOut(...carried)).secret?.text ?? ''

const noWait = async (): Promise<void> => {}

/** Moves the calls to the days of a zone. Returns their number. */
export async function movedTo(
  { store, now }: { readonly store: Store; readonly now: Date },
  zone: string,
  wait: Parameters<typeof changeTimezone>[0] = noWait,
): Promise<number> {
  const { answer } = await carryOutAs(store, changeTimezone(wait), { as: 'admin', now }, { zone })
  return answer.moved
}

/** Erases the numbers in the calls of an account. Returns the number of changed calls. */
export async function forgotten(
  world: { readonly store: Store; readonly now: Date },
  account: string,
  openBucket: () => ArchiveBucket,
): Promise<number> {
  const act = forgetCalls({ openBucket, clock: () => world.now, lock: async () => () => undefined })
  return (await carriedOut(world, act, { account, yes: 'yes' })).answer.calls
}

/** Opens balances, or closes them for a blank day. Returns the number of changed rows. */
export async function balancesFrom(
  world: { readonly store: Store; readonly now: Date },
  day: string,
  as?: string,
): Promise<number> {
  const act = { as, now: world.now }
  const { answer } = await (day === ''
    ? carryOutAs(world.store, closeBalances(noWait), act, {})
    : carryOutAs(world.store, openBalances(noWait), act, { day }))
  return answer.changed
}
