import { ApiError } from '#lib/api/errors.ts'
import type { Contract } from '#lib/api/method.ts'
import type { Middleware } from './middleware.ts'

/** Missing, unknown and blocked callers are anonymous; then the account type, in the method's own words. */
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
