import type { StatementAnswer } from '#lib/api/console/answers/billing.ts'
import { firstOfMonth } from '#lib/base/calendar.ts'
import { useQuery } from '../api/use-query.ts'
import type { PageRoute } from '../base/route.ts'
import { Loaded } from '../states/loaded.tsx'
import { Table } from '../tables/table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Facts } from '../ui/facts.tsx'
import { usePortal } from './portal-session.ts'
import { DaysForm } from './rows.tsx'
import type { PortalText } from './texts.ts'

type Statement = StatementAnswer['statements'][number]

const MOVED: Readonly<Record<Statement['entries'][number]['kind'], PortalText>> = {
  invoice: 'movedInvoice',
  from_balance: 'movedFromBalance',
  credit_note: 'movedCreditNote',
  payment: 'movedPayment',
  refund: 'movedRefund',
  taken_back: 'movedTakenBack',
  write_off: 'movedWriteOff',
  conversion: 'movedConversion',
}

/** What was owed before some days, each document and payment of them, and what is owed then. */
export function PortalStatement({ route: { values } }: { readonly route: PageRoute }) {
  const { t, session } = usePortal()
  const { from = firstOfMonth(session.today), till = session.today } = values
  const days = { from, till }
  return (
    <>
      <DaysForm key={from + till} label={t('statement')} days={days} />
      <Loaded query={useQuery<StatementAnswer>('/documents/statement', days)}>
        {({ statements }) =>
          statements.length === 0 ? (
            <EmptyState title={t('noMovements')} />
          ) : (
            statements.map((one) => <OfCurrency key={one.currency} statement={one} />)
          )
        }
      </Loaded>
    </>
  )
}

function OfCurrency({ statement }: { readonly statement: Statement }) {
  const { t, money, day } = usePortal()
  const { currency, opening, entries, closing } = statement
  return (
    <>
      <Facts facts={[[t('owedBefore'), money(opening, currency)]]} />
      <Table
        isPlain
        label={`${t('statement')}, ${currency}`}
        rows={entries}
        columns={[
          { title: t('date'), text: (entry) => day(entry.day) },
          { title: t('kind'), text: ({ kind }) => t(MOVED[kind]) },
          { title: t('number'), text: ({ number }) => number },
          { title: t('amount'), number: ({ amount }) => money(amount, currency) },
          { title: t('owedThen'), number: ({ owed }) => money(owed, currency) },
        ]}
      />
      <Facts facts={[[t('owedAtEnd'), <strong key="end">{money(closing, currency)}</strong>]]} />
    </>
  )
}
