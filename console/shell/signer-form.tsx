import { useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import { Button } from '../ui/button.tsx'
import { LabelledField } from '../ui/field.tsx'
import { Wordmark } from './wordmark.tsx'

/** Stands for a session where only signed calls are forwarded: no part but the tools of developers. */
export const developerSession = (username: string): SessionAnswer => ({
  id: 0,
  username,
  name: username,
  type: 'user',
  parts: [],
  actions: [],
  currency: '',
  zone: 'UTC',
  today: new Date().toISOString().slice(0, 10),
})

/** The account that calls are made under. The secret key is asked for next, and decides. */
export function SignerForm({ onName }: { readonly onName: (username: string) => void }) {
  const [username, setUsername] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    onName(username.trim())
  }
  return (
    <main class="sign-in">
      <h1 class="wordmark">
        <Wordmark />
      </h1>
      <form class="card card-body" aria-label="Account" onSubmit={submit}>
        <LabelledField
          label="Username"
          required
          value={username}
          onInput={setUsername}
          hint="This address forwards signed calls only: the explorer and the doctor."
        />
        <Button kind="primary" submits>
          Continue
        </Button>
      </form>
    </main>
  )
}
