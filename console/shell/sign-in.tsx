import { useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import { act } from '../api/console-api.ts'
import { demoPasswordInPage } from '../api/demo.ts'
import { ActionForm } from '../states/action.tsx'
import { Button } from '../ui/button.tsx'
import { LabelledField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Wordmark } from './wordmark.tsx'

interface SignInProps {
  readonly onSignIn: (session: SessionAnswer) => void
}

/** Username and password. The session is a cookie that no script can read. */
export function SignIn({ onSignIn }: SignInProps) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const signIn = async () =>
    onSignIn(await act<SessionAnswer>('POST', '/session', { username: username.trim(), password }))
  const fillIn = () => {
    setUsername('admin')
    setPassword(demoPasswordInPage())
  }
  return (
    <main class="sign-in">
      <h1 class="wordmark">
        <Wordmark />
      </h1>
      <ActionForm card="Sign in" text="Sign in" run={signIn}>
        <LabelledField
          label="Username"
          required
          autocomplete="username"
          value={username}
          onInput={setUsername}
        />
        <LabelledField
          label="Password"
          secret
          required
          autocomplete="current-password"
          value={password}
          onInput={setPassword}
        />
      </ActionForm>
      {demoPasswordInPage() && (
        <Notice tone="info" title="This is the demo.">
          <span class="cluster">
            Its admin may do everything.
            <Button small onClick={fillIn}>
              Fill in
            </Button>
          </span>
        </Notice>
      )}
    </main>
  )
}
