import type { Contract, Services } from '#lib/api/method.ts'
import { requireFindings } from '#lib/api/request-context.ts'
import { memoize } from '#lib/domain/collections.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { toCaller } from '#lib/store/accounts/account.ts'
import { settingsKey } from '#lib/store/installation/settings.ts'
import type { Item } from '#lib/store/items.ts'
import { callerKey } from '#lib/store/keys.ts'
import { requireFormat } from '#lib/store/table-format.ts'
import type { Middleware } from './middleware.ts'

/** Remembered settings and their stamp are checked once. */
const settingsIn = memoize((stored: Item) => {
  requireFormat(stored)
  return readSettings(stored)
})

const NOTHING_STORED: Item = {}

/**
 * Finds the settings, the account in `u` and the items that the contract loads: in one round trip, or in none if a Lambda
 * remembers all of them. It throws UnreadableTable for a table of an unknown format. A public method checks the password of the account itself, so it always reads the account.
 */
export const settingsAndCaller = (
  { loads = {}, callers }: Pick<Contract, 'loads' | 'callers'>,
  { readItems }: Pick<Required<Services>, 'readItems'>,
): Middleware => ({
  before: async ({ event, context: { findings } }) => {
    requireFindings(findings, 'raw', 'store')
    const { raw, store } = findings
    const address = event.requestContext.identity.sourceIp
    const wanted = Object.entries(loads).flatMap(([name, { key: keyFor, mayBeRecent }]) => {
      const key = keyFor(raw, address)
      return key ? [{ name, key, mayBeRecent }] : []
    })
    const [settings, caller, ...items] = await readItems(store, [
      { key: settingsKey, mayBeRecent: true },
      { key: callerKey(raw['u'] ?? ''), mayBeRecent: callers !== 'public' },
      ...wanted,
    ])
    findings.address = address
    findings.settings = settingsIn(settings ?? NOTHING_STORED)
    findings.claimant = toCaller(caller)
    findings.loaded = Object.fromEntries(wanted.map(({ name }, index) => [name, items[index]]))
  },
})
