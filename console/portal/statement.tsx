import type { StatementAnswer } from '#lib/api/console/answers/billing.ts'
import { firstOfMonth } from '#lib/base/calendar.ts'
import { MOVEMENT_TEXTS } from '#lib/billing/ledger/movement-kinds.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import type { PageRoute } from '../base/route.ts'
import { saveOfAccount } from '../billing/month-zip.ts'
import { Loaded } from '../states/loaded.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Facts } from '../ui/facts.tsx'
import { usePortal } from './portal-session.ts'
import { DaysForm } from './rows.tsx'
import { refusalText } from './texts.ts'

/** What was owed before some days, each document and payment of them, and what is owed then. */
export function PortalStatement({ route: { values } }: { readonly route: PageRoute }) {
  const { t, session } = usePortal()
  const { from = firstOfMonth(session.today), till = session.today } = values
  const days = { from, till }
  const saving = useAction()
  return (
    <>
      <DaysForm key={from + till} label={t('statement')} days={days} />
      <Button
        icon="download"
        isBusy={saving.isUnderWay}
        onClick={() => saving.run(() => saveOfAccount('statement', days))}
      >
        PDF
      </Button>
      {saving.problem && <p role="alert">{refusalText(t, saving.problem.code)}</p>}
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

function OfCurrency({ statement }: { readonly statement: StatementAnswer['statements'][number] }) {
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
          { title: t('kind'), text: ({ kind }) => t(MOVEMENT_TEXTS[kind]) },
          { title: t('number'), text: ({ number }) => number },
          { title: t('amount'), number: ({ amount }) => money(amount, currency) },
          { title: t('owedThen'), number: ({ owed }) => money(owed, currency) },
        ]}
      />
      <Facts facts={[[t('owedAtEnd'), <strong key="end">{money(closing, currency)}</strong>]]} />
    </>
  )
}
