import type { MonthAnswer } from '#lib/api/console/answers/billing.ts'
import type { SuspenseAnswer } from '#lib/api/console/answers/calls.ts'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { countOf } from '#lib/base/text.ts'
import { type ApiQuery, useQuery } from '../api/use-query.ts'
import { linkToRoute } from '../base/route.ts'
import { Loaded } from '../states/loaded.tsx'
import { Card } from '../ui/card.tsx'
import { type CheckedThing, Checklist } from '../ui/checklist.tsx'
import { UnbilledCard } from './unbilled-card.tsx'

interface MonthCheckProps {
  readonly month: string
  readonly session: SessionAnswer
  readonly query: ApiQuery<MonthAnswer>
  /** The key of a page of customers whose use no invoice bills. */
  readonly unbilled: string
}

/** The problems to mend before the invoices are issued, because an issued invoice never changes. */
export function MonthCheck({ month, session, query, unbilled }: MonthCheckProps) {
  const hasSuspense = session.sections.includes('suspense')
  const suspense = useQuery(hasSuspense ? '/suspense' : undefined)
  return (
    <>
      <Card title={`Before ${month} is issued`}>
        <Loaded query={query} what="the month" lines={3}>
          {({ seller }) => (
            <>
              <Checklist things={[sellerThing(seller, session)]} />
              {hasSuspense && (
                <Loaded query={suspense} what="the suspended CDRs" lines={1}>
                  {(answer) => <Checklist things={[suspenseThing(answer)]} />}
                </Loaded>
              )}
            </>
          )}
        </Loaded>
      </Card>
      {!query.problem && <UnbilledCard after={unbilled} />}
    </>
  )
}

const SETTING_OF = {
  name: 'Seller_Name',
  address: 'Seller_Address',
  'VAT number': 'Seller_VAT_Number',
  bank: 'Seller_Bank',
} as const

/** The same for a reseller, who is an account. */
const COLUMN_OF = {
  name: 'company_name',
  address: 'address',
  'VAT number': '',
  bank: 'bank',
} as const

function sellerThing({ name, missing }: MonthAnswer['seller'], session: SessionAnswer): CheckedThing {
  const isAdmin = session.type === 'admin'
  const own = missing.filter((what) => isAdmin || what !== 'VAT number')
  const [first = 'name'] = own
  const ofOperator = own.length < missing.length ? ' Your operator sets the VAT number.' : ''
  const mayComplete = own.length > 0 && session.sections.includes('settings')
  return {
    title: 'The seller on the invoices',
    isDone: missing.length === 0,
    says:
      missing.length === 0
        ? `${name}, with its address, VAT number and bank.`
        : `Invoices go out without: ${missing.join(', ')}.${ofOperator}`,
    button: mayComplete ? 'Complete it' : '',
    href: linkToRoute(['settings'], { setting: (isAdmin ? SETTING_OF : COLUMN_OF)[first] }),
  }
}

const suspenseThing = ({ entries, next }: SuspenseAnswer): CheckedThing => ({
  title: 'Suspended CDRs',
  isDone: entries.length === 0,
  says:
    entries.length === 0
      ? 'Every CDR that came is stored.'
      : `${countOf(entries.length, 'CDR', `${entries.length}${next === null ? '' : '+'}`)} to resolve. Customers with calls of the month among them are left out, unless you say otherwise.`,
  button: 'Resolve them',
  href: linkToRoute(['suspense']),
})
