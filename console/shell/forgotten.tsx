import type { SentValues } from '../api/catalogue.ts'
import { act, RefusedRequest } from '../api/console-api.ts'
import { ActionForm } from '../fields/action.tsx'
import type { portalLabels } from '../portal/texts.ts'

interface Asking {
  readonly t: ReturnType<typeof portalLabels>
  /** Shows the outcome above the sign-in, with the username. */
  readonly onDone: (says: string, username?: string) => void
}

/** Asks for a link by mail. The answer is the same for every username. */
export function ForgottenPassword({ t, onDone }: Asking) {
  const ask = async (_once: string, { username = '' }: SentValues) => {
    await act('POST', '/session/forgotten', { username: username.trim() }).catch(
      (problem: RefusedRequest) => {
        throw problem.code === 'conflict' ? refused('username', t('noLinks')) : problem
      },
    )
    onDone(t('linkSent'))
  }
  const fields = [
    { name: 'username', label: t('username'), required: true, autocomplete: 'username' },
  ] as const
  return <ActionForm card={t('forgotPassword')} text={t('sendLink')} fields={fields} run={ask} />
}

/** Chooses a password by the token of a mail's link. */
export function ChosenPassword({ t, onDone, token }: Asking & { readonly token: string }) {
  const choose = async (_once: string, { wanted = '', again }: SentValues) => {
    if (again !== wanted) throw refused('again', t('passwordsDiffer'))
    const { username } = await act('POST', '/session/password', {
      ...{ token, wanted },
    }).catch((problem: RefusedRequest) => {
      const says = problem.code === 'wrong_credentials' ? t('linkEnded') : problem.message
      throw problem.code === 'invalid' || problem.code === 'wrong_credentials'
        ? refused('wanted', says)
        : problem
    })
    onDone(t('passwordChosen'), username)
  }
  const shared = { secret: true, required: true, autocomplete: 'new-password' } as const
  const fields = [
    { ...shared, name: 'wanted', label: t('newPassword') },
    { ...shared, name: 'again', label: t('repeatPassword') },
  ] as const
  return <ActionForm card={t('changePassword')} text={t('changePassword')} fields={fields} run={choose} />
}

/** The problem of one field, in the words of the page. */
export const refused = (name: string, message: string) =>
  new RefusedRequest('invalid', message, [{ name, message }])
