import { useEffect, useState } from 'preact/hooks'
import type { MonthAnswer } from '#lib/api/console/answers/billing.ts'
import { add, type Money } from '#lib/base/money.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act, type QueryValues, type RefusedRequest } from '../api/console-api.ts'
import { answerPages } from '../api/use-pages.ts'
import { formatCounted, formatMoney } from '../base/format.ts'
import { ActionButton } from '../fields/action.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { SwitchField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useToast } from '../ui/toast.tsx'
import { type Choice, wordsOf } from './month-preview.tsx'

interface MonthIssueProps {
  readonly month: string
  readonly choice: Choice
  /** The month is issued: what was read of it is outdated. */
  readonly onIssued: () => void
}

/** The invoices that would be issued to the chosen customers, and the button that issues them. */
export function MonthIssue({ month, choice, onIssued }: MonthIssueProps) {
  const showToast = useToast()
  const [progress, note] = useState('')
  const [isDespite, setDespite] = useState('0')
  const [isLate, setLate] = useState('0')
  const yes = (value: string) => (value === '1' ? 'yes' : '')
  const wanted = {
    ...{ month, 'despite-suspense': yes(isDespite), late: yes(isLate) },
    [choice.isAll ? 'except' : 'only']: choice.others.join(),
  }
  const { sums, problem, seen, isComplete } = useSums(wanted)
  const issue = async () => {
    const { issued, refused } = await issuePages(wanted, note).finally(() => note(''))
    showToast(`${month}: ${issued} issued${refused > 0 ? `, ${refused} refused: see Preview` : ''}.`)
    onIssued()
  }
  return (
    <Card title={`Issue ${month} to ${wordsOf(choice)}`}>
      <SwitchField
        label="Also customers with calls in suspense"
        value={isDespite}
        onInput={setDespite}
        hint="A later month bills these calls."
      />
      <SwitchField
        label="Also what is older than Late_Months"
        value={isLate}
        onInput={setLate}
        hint="It is listed under Check as not billed."
      />
      {problem && <RefusalNotice problem={problem} />}
      {!isComplete && !problem && (
        <>
          <Skeleton what="the sums" lines={2} />
          {seen > 0 && <p class="muted">{`${formatCounted(seen, 'customer')} added up`}</p>}
        </>
      )}
      {isComplete && sums.documents === 0 && (
        <EmptyState
          title={`${month} has no invoices left to issue`}
          text="Earlier invoices stay, and customers with an obstacle are listed under Preview."
        />
      )}
      {isComplete && sums.documents > 0 && (
        <Notice tone="warn" title={`${sums.text}. This cannot be undone.`}>
          <p>
            An issued invoice has a number and never changes: a credit note corrects it. Customers with an
            obstacle are left out, and can be issued later. If this page is closed meanwhile, issue the month
            again: what was issued stays.
          </p>
          <span class="cluster">
            <ActionButton text={`Issue ${formatCounted(sums.documents, 'document')}`} run={issue} />
          </span>
          <p role="status">{progress}</p>
        </Notice>
      )}
    </Card>
  )
}

interface Sums {
  readonly documents: number
  /** Such as `41 documents, £12,940.10`. */
  readonly text: string
}

interface Added {
  readonly asked: string
  readonly pages: readonly MonthAnswer[]
  readonly isComplete: boolean
  readonly problem?: RefusedRequest
}

/** Adds up the months of all customers that can be issued, page by page. */
function useSums(wanted: QueryValues) {
  const asked = JSON.stringify(wanted)
  const [found, setFound] = useState<Added>({ asked, pages: [], isComplete: false })
  useEffect(() => {
    let isWanted = true
    const read = async () => {
      const pages: MonthAnswer[] = []
      const show = (more: Partial<Added>) =>
        isWanted && setFound({ asked, pages: [...pages], isComplete: false, ...more })
      try {
        for await (const page of answerPages('/month', wanted)) {
          if (!isWanted) return
          pages.push(page)
          show({})
        }
        show({ isComplete: true })
      } catch (problem) {
        show({ problem: problem as RefusedRequest })
      }
    }
    void read()
    return () => {
      isWanted = false
    }
  }, [asked])
  const { pages, isComplete, problem } =
    found.asked === asked ? found : { ...found, pages: [], isComplete: false }
  const customers = pages.flatMap((page) => page.customers)
  return { sums: sumsOf(customers), seen: customers.length, isComplete, problem }
}

function sumsOf(customers: MonthAnswer['customers']): Sums {
  const open = customers.filter(({ outcome }) => outcome === 'open')
  const amounts = new Map<string, Money>()
  for (const { currency, gross } of open) amounts.set(currency, add(amounts.get(currency) ?? '0', gross))
  const texts = [...amounts].map(([currency, gross]) => formatMoney(gross, currency))
  return { documents: open.length, text: [formatCounted(open.length, 'document'), ...texts].join(', ') }
}

interface Issued {
  readonly issued: number
  readonly refused: number
}

const countIn = ({ issued, refused }: Issued, { customers }: MonthAnswer): Issued => ({
  issued: issued + customers.filter(({ outcome }) => outcome === 'issued').length,
  refused: refused + customers.filter(({ outcome }) => outcome === 'refused').length,
})

/** Issues page by page. Returns the counts of issued and refused. Issuing again resumes a month. */
async function issuePages(wanted: SentValues, note: (text: string) => void) {
  let [count, seen, after]: [Issued, number, string] = [{ issued: 0, refused: 0 }, 0, '']
  note('The first 50 customers are under way')
  for (;;) {
    const page = await act('POST', '/month/issue', { ...wanted, after })
    seen += page.customers.length
    count = countIn(count, page)
    note(`${seen} customers done, ${count.issued} documents issued`)
    if (page.next === null) return count
    after = page.next
  }
}
