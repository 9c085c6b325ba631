import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import { ActionForm } from '../fields/action.tsx'
import { Wordmark } from './wordmark.tsx'

/** Stands for a session where only signed calls are forwarded: no section but the tools of developers. */
export const developerSession = (username: string): SessionAnswer => ({
  id: -1,
  username,
  name: username,
  type: 'user',
  sections: ['explorer', 'refused-hash'],
  actions: [],
  currency: '',
  zone: 'UTC',
  today: new Date().toISOString().slice(0, 10),
  portal: null,
})

const FIELDS = [
  {
    name: 'username',
    label: 'Username',
    required: true,
    hint: 'This address forwards signed calls only: the explorer and the page of refused hashes.',
  },
]

/** The account that calls are made under. The secret key is asked for next, and decides. */
export const SignerForm = ({ onName }: { readonly onName: (username: string) => void }) => (
  <main class="sign-in">
    <h1 class="wordmark">
      <Wordmark />
    </h1>
    <ActionForm
      card="Account"
      text="Continue"
      fields={FIELDS}
      run={async (_once, { username = '' }) => onName(username.trim())}
    />
  </main>
)
