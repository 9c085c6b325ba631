import { useMemo } from 'preact/hooks'
import { askAs } from '../api/ask.ts'
import type { PartProps } from '../part.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { ActiveCalls } from './active-calls.tsx'
import { Customers } from './customers.tsx'
import { Totals } from './totals.tsx'
import { Traffic } from './traffic.tsx'

/** What the account that is signed in sees of its traffic, all by the API's own methods. */
export function Dashboard({ catalogue, signer }: PartProps) {
  const ask = useMemo(() => askAs(catalogue, signer), [catalogue, signer])
  return (
    <div class="stack">
      <PageHeader title="Dashboard" text={`The traffic that ${signer.username} sees.`} />
      <Totals ask={ask} />
      <Traffic catalogue={catalogue} signer={signer} ask={ask} />
      <ActiveCalls ask={ask} />
      <Customers catalogue={catalogue} signer={signer} ask={ask} />
    </div>
  )
}
