import { ApiError, gateRefusal, httpRefusal } from '#lib/api/errors.ts'
import type { Contract } from '#lib/api/method.ts'
import { requireFindings } from '#lib/api/request-context.ts'
import { isSigned } from '#lib/api/signature.ts'
import { MIN_KEY_LENGTH } from '#lib/domain/settings.ts'
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

/** Checks the signature before the account, so that nobody without the key learns which usernames exist. */
export const verifyHash = ({
  callers,
  hashOrders,
}: Pick<Contract, 'callers' | 'hashOrders'>): Middleware => ({
  before: ({ context: { findings } }) => {
    requireFindings(findings, 'raw', 'settings')
    const { raw, settings } = findings
    if (callers === 'public' || settings.API_Disable_hash_checking) return
    if (settings.API_Secret_Key.length < MIN_KEY_LENGTH) throw gateRefusal('no_secret_key')
    if (!isSigned(raw, hashOrders, settings.API_Secret_Key)) throw gateRefusal('incorrect_hash')
  },
})

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
