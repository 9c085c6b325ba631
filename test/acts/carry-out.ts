import type { Act, ActOutcome } from '#lib/acts/act.ts'
import type { GivenTexts, Inputs } from '#lib/acts/inputs.ts'
import type { Store } from '#lib/table/store.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'

/** Carries out an act as somebody at a terminal does, without an account of the installation. */
export const carriedOut = <I extends Inputs, A>(
  { store, now }: { readonly store: Store; readonly now: Date },
  act: Act<I, A>,
  given: GivenTexts = {},
): Promise<ActOutcome<A>> => carryOutAs(store, act, { as: undefined, now }, given)

/** The same, for the new secret that it shows. */
export const secretOf = async (...carried: Parameters<typeof carriedOut>): Promise<string> =>
  (await carriedOut(...carried)).secret?.text ?? ''
