import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { MarkupAnswer, PlanOfRates, TariffAnswer } from '#lib/api/console/answers/tariffs.ts'
import { formatCount } from '../base/format.ts'
import { linkToRoute } from '../base/route.ts'
import { Button } from '../ui/button.tsx'
import { SwitchField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { RateChanges } from './version-changes.tsx'

interface PlanPreviewProps {
  readonly plan: PlanOfRates
  /** Further consents in addition to removals, by the parameters of the API. */
  readonly agreements?: Readonly<Record<string, string>>
  /** False if no rate can change. */
  readonly changesRates?: boolean
  /** Further facts, after the sentence about the changes. */
  readonly children?: ComponentChildren
  readonly isBusy: boolean
  readonly onWrite: (agreed: Readonly<Record<string, string>>) => void
}

/** The changes of a tariff by new rates, and the button for a version. Warnings and consents come first. */
export function PlanPreview({
  plan,
  agreements = {},
  changesRates = true,
  children,
  isBusy,
  onWrite,
}: PlanPreviewProps) {
  const [agreed, setAgreed] = useState<Readonly<Record<string, string>>>({})
  const removals = plan.removals === null ? {} : { allowRemovals: `Go on although ${plan.removals}` }
  const gaps = plan.gaps === null ? {} : { withGaps: `Go on although ${plan.gaps}` }
  const needed = Object.entries({ ...agreements, ...removals, ...gaps })
  const compared = plan.compared === null ? {} : { compared: String(plan.compared) }
  return (
    <>
      <p>{`${plan.summary}. Customers of the tariff: ${formatCount(plan.customers)}.`}</p>
      {children}
      {plan.warnings.length > 0 && (
        <Notice tone="warn" title="Look at this before you go on">
          {plan.warnings.map((line) => (
            <p key={line}>{line.replace(/^warning: /, '')}</p>
          ))}
        </Notice>
      )}
      {needed.map(([name, label]) => (
        <SwitchField
          key={name}
          label={label}
          value={agreed[name] === 'yes' ? '1' : '0'}
          onInput={(value) => setAgreed({ ...agreed, [name]: value === '1' ? 'yes' : '' })}
        />
      ))}
      <Button
        kind="primary"
        isBusy={isBusy}
        isDisabled={needed.some(([name]) => agreed[name] !== 'yes')}
        onClick={() => onWrite({ ...compared, ...agreed })}
      >
        Make a new version
      </Button>
      {changesRates && (
        <RateChanges changes={plan} same="The tariff has these rates already" summary="Changes:" />
      )}
    </>
  )
}

export interface RatesPanelProps {
  readonly tariff: TariffAnswer['tariff']
  readonly onClose: () => void
  /** Called in place of `onClose` once the version is made. */
  readonly onDone: () => void
}

interface FramedProps extends Omit<RatesPanelProps, 'tariff'> {
  readonly title: string
  readonly found:
    | { readonly isWritten: MarkupAnswer['isWritten']; readonly plan: PlanOfRates | null }
    | undefined
  readonly children: ComponentChildren
}

/** The frame of such a panel: it says when the version is made. */
export function RatesPanel({ title, found, onClose, onDone, children }: FramedProps) {
  const isWritten = found?.isWritten ?? 'no'
  return (
    <SidePanel title={title} onClose={isWritten === 'no' ? onClose : onDone}>
      {isWritten === 'no' ? (
        children
      ) : (
        <>
          <Notice
            tone="good"
            title={
              isWritten === 'written'
                ? 'The tariff has a new version.'
                : 'The tariff has these rates already.'
            }
          >
            <p>{found?.plan?.summary}</p>
            <p>
              Stored calls keep their prices. CDRs that waited for a rate are in{' '}
              <a href={linkToRoute(['suspense'], { reason: 'unknown_rate' })}>suspense</a>.
            </p>
          </Notice>
          <Button onClick={onDone}>Done</Button>
        </>
      )}
    </SidePanel>
  )
}
