import { defineAct } from '#lib/acts/act.ts'
import { type Input, idIn, idInput, optionalInput } from '#lib/acts/inputs.ts'
import { nearestNames } from '#lib/base/nearest.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { isAdmin } from '#lib/base/scope.ts'
import { findTariff, listTariffs, ratesOf, type Tariff } from '../tariff.ts'
import { versionActivated } from '../version-history.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly several_of_name: { readonly noun: string; readonly name: string; readonly count: number }
    readonly no_earlier_version: { readonly tariff: number }
    readonly unknown_version: { readonly tariff: number; readonly version: number }
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

/** Without a version the previous one is activated, so that a second rollback undoes the first. */
export const rollBackTariff = defineAct({
  summary: 'Activate an earlier version of the rates of a tariff',
  callers: ['admin', 'reseller', 'partner'],
  input: {
    id: tariffInput('the tariff'),
    version: optionalInput(idInput('the version (default: the previous one)')),
  },
  run: async ({ store, now: at, actor }, { id: tariff, version }) => {
    const activated = await versionActivated(store, ratesOf(tariff.id), { version, at, who: actor.username })
    if (!activated && version === undefined) throw new Refusal('no_earlier_version', { tariff: tariff.id })
    if (!activated)
      throw new Refusal('unknown_version', { tariff: tariff.id, version: version ?? 0 }, 'version')
    const { to, changes } = activated
    const answer = { id: tariff.id, version: to.version, rates: to.rows }
    if (changes.length === 0) return { answer }
    const name = JSON.stringify(tariff.name)
    return {
      changes,
      answer,
      log: { action: `activated version ${to.version} of tariff ${tariff.id} ${name}: ${to.rows} rates` },
    }
  },
})
