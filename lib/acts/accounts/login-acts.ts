import { type Caller, findCallers, passwordHashSet } from '#lib/accounts/account.ts'
import { codeUsed } from '#lib/accounts/login-failures.ts'
import { hashPassword } from '#lib/accounts/password.ts'
import {
  isFactorSecret,
  newSecondFactor,
  secondFactorSet,
  stepOfCode,
  typedCode,
} from '#lib/accounts/second-factor.ts'
import { ACCOUNT_TYPES, MANAGERS } from '#lib/base/account-types.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import type { LoggedDeed } from '#lib/settings/audit-log.ts'
import { defineAct } from '../act.ts'
import { loginIn } from '../context.ts'
import { optionalInput, secretInput } from '../inputs.ts'
import { newPasswordInput, refuseUnfit } from './account-acts.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly second_factor_on: Record<never, never>
  }
}

const anySecret = (says: string) => secretInput(says, 'text', () => true)

const current = anySecret('the present password')

/** Wrong passwords and codes are counted as at a sign-in. The act ends every session of the account. */
export const changeOwnPassword = defineAct({
  summary: 'Replace the password of the own account, and end its other sessions',
  callers: ACCOUNT_TYPES,
  input: { current, wanted: newPasswordInput },
  run: async (context, { current, wanted }) => {
    refuseUnfit(context, wanted, 'wanted')
    const account = await loginIn(context).confirmPassword(current)
    const { id, username } = account
    return {
      changes: [passwordHashSet({ id, username, password_hash: await hashPassword(wanted) })],
      answer: {},
      log: deedOn(account, 'changed its password'),
    }
  },
})

export const beginSecondFactor = defineAct({
  summary:
    'Switch the second factor of the own account on, show its recovery codes once, and end its other sessions',
  callers: MANAGERS,
  input: {
    current,
    secret: secretInput('the secret in the authenticator', 'the secret that was offered', isFactorSecret),
    code: anySecret('the code of the authenticator'),
  },
  run: async (context, { current, secret, code }) => {
    const account = await loginIn(context).confirmPassword(current)
    if (account.second_factor) throw new Refusal('second_factor_on', {})
    const now = secondsOf(context.now)
    const step = stepOfCode(secret, typedCode(code), now)
    if (step === undefined) throw new Refusal('wrong_code', {})
    const { factor, codes } = newSecondFactor(secret)
    return {
      changes: [...secondFactorSet(account, factor), codeUsed(account.id, step, now)],
      answer: { recovery: [...codes] },
      log: deedOn(account, 'switched its second factor on'),
      hasSecrets: true,
    }
  },
})

export const endSecondFactor = defineAct({
  summary: 'Switch the second factor of the own account off, and end its other sessions',
  callers: ACCOUNT_TYPES,
  input: {
    current,
    code: optionalInput(anySecret('a code of the authenticator, or a recovery code')),
  },
  run: async (context, { current, code = '' }) => {
    const login = loginIn(context)
    const account = await login.confirmPassword(current)
    const { username } = account
    if (!account.second_factor) throw new Refusal('no_second_factor', { username })
    await login.confirmCode(account, code)
    // A recovery code that was used is taken from the account.
    const [present = account] = await findCallers(context.store, [username])
    return {
      changes: secondFactorSet(present, undefined),
      answer: {},
      log: deedOn(account, 'switched its second factor off'),
    }
  },
})

const deedOn = ({ id, username }: Pick<Caller, 'id' | 'username'>, did: string): LoggedDeed => ({
  account: username,
  account_id: id,
  did,
})
