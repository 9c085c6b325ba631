import { useEffect, useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import { languageIn } from '#lib/base/language/language.ts'
import { act, type Refusal } from '../api/console-api.ts'
import { demoPasswordInPage } from '../api/demo.ts'
import { useAction } from '../api/use-action.ts'
import { sellerHere, useBrand } from '../portal/brand.ts'
import { portalWords, refusalText } from '../portal/texts.ts'
import { Button } from '../ui/button.tsx'
import { LabelledField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Wordmark } from './wordmark.tsx'

interface SignInProps {
  readonly onSignIn: (session: SessionAnswer) => void
}

/** Username and password, in the browser's language and the seller's look. No script reads the session. */
export function SignIn({ onSignIn }: SignInProps) {
  const brand = useBrand(sellerHere())
  const language = languageIn(navigator.language) ?? brand?.language ?? 'en'
  const t = portalWords(language)
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
      <Credentials onSignIn={onSignIn} t={t} />
    </main>
  )
}

interface CredentialsProps extends SignInProps {
  readonly t: ReturnType<typeof portalWords>
}

function Credentials({ onSignIn, t }: CredentialsProps) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const action = useAction()
  const signIn = async () =>
    onSignIn(await act<SessionAnswer>('POST', '/session', { username: username.trim(), password }))
  const submit = (event: Event) => {
    event.preventDefault()
    return action.run(signIn)
  }
  const words = { required: t('required'), show: t('showPassword'), hide: t('hidePassword') }
  return (
    <>
      <form class="card card-body" aria-label={t('signIn')} onSubmit={submit}>
        <LabelledField
          label={t('username')}
          required
          words={words}
          autocomplete="username"
          value={username}
          onInput={setUsername}
        />
        <LabelledField
          label={t('password')}
          secret
          required
          words={words}
          autocomplete="current-password"
          value={password}
          onInput={setPassword}
        />
        {action.problem && <SignInProblem problem={action.problem} t={t} />}
        <Button kind="primary" submits isBusy={action.isUnderWay}>
          {t('signIn')}
        </Button>
      </form>
      {demoPasswordInPage() && (
        <Notice tone="info" title="This is the demo.">
          <span class="cluster">
            Its admin may do everything.
            <Button
              small
              onClick={() => {
                setUsername('admin')
                setPassword(demoPasswordInPage())
              }}
            >
              Fill in
            </Button>
          </span>
        </Notice>
      )}
    </>
  )
}

const SignInProblem = ({ problem, t }: Pick<CredentialsProps, 't'> & { readonly problem: Refusal }) => (
  <Notice tone="bad" title={refusalText(t, problem.code)} />
)
