import { useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import { act, type Refusal } from '../api/console-api.ts'
import { demoPasswordInPage } from '../api/demo.ts'
import { RefusalNotice } from '../states/refusal-notice.tsx'
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
  const [problem, setProblem] = useState<Refusal>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    const values = { username: username.trim(), password }
    await act<SessionAnswer>('POST', '/session', values).then(onSignIn, setProblem)
    setBusy(false)
  }
  const fillIn = () => {
    setUsername('admin')
    setPassword(demoPasswordInPage())
  }
  return (
    <main class="sign-in">
      <h1 class="wordmark">
        <Wordmark />
      </h1>
      <form class="card card-body" aria-label="Sign in" onSubmit={submit}>
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
        {problem && <RefusalNotice problem={problem} />}
        <Button kind="primary" submits isBusy={isBusy}>
          Sign in
        </Button>
      </form>
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
