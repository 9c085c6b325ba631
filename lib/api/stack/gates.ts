import { ApiError, gateRefusal, httpRefusal } from '#lib/api/errors.ts'
import { findSigningKey, hasSecretKey, type KnownKeys, type SigningKey } from '#lib/api/keys/signing-key.ts'
import type { Contract, Services } from '#lib/api/method.ts'
import { requireFindings } from '#lib/api/request-context.ts'
import { isSigned } from '#lib/api/signature.ts'
import type { Middleware } from './middleware.ts'

const VERBS = ['GET', 'POST']

/** Checks the API switch, then the GET switch (wire.md 2). Verbs without a switch are refused (wire.md 1.1). */
export const gates = ({ postOnly }: Pick<Contract, 'postOnly'>): Middleware => ({
  before: ({ event, context }) => {
    const { findings } = context
    requireFindings(findings, 'settings')
    const { Allow_API, Allow_GET_API } = findings.settings
    if (!Allow_API) throw gateRefusal('api_disabled')
    const getAllowed = Allow_GET_API && !postOnly
    if (event.httpMethod === 'GET' && !getAllowed) throw gateRefusal('get_disabled')
    if (!VERBS.includes(event.httpMethod)) throw httpRefusal('wrong_verb')
  },
})

/**
 * Checks the signature before the account, so that nobody without a key learns which usernames exist. A request is signed by
 * the key of the installation, or by a named key of the account in `u` that allows it.
 */
export const verifyHash = (
  { name, callers, hashOrders }: Pick<Contract, 'name' | 'callers' | 'hashOrders'>,
  { clock }: Pick<Services, 'clock'>,
): Middleware => ({
  before: ({ context: { findings } }) => {
    requireFindings(findings, 'raw', 'settings', 'address')
    const { raw, settings, claimant, address } = findings
    if (callers === 'public' || settings.API_Disable_hash_checking) return
    const known = { settings, keys: claimant?.keys }
    const use = { method: name, address, signature: 'hash', now: clock() } as const
    const key = findSigningKey(known, (secret) => isSigned(raw, hashOrders, secret), use)
    findings.signingKey = key
    if (!key || key.exceeds) throw keyRefusal(key, known)
  },
})

const keyRefusal = (key: SigningKey | undefined, known: KnownKeys): ApiError =>
  gateRefusal(key || hasSecretKey(known) ? 'incorrect_hash' : 'no_secret_key')

/** Refuses missing, unknown and blocked accounts, then account types that the contract does not allow. */
export const admitCaller = ({ callers }: Pick<Contract, 'callers'>): Middleware => ({
  before: ({ context: { findings } }) => {
    if (callers === 'public') return
    const { claimant } = findings
    if (!claimant || claimant.blocked) throw new ApiError(callers.anonymous, 'method')
    if (!callers.allowed.includes(claimant.usertype)) {
      throw new ApiError(callers.others ?? callers.anonymous, 'method')
    }
    findings.caller = claimant
  },
})
