import type { Contract } from '#lib/api/method.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { toCaller } from '#lib/store/accounts/account.ts'
import { callerKey, settingsKey } from '#lib/store/keys.ts'
import type { Middleware } from './middleware.ts'

/** One round trip for what every call needs, and for what the contract names besides. */
export const settingsAndCaller = ({ alongside }: Pick<Contract, 'alongside'>): Middleware => ({
  before: async ({ event, context: { call } }) => {
    call.address = event.requestContext.identity.sourceIp
    const named = alongside?.(call.raw, call.address) ?? []
    const keys = [settingsKey, callerKey(call.raw['u'] ?? ''), ...named]
    const [settings, caller, ...found] = await call.store.getMany(keys)
    call.settings = readSettings(settings ?? {})
    call.claimant = toCaller(caller)
    call.alongside = found
  },
})
