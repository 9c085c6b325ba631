import { settingsOf } from '#lib/settings/stored-settings.ts'
import { invocation } from '#lib/table/invocation.ts'
import type { TableServices } from '#lib/table/store.ts'
import { chargeEveryone } from './charge-run.ts'

/** The maximum number of refused subscriptions that a line of the log names. */
const MOST_NAMED = 5

/** Makes due charges and writes a log line. Throws at the end if an account could not be charged. */
export const hourlyCharges = (name: string, services: TableServices) => async (): Promise<void> => {
  const { failed } = await invocation(services, name, async ({ store, startedAt }) => {
    const total = { charges: 0, failed: 0, uncharged: 0, refused: [] as string[] }
    const run = { store, settings: await settingsOf(store), now: startedAt }
    for await (const { charges, uncharged, refused, isFailed } of chargeEveryone(run)) {
      total.charges += charges.length
      total.failed += isFailed ? 1 : 0
      total.uncharged += uncharged.length
      total.refused.push(...refused)
    }
    const { refused, ...counts } = total
    const named = refused.length > 0 && { reason: refused.slice(0, MOST_NAMED).join('; ') }
    return { outcome: 'charged', ...counts, refused: refused.length, ...named }
  })
  if (failed > 0) throw new Error(`${failed} accounts were not charged: the line of the log names them`)
}
