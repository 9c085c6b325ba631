import { useState } from 'preact/hooks'
import type { Signer } from '../api/request.ts'
import { keep } from '../session.ts'
import { Field } from './field.tsx'

interface SignInProps {
  readonly onSignIn: (signer: Signer) => void
}

/** The key and the name to call under. Nothing is sent: the key stays in this page. */
export function SignIn({ onSignIn }: SignInProps) {
  const [username, setUsername] = useState('admin')
  const [key, setKey] = useState('')
  const [kept, setKept] = useState(false)
  const submit = (event: Event) => {
    event.preventDefault()
    if (key === '' || username === '') return
    if (kept) keep({ username, key })
    onSignIn({ username, key })
  }
  return (
    <form class="card sign-in" onSubmit={submit}>
      <h1>Sign in</h1>
      <p class="warning">
        <strong>For whoever runs this installation.</strong> The secret key makes anybody admin: give neither
        it nor this page to a customer.
      </p>
      <Field
        label="Secret key"
        secret
        required
        value={key}
        onInput={setKey}
        hint="Stays in the memory of this page and is never sent. The demo's is demo-secret-key."
      />
      <Field
        label="Call as"
        required
        value={username}
        onInput={setUsername}
        hint="The username that calls are made under."
      />
      <label class="tick">
        <input type="checkbox" checked={kept} onChange={(event) => setKept(event.currentTarget.checked)} />{' '}
        Keep it until this tab is closed
      </label>
      <button class="primary" type="submit">
        Sign in
      </button>
    </form>
  )
}
