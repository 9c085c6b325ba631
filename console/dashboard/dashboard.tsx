import { useEffect, useMemo } from 'preact/hooks'
import { askAs } from '../api/ask.ts'
import { useAnswer } from '../api/use-answer.ts'
import type { PartProps } from '../part.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { ProblemNotice } from '../ui/problem-notice.tsx'
import { ActiveCalls } from './active-calls.tsx'
import { Customers } from './customers.tsx'
import { Totals } from './totals.tsx'
import { Traffic } from './traffic.tsx'
import { type Viewer, viewerOf } from './viewer.ts'

/** The traffic that the signed-in account sees, by the API's own methods. */
export function Dashboard({ catalogue, signer }: PartProps) {
  const ask = useMemo(() => askAs(catalogue, signer), [catalogue, signer])
  const [{ value: viewer, problem }, put] = useAnswer<Viewer>()
  useEffect(() => {
    put(() => viewerOf(ask))
  }, [ask, put])
  return (
    <div class="stack">
      <PageHeader title="Dashboard" text={`The traffic that ${signer.username} sees.`} />
      {problem && <ProblemNotice text={problem} />}
      <Totals viewer={viewer} />
      <Traffic catalogue={catalogue} signer={signer} ask={ask} viewer={viewer} />
      <ActiveCalls ask={ask} />
      <Customers catalogue={catalogue} signer={signer} ask={ask} />
    </div>
  )
}
