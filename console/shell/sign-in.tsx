import { useState } from 'preact/hooks'
import type { Method } from '../api/catalogue.ts'
import { demoKeyInPage } from '../api/demo.ts'
import type { Signer } from '../api/request.ts'
import { checkSigner, type Doubt } from '../api/sign-in.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Wordmark } from './wordmark.tsx'

interface SignInProps {
  readonly catalogue: readonly Method[]
  readonly onSignIn: (signer: Signer) => void
}

/** The name to call under and the key. A signed call checks both; the key itself stays in this tab. */
export function SignIn({ catalogue, onSignIn }: SignInProps) {
  const [username, setUsername] = useState('')
  const [key, setKey] = useState('')
  const [doubt, setDoubt] = useState<Doubt>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    const signer = { username: username.trim(), key }
    const found = await checkSigner(catalogue, signer)
    setBusy(false)
    setDoubt(found)
    if (!found) onSignIn(signer)
  }
  const wrong = (about: Doubt['about']) => (doubt?.about === about ? doubt.says : undefined)
  return (
    <div class="sign-in">
      <h1 class="wordmark">
        <Wordmark />
      </h1>
      <form class="card card-body" aria-label="Sign in" onSubmit={submit}>
        <Field
          label="Username"
          required
          value={username}
          onInput={setUsername}
          wrong={wrong('username')}
          hint="Calls are made under this name."
        />
        <Field
          label="Secret key"
          secret
          required
          value={key}
          onInput={setKey}
          wrong={wrong('key')}
          hint="Signs in this tab, is never sent, and is forgotten when the tab is closed. It makes anyone admin: do not give it to a customer."
        />
        {doubt?.about === 'call' && <Notice tone="bad" title={doubt.says} />}
        <Button kind="primary" submits isBusy={isBusy}>
          Sign in
        </Button>
      </form>
      <DemoHint
        onUse={(demo) => {
          setUsername('admin')
          setKey(demo)
        }}
      />
    </div>
  )
}

function DemoHint({ onUse }: { readonly onUse: (key: string) => void }) {
  const key = demoKeyInPage()
  if (!key) return null
  return (
    <Notice tone="info" title="This is the demo">
      <p>
        Sign in as <code>admin</code> with the key <code>{key}</code>.
      </p>
      <Button small onClick={() => onUse(key)}>
        Fill in
      </Button>
    </Notice>
  )
}
