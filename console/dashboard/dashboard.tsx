import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { askAs } from '../api/ask.ts'
import { findMethod } from '../api/catalogue.ts'
import type { PartProps } from '../part.ts'
import { type Account, AccountForm } from './account.tsx'
import { ActiveCalls } from './active-calls.tsx'
import { CallsPanel } from './calls-panel.tsx'
import { Totals } from './totals.tsx'

/** What an account sees of its traffic, all by the API's own methods. */
export function Dashboard(props: PartProps) {
  const { catalogue, signer } = props
  const [account, setAccount] = useState<Account>()
  const ask = useMemo(() => askAs(catalogue, signer), [catalogue, signer])
  if (!account) return <AccountForm username={signer.username} ask={ask} onAccount={setAccount} />
  return <Panels {...props} account={account} onLeave={() => setAccount(undefined)} />
}

interface PanelsProps extends PartProps {
  readonly account: Account
  readonly onLeave: () => void
}

function Panels({ catalogue, signer, account, onLeave }: PanelsProps) {
  const own = useMemo(() => ({ username: account.username, key: signer.key }), [account, signer])
  const ask = useMemo(() => askAs(catalogue, own), [catalogue, own])
  const refused = (method: string): string | undefined => {
    const callers = findMethod(catalogue, method)?.callers
    if (!callers || callers === 'public' || callers.allowed.includes(account.type)) return undefined
    return `${method} is for ${callers.allowed.join(', ')}; ${account.username} is of type ${account.type}.`
  }
  const calls = findMethod(catalogue, 'user_calls_get')
  return (
    <>
      <p class="choices">
        <span>
          <strong>{account.username}</strong>, {account.type}
        </span>
        <button type="button" onClick={onLeave}>
          Another account
        </button>
      </p>
      <Allowed refused={refused('quickstats_get')} what="Totals">
        <Totals ask={ask} />
      </Allowed>
      {calls && <CallsPanel method={calls} signer={own} ask={ask} seesOthers={account.type !== 'user'} />}
      <Allowed refused={refused('active_calls_get')} what="Calls in progress">
        <ActiveCalls ask={ask} />
      </Allowed>
    </>
  )
}

interface AllowedProps {
  readonly what: string
  readonly refused: string | undefined
  readonly children: ComponentChildren
}

/** A panel that the account may not ask for is absent, and says why. */
const Allowed = ({ what, refused, children }: AllowedProps) =>
  refused === undefined ? (
    children
  ) : (
    <p class="callers">
      {what} are not shown: {refused}
    </p>
  )
