import type { Contract } from '#lib/api/method.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { toCaller } from '#lib/store/accounts/account.ts'
import { settingsKey } from '#lib/store/installation/settings.ts'
import { callerKey } from '#lib/store/keys.ts'
import type { Middleware } from './middleware.ts'

/** Reads the settings, the account in `u` and the items that the contract names in one round trip. */
export const settingsAndCaller = ({ names = {} }: Pick<Contract, 'names'>): Middleware => ({
  before: async ({ event, context: { findings } }) => {
    const { raw, store } = findings
    findings.address = event.requestContext.identity.sourceIp
    const named = Object.entries(names).map(([name, { key, read }]) => ({
      name,
      key: key(raw, findings.address),
      read,
    }))
    const keys = named.flatMap(({ key }) => key ?? [])
    const [settings, caller, ...found] = await store.getMany([
      settingsKey,
      callerKey(raw['u'] ?? ''),
      ...keys,
    ])
    findings.settings = readSettings(settings ?? {})
    findings.claimant = toCaller(caller)
    findings.named = Object.fromEntries(
      named.map(({ name, key, read }) => [name, read(key && found[keys.indexOf(key)])]),
    )
  },
})
