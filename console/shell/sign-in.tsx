import { useEffect, useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { languageIn } from '#lib/base/language/language.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act, type RefusedRequest, refusedField } from '../api/console-api.ts'
import { demoPasswordInPage } from '../api/demo.ts'
import { useRoute } from '../base/route.ts'
import { UiLabelsContext } from '../base/ui-labels.ts'
import { ActionForm } from '../fields/action.tsx'
import { sellerHere, useBrand } from '../portal/brand.ts'
import { portalUiLabels } from '../portal/portal-session.ts'
import { portalLabels } from '../portal/texts.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Wordmark } from './wordmark.tsx'

interface SignInProps {
  readonly onSignIn: (session: SessionAnswer) => void
}

/** Username and password, in the browser's language and the seller's look. No script reads the session. */
export function SignIn({ onSignIn }: SignInProps) {
  const brand = useBrand(sellerHere())
  const language = languageIn(navigator.language) ?? brand?.language ?? 'en'
  const t = portalLabels(language)
  useEffect(() => {
    document.documentElement.lang = language
    if (brand?.name) document.title = brand.name
  }, [language, brand])
  return (
    <main class="sign-in">
      <h1 class="wordmark">
        {brand?.logo && <img src={brand.logo} alt="" />}
        {brand?.name ? <span>{brand.name}</span> : <Wordmark />}
      </h1>
      <UiLabelsContext.Provider value={portalUiLabels(t)}>
        <Entrance onSignIn={onSignIn} t={t} />
      </UiLabelsContext.Provider>
    </main>
  )
}

interface CredentialsProps extends SignInProps {
  readonly t: ReturnType<typeof portalLabels>
}

/** The sign-in, and what leads to a password without one. */
function Entrance({ onSignIn, t }: CredentialsProps) {
  const { section, id: token } = useRoute()
  const [isForgotten, setForgotten] = useState(false)
  const [told, setTold] = useState<{ readonly says: string; readonly username?: string | undefined }>()
  const hasLink = section === 'password'
  const back = () => {
    setForgotten(false)
    if (hasLink) location.hash = '#/'
  }
  const done = (says: string, username?: string) => {
    setTold({ says, username })
    back()
  }
  return (
    <>
      {told && <Notice tone="info" title={told.says} />}
      {hasLink && <ChosenPassword t={t} token={token} onDone={done} />}
      {!hasLink && isForgotten && <ForgottenPassword t={t} onDone={done} />}
      {!hasLink && !isForgotten && <Credentials onSignIn={onSignIn} t={t} username={told?.username ?? ''} />}
      <Button kind="quiet" onClick={() => (hasLink || isForgotten ? back() : setForgotten(true))}>
        {hasLink || isForgotten ? t('back') : t('forgotPassword')}
      </Button>
    </>
  )
}

const codeFields = (t: CredentialsProps['t']) =>
  [{ name: 'code', label: t('code'), required: true, autocomplete: 'one-time-code' }] as const

/** Only operators have codes: what the API says of them stays in English. */
const CODE_REFUSALS = ['wrong_credentials', 'too_many_attempts']

/** The second step asks for the code of an account that has a second factor. */
function Credentials({ onSignIn, t, username: known }: CredentialsProps & { readonly username: string }) {
  const [filled, setFilled] = useState<SentValues>(known === '' ? {} : { username: known })
  const [first, setFirst] = useState<SentValues>()
  useEffect(() => {
    if (first) document.querySelector<HTMLElement>('form input')?.focus()
  }, [first])
  const signIn = async (_once: string, values: SentValues) => {
    const sent = { ...first, ...values }
    const asked = act('POST', '/session', { ...sent, username: sent['username']?.trim() })
    await asked.then(onSignIn, (problem: RefusedRequest) => {
      if (problem.code === 'code_needed') return setFirst(sent)
      throw first && CODE_REFUSALS.includes(problem.code) ? refusedField('code', problem.message) : problem
    })
  }
  const required = true
  const fields = [
    { name: 'username', label: t('username'), required, autocomplete: 'username' },
    {
      name: 'password',
      label: t('password'),
      required,
      secret: true,
      autocomplete: 'current-password',
    },
  ] as const
  if (first) return <ActionForm card={t('code')} text={t('signIn')} fields={codeFields(t)} run={signIn} />
  return (
    <>
      <ActionForm
        key={filled['username']}
        card={t('signIn')}
        text={t('signIn')}
        fields={fields}
        initial={filled}
        run={signIn}
      />
      {demoPasswordInPage() && (
        <Notice tone="info" title="This is the demo.">
          <span class="cluster">
            Its admin may do everything.
            <Button small onClick={() => setFilled({ username: 'admin', password: demoPasswordInPage() })}>
              Fill in
            </Button>
          </span>
        </Notice>
      )}
    </>
  )
}

interface Asking {
  readonly t: ReturnType<typeof portalLabels>
  /** Shows the outcome above the sign-in, with the username. */
  readonly onDone: (says: string, username?: string) => void
}

/** Asks for a link by mail. The answer is the same for every username. */
function ForgottenPassword({ t, onDone }: Asking) {
  const ask = async (_once: string, { username = '' }: SentValues) => {
    await act('POST', '/session/forgotten', { username: username.trim() }).catch(
      (problem: RefusedRequest) => {
        throw problem.code === 'conflict' ? refusedField('username', t('noLinks')) : problem
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
function ChosenPassword({ t, onDone, token }: Asking & { readonly token: string }) {
  const choose = async (_once: string, { wanted = '', again }: SentValues) => {
    if (again !== wanted) throw refusedField('again', t('passwordsDiffer'))
    const { username } = await act('POST', '/session/password', {
      ...{ token, wanted },
    }).catch((problem: RefusedRequest) => {
      const says = problem.code === 'wrong_credentials' ? t('linkEnded') : problem.message
      throw problem.code === 'invalid' || problem.code === 'wrong_credentials'
        ? refusedField('wanted', says)
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
