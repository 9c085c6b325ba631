import { defineAct } from '#lib/acts/act.ts'
import { idInput, optionalInput } from '#lib/acts/inputs.ts'
import { OWNERS } from '#lib/base/account-types.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ratesOf } from '../tariff.ts'
import { versionActivated } from '../version-history.ts'
import { tariffInput } from './tariff-input.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly no_earlier_version: { readonly tariff: number }
    readonly unknown_version: { readonly tariff: number; readonly version: number }
  }
}

/** Without a version the previous one is activated, so that a second rollback undoes the first. */
export const rollBackTariff = defineAct({
  summary: 'Activate an earlier version of the rates of a tariff',
  callers: OWNERS,
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
