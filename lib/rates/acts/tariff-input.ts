import type { ActContext } from '#lib/acts/context.ts'
import { type Input, idIn } from '#lib/acts/inputs.ts'
import { nearestNames } from '#lib/base/nearest.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { actsFor, isAdmin, seesEveryone } from '#lib/base/scope.ts'
import { tariffKey } from '#lib/table/keys.ts'
import { type Change, is } from '#lib/table/requests/changes.ts'
import { findTariff, listTariffs, type Tariff } from '../tariff.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly several_of_name: { readonly noun: string; readonly name: string; readonly count: number }
    /** The problem of the new rates as a whole. */
    readonly unfit_rates: { readonly tariff: number; readonly says: string }
  }
}

/**
 * A tariff that the actor may change: by its id, or where names are typed by its name. Admins change every
 * tariff, resellers and partners their own ones; others are refused in the words of a missing one.
 */
export const tariffInput = (says: string): Input<Tariff> => ({
  takes: 'id of a tariff',
  placeholder: 'TARIFF',
  says,
  isOptional: false,
  read: async (given, field, { store, actor, namesAreTyped }) => {
    const isOwn = ({ owner_id }: Tariff) => isAdmin(actor) || owner_id === actor.id
    const id = idIn(given)
    const found = id === undefined ? undefined : await findTariff(store, id)
    if (found && isOwn(found)) return found
    const tariffs = namesAreTyped ? (await listTariffs(store)).filter(isOwn) : []
    const [named, ...others] = tariffs.filter(({ name }) => name.toLowerCase() === given.toLowerCase())
    if (others.length > 0) {
      const several = { noun: 'tariff', name: given, count: others.length + 1 }
      throw new Refusal('several_of_name', several, field)
    }
    if (named) return named
    const names = tariffs.map(({ name }) => name)
    throw new Refusal(
      'unknown_name',
      { noun: 'tariff', name: given, nearest: nearestNames(given, names) },
      field,
    )
  },
})

/** The condition that a reseller's or partner's tariff is still its own when it is changed. */
export const tariffStays = ({ actor }: ActContext, { id }: Tariff): Change[] =>
  seesEveryone(actor) ? [] : [{ check: tariffKey(id), when: { owner_id: is(actsFor(actor)) } }]
