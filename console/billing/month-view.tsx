import { useId, useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { monthOf } from '#lib/base/calendar.ts'
import { addMonths, isMonth } from '#lib/invoicing/month.ts'
import { useQuery } from '../api/use-query.ts'
import { navigate, type PageRoute } from '../base/route.ts'
import { Button } from '../ui/button.tsx'
import { LabelledField } from '../ui/field.tsx'
import { TabList, TabPanel } from '../ui/tabs.tsx'
import { MonthCheck } from './month-check.tsx'
import { MonthCollect } from './month-collect.tsx'
import { MonthIssue } from './month-issue.tsx'
import { EVERY_CUSTOMER, isNone, MonthPreview } from './month-preview.tsx'

const STEPS = [
  ['check', '1 Check'],
  ['preview', '2 Preview'],
  ['issue', '3 Issue'],
  ['collect', '4 Send and collect'],
] as const

interface MonthViewProps {
  readonly route: PageRoute
  readonly session: SessionAnswer
}

/** A month becomes invoices in four steps, each with an address. */
export function MonthView({ route, session }: MonthViewProps) {
  const id = useId()
  const last = addMonths(monthOf(session.today), -1)
  const { after = '', month = last, unbilled = '' } = route.values
  const mayIssue = session.type !== 'accountant'
  const steps = STEPS.filter(([name]) => mayIssue || name !== 'issue')
  const step = steps.find(([name]) => name === route.values['step'])?.[0] ?? 'check'
  const query = useQuery('/month', { month, after })
  const [choice, choose] = useState(EVERY_CUSTOMER)
  const open = (name: (typeof STEPS)[number][0]) => navigate({ step: name })
  const next = steps[steps.findIndex(([name]) => name === step) + 1]
  // A month that cannot be billed has no next step, and neither has an empty choice.
  const isAble = query.value !== undefined && !(step === 'preview' && isNone(choice))
  return (
    <>
      <div class="cluster spread">
        <TabList id={id} label="Steps of the month" tabs={steps} value={step} onChange={open} />
        <LabelledField
          label="Month"
          choices={monthsUntil(last, month)}
          blankChoice=""
          value={month}
          onInput={(other) => {
            choose(EVERY_CUSTOMER)
            navigate({ month: other, after: '', unbilled: '' })
          }}
        />
      </div>
      <TabPanel id={id} value={step}>
        {step === 'check' && <MonthCheck {...{ month, session, query, unbilled }} />}
        {step === 'preview' && <MonthPreview {...{ month, query, mayIssue, after, choice, choose }} />}
        {step === 'issue' && (
          <MonthIssue
            {...{ month, choice }}
            onIssued={() => {
              choose(EVERY_CUSTOMER)
              query.again()
              open('collect')
            }}
          />
        )}
        {step === 'collect' && <MonthCollect month={month} />}
        {next && step !== 'issue' && (
          <div class="cluster">
            <Button kind={isAble ? 'primary' : 'secondary'} onClick={() => open(next[0])}>
              {`Continue to ${next[1].slice(2)}`}
            </Button>
          </div>
        )}
      </TabPanel>
    </>
  )
}

const MOST_MONTHS = 24

/** Two years until the last month that is over, and the one of the address. */
function monthsUntil(last: string, chosen: string): string[] {
  const months = Array.from({ length: MOST_MONTHS }, (_, index) => addMonths(last, -index))
  return months.includes(chosen) || !isMonth(chosen) ? months : [...months, chosen]
}
