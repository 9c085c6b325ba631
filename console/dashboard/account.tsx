import { useState } from 'preact/hooks'
import type { AccountType } from '#lib/domain/accounts/account.ts'
import type { Ask } from '../api/ask.ts'
import { textIn } from '../api/xml.ts'
import { Field } from '../views/field.tsx'
import { Message } from '../views/message.tsx'
import { useAnswer } from '../views/use-answer.ts'

/** Whose dashboard it is. */
export interface Account {
  readonly username: string
  readonly type: AccountType
}

interface AccountFormProps {
  readonly username: string
  readonly ask: Ask
  readonly onAccount: (account: Account) => void
}

/** Logs in as an account, which tells its type: what it may ask depends on that. */
export function AccountForm({ username: first, ask, onAccount }: AccountFormProps) {
  const [username, setUsername] = useState(first)
  const [password, setPassword] = useState('')
  const [{ problem, isUnderWay }, put] = useAnswer<void>()
  const submit = (event: Event) => {
    event.preventDefault()
    return put(async () => {
      const answer = await ask('user_login', { u: username, p: password })
      onAccount({ username, type: textIn(answer, 'usertype') as AccountType })
    })
  }
  return (
    <form class="card sign-in" onSubmit={submit}>
      <h1>Whose dashboard?</h1>
      <p>
        Log in as an account: the dashboard then shows what that account may see. On the demo, admin has
        demo-admin.
      </p>
      <Field label="Username" required value={username} onInput={setUsername} />
      <Field label="Password" secret required value={password} onInput={setPassword} />
      {problem && <Message kind="error" text={problem} />}
      <button class="primary" type="submit" disabled={isUnderWay}>
        Log in
      </button>
    </form>
  )
}
