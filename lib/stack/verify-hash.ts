import { gateRefusal } from '#lib/api/errors.ts'
import type { Contract } from '#lib/api/method.ts'
import { isSigned } from '#lib/api/signature.ts'
import { MIN_KEY_LENGTH } from '#lib/domain/settings.ts'
import type { Middleware } from './middleware.ts'

/** The signature, before anybody looks at the caller: without the key nobody learns which names exist. */
export const verifyHash = ({
  callers,
  hashOrders,
}: Pick<Contract, 'callers' | 'hashOrders'>): Middleware => ({
  before: ({ context }) => {
    const { raw, settings } = context.findings
    if (callers === 'public' || settings.API_Disable_hash_checking) return
    if (settings.API_Secret_Key.length < MIN_KEY_LENGTH) throw gateRefusal('no_secret_key')
    if (!isSigned(raw, hashOrders, settings.API_Secret_Key)) throw gateRefusal('incorrect_hash')
  },
})
