import type { PartProps } from '../part.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { Documents } from './documents.tsx'

export const Billing = ({ place, session }: PartProps) => (
  <div class="stack">
    <PageHeader title="Billing" text="The newest first, each amount in its own currency." />
    <Documents place={place} session={session} />
  </div>
)
