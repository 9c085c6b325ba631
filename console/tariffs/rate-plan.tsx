import type { PlanOfRates, SheetAnswer } from '#lib/api/console/answers/tariffs.ts'
import { linkToPlace } from '../place.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

/** Warnings such as prefixes that are sold below cost. */
export const PlanNotices = ({ plan }: { readonly plan: PlanOfRates }) => (
  <>
    {plan.warnings.length > 0 && (
      <Notice tone="warn" title="Look at this before you go on">
        {plan.warnings.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </Notice>
    )}
  </>
)

interface PlanWrittenProps {
  readonly isWritten: SheetAnswer['isWritten']
  readonly plan: PlanOfRates | null
  readonly onDone: () => void
}

export const PlanWritten = ({ isWritten, plan, onDone }: PlanWrittenProps) => (
  <>
    <Notice
      tone="good"
      title={
        isWritten === 'written' ? 'The tariff has a new version.' : 'The tariff has these rates already.'
      }
    >
      <p>{plan?.summary}</p>
      <p>
        Stored calls keep their prices. CDRs that waited for a rate are in{' '}
        <a href={linkToPlace(['suspense'], { reason: 'unknown_rate' })}>suspense</a>.
      </p>
    </Notice>
    <Button onClick={onDone}>Done</Button>
  </>
)
