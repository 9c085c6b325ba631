import { useEffect, useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { languageIn } from '#lib/base/language/language.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { demoPasswordInPage } from '../api/demo.ts'
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
        <Credentials onSignIn={onSignIn} t={t} />
      </UiLabelsContext.Provider>
    </main>
  )
}

interface CredentialsProps extends SignInProps {
  readonly t: ReturnType<typeof portalLabels>
}

function Credentials({ onSignIn, t }: CredentialsProps) {
  const [filled, setFilled] = useState<SentValues>({})
  const signIn = async (_once: string, { username = '', password }: SentValues) =>
    onSignIn(await act<SessionAnswer>('POST', '/session', { username: username.trim(), password }))
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
