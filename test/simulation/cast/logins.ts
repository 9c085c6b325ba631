import type { APIGatewayProxyResult } from 'aws-lambda'
import { codeOfStep } from '#lib/accounts/second-factor.ts'
import { resource as session } from '../../../functions/console/installation/session.ts'
import { method as userLogin } from '../../../functions/session/user_login.ts'
import { method as userLogout } from '../../../functions/session/user_logout.ts'
import { type Acts, callMethod, doneOf, postToConsole } from '../actors.ts'
import { ALICE, FACTOR, PASSWORD, RECOVERY_CODES } from '../dataset.ts'

/** A step of an authenticator (RFC 6238). */
const STEP_MS = 30_000

/** Alice, and somebody who has overheard her, sign in by the same code at once. */
export const signsIn: Acts = (scene) => {
  const { draws, book, outside, object } = scene
  const code = draws.onceIn(3)
    ? draws.one(RECOVERY_CODES)
    : codeOfStep(FACTOR.secret, Math.floor(outside.now / STEP_MS))
  const given = { username: ALICE, password: draws.onceIn(6) ? 'another one' : PASSWORD, code }
  const people = 1 + draws.below(2)
  return {
    who: ALICE,
    what: `signs in with ${code}${people > 1 ? ', twice at once' : ''}`,
    work: () =>
      Promise.all(
        Array.from({ length: people }, () => postToConsole(scene, session, 'nobody', '/session', given)),
      ),
    ended: (ending) => {
      const answers = doneOf<APIGatewayProxyResult[]>(ending) ?? []
      const opened = answers.filter(({ statusCode }) => statusCode === 200).length
      if (opened === 0 || book.isFactorReset) return
      const before = book.codes.get(code) ?? 0
      book.codes.set(code, before + opened)
      if (before + opened > 1) object(`second factor: the code ${code} opens ${before + opened} sessions`)
      if (given.password !== PASSWORD) object('second factor: another password opens a session')
    },
  }
}

/** Programs sign in by the API and out again, or only out. */
export const logsIn: Acts = (scene) => ({
  who: ALICE,
  what: 'logs in, and out',
  work: async () => {
    if (!scene.draws.onceIn(3)) await callMethod(scene, userLogin, { u: ALICE, p: PASSWORD })
    return callMethod(scene, userLogout, { u: ALICE })
  },
})
