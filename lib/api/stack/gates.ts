import { ApiError, gateRefusal, httpRefusal } from '#lib/api/errors.ts'
import { readV2 } from '#lib/api/keys/signature-v2.ts'
import {
  admitOnce,
  findSigningKey,
  hasSecretKey,
  type KnownKeys,
  type SigningKey,
} from '#lib/api/keys/signing-key.ts'
import type { Contract, Services } from '#lib/api/method.ts'
import { requireFindings } from '#lib/api/request-context.ts'
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
 * the key of the installation, or by a named key of the account in `u` that allows it. A method without a caller acts for the
 * installation, and takes its key alone.
 */
export const verifyHash = (
  { name, callers, hashOrders }: Pick<Contract, 'name' | 'callers' | 'hashOrders'>,
  { clock }: Pick<Services, 'clock'>,
): Middleware => ({
  before: async ({ event, context: { findings, awsRequestId } }) => {
    requireFindings(findings, 'store', 'raw', 'settings', 'address')
    const { store, raw, settings, claimant, address } = findings
    if (callers === 'public' || settings.API_Disable_hash_checking) return
    const known = { settings, keys: callers === 'signed' ? undefined : claimant?.keys }
    const v2 = readV2(event)
    findings.v2 = v2
    const now = clock()
    const key = findSigningKey(known, { v2, raw, hashOrders }, { method: name, address, now })
    findings.signingKey = await admitOnce(store, key, { v2, now, request: awsRequestId })
    refuseUnsigned(findings.signingKey, known)
  },
})

function refuseUnsigned(key: SigningKey | undefined, known: KnownKeys): void {
  if (key && !key.refused) return
  throw gateRefusal(key || hasSecretKey(known) ? 'incorrect_hash' : 'no_secret_key')
}

/** Refuses missing, unknown and blocked accounts, then account types that the contract does not allow. */
export const admitCaller = ({ callers }: Pick<Contract, 'callers'>): Middleware => ({
  before: ({ context: { findings } }) => {
    if (typeof callers === 'string') return
    const { claimant } = findings
    if (!claimant || claimant.blocked) throw new ApiError(callers.anonymous, 'method')
    if (!callers.allowed.includes(claimant.usertype)) {
      throw new ApiError(callers.others ?? callers.anonymous, 'method')
    }
    findings.caller = claimant
  },
})
