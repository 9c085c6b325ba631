import type { CustomerChargesAnswer } from '#lib/api/console/answers/customers.ts'
import type { PortalMonthAnswer } from '#lib/api/console/answers/portal.ts'
import { isLessThan, subtract } from '#lib/base/money.ts'
import { useQuery } from '../api/use-query.ts'
import { formatLength } from '../base/format.ts'
import type { PageRoute } from '../base/route.ts'
import { lazySection } from '../states/lazy.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Table } from '../tables/table.tsx'
import { Card } from '../ui/card.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Tile, Tiles } from '../ui/tiles.tsx'
import { portalDocumentColumns } from './documents.tsx'
import { PortalDues } from './dues.tsx'
import { type PortalSession, usePortal } from './portal-session.ts'

const LAST_DOCUMENTS = 3

const PortalSpending = lazySection(() => import('./spending.tsx').then((one) => one.PortalSpending))

/** The money of the month, the rest of the credit, the holds of calls, and the next charges. */
export function PortalHome({ route: { values } }: { readonly route: PageRoute }) {
  const portal = usePortal()
  const { t, session, formats } = portal
  const month = useQuery('/own/month')
  const charges = useQuery(`/customers/${session.id}/charges`)
  const documents = useQuery('/documents', { kind: 'invoices' })
  return (
    <div class="stack">
      <PageHeader title={t('home')} text={formats.month(session.today.slice(0, 7))} />
      {values['paid'] && <Notice tone="good" title={t('paidByCard', { number: String(values['paid']) })} />}
      <Loaded query={month}>
        {(value) => (
          <>
            <Money value={value} />
            <PortalDues ledger={value.ledger} />
          </>
        )}
      </Loaded>
      <PortalSpending />
      <Loaded query={charges}>{({ next }) => next.length > 0 && <NextCharges next={next} />}</Loaded>
      <Loaded query={documents}>
        {({ documents: rows }) =>
          rows.length > 0 && (
            <Card title={t('lastDocuments')} beside={<a href="#/documents">{t('documents')}</a>}>
              <Table
                isPlain
                label={t('lastDocuments')}
                columns={portalDocumentColumns(portal, 'invoices', month.value?.ledger ?? [])}
                rows={rows.slice(0, LAST_DOCUMENTS)}
              />
            </Card>
          )
        }
      </Loaded>
    </div>
  )
}

function Money({ value }: { readonly value: PortalMonthAnswer }) {
  const { t, money } = usePortal()
  const { balance, callMoney } = value
  return (
    <>
      <Tiles>
        {balance !== null && (
          <Tile title={t('balance')} figure={money(balance)} below={creditText(value, usePortal())} />
        )}
        {value.ledger.map(({ currency, owed, open, unassigned }) => (
          <Tile
            key={currency}
            title={t('owed')}
            figure={money(isLessThan(owed, '0') ? '0' : owed, currency)}
            below={t('owedParts', { open: money(open, currency), unassigned: money(unassigned, currency) })}
          />
        ))}
        <Tile title={t('spentOnCalls')} figure={money(value.spent)} below={belowSpent(value, usePortal())} />
        <Tile title={t('spentOnFees')} figure={money(value.fees)} below={t('withoutVat')} />
        {callMoney?.left && <Tile title={t('left')} figure={money(callMoney.left)} />}
        {callMoney && <Tile title={t('held')} figure={money(callMoney.held)} />}
      </Tiles>
      {callMoney && callMoney.holds.length > 0 && <Holds holds={callMoney.holds} />}
    </>
  )
}

function belowSpent({ spent, calls, seconds }: PortalMonthAnswer, { t, formats }: PortalSession): string {
  if (spent === null) return t('unknownSum')
  const minutes = formats.number(String(Math.round(seconds / 60)))
  return `${t('answeredCalls', { calls: formats.number(String(calls)), minutes })}, ${t('withoutVat')}`
}

const creditText = ({ credit }: PortalMonthAnswer, { t, money }: PortalSession): string =>
  credit === null || Number(credit) === 0
    ? t('balanceIs')
    : t('creditLimit', { amount: money(subtract('0', credit)) })

function Holds({ holds }: { readonly holds: NonNullable<PortalMonthAnswer['callMoney']>['holds'] }) {
  const { t, money, time } = usePortal()
  return (
    <Card title={t('held')}>
      <Table
        isPlain
        label={t('held')}
        rows={holds}
        columns={[
          { title: t('heldSince'), text: ({ asked }) => time(asked) },
          { title: t('heldAmount'), number: ({ amount }) => money(amount) },
          { title: t('heldLength'), number: ({ seconds }) => formatLength(seconds) },
          { title: t('heldUntil'), text: ({ until }) => time(until) },
        ]}
      />
    </Card>
  )
}

function NextCharges({ next }: Pick<CustomerChargesAnswer, 'next'>) {
  const { t, money, day } = usePortal()
  return (
    <Card title={t('nextCharges')}>
      <Table
        isPlain
        label={t('nextCharges')}
        rows={next}
        columns={[
          { title: t('date'), text: ({ date }) => day(date) },
          { title: t('service'), text: ({ service }) => service },
          { title: t('amount'), number: ({ net, currency }) => money(net, currency), onPhone: 'first' },
        ]}
      />
    </Card>
  )
}
