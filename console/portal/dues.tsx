import type { PortalDuesAnswer } from '#lib/api/console/answers/portal.ts'
import type { LedgerValue } from '#lib/api/console/answers/shapes.ts'
import { act, type RefusedRequest } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import { Loaded } from '../states/loaded.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { QrImage } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { type Fact, Facts } from '../ui/facts.tsx'
import { isCovered, NumberLink, portalState, SavePdf } from './documents.tsx'
import { usePortal } from './portal-session.ts'
import { refusalText } from './texts.ts'

interface PortalDuesProps {
  /** The amount owed in all, less payments in advance. */
  readonly ledger: LedgerValue
}

/** The open amounts of a customer, their due days, how to pay them, and reminders. */
export const PortalDues = ({ ledger }: PortalDuesProps) => (
  <Loaded query={useQuery('/own/dues')}>
    {({ seller, invoices, reminders }) => (
      <>
        {invoices.length > 0 && <Dues {...{ seller, invoices, ledger }} />}
        {reminders.length > 0 && <Reminders reminders={reminders} />}
      </>
    )}
  </Loaded>
)

type Due = PortalDuesAnswer['invoices'][number]

function Reminders({ reminders }: Pick<PortalDuesAnswer, 'reminders'>) {
  const { t, day } = usePortal()
  return (
    <Card title={t('reminders')}>
      <Table
        isPlain
        label={t('reminders')}
        rows={reminders.toReversed()}
        columns={[
          { title: t('date'), text: (one) => day(one.day) },
          { title: '#', number: ({ level }) => `${level}.` },
          { title: t('number'), text: ({ numbers }) => numbers },
          { title: t('sentTo'), text: ({ to }) => to },
        ]}
      />
    </Card>
  )
}

function Dues({ seller, invoices, ledger }: Omit<PortalDuesAnswer, 'reminders'> & PortalDuesProps) {
  const portal = usePortal()
  const { t, money, day } = portal
  const isOwed = ({ currency }: Due) => !isCovered(ledger, currency)
  const toPay = invoices.filter(isOwed)
  return (
    <>
      <Card title={t('openInvoices')}>
        {toPay.length === 0 && <p>{t('paidAhead')}</p>}
        <Table
          isPlain
          label={t('openInvoices')}
          rows={invoices}
          columns={[
            {
              title: t('number'),
              text: ({ number }) => number,
              show: (one) => <NumberLink kind="invoices" row={one} />,
            },
            { title: t('dueDay'), text: ({ due }) => day(due) },
            {
              title: t('state'),
              state: (one) => portalState(portal, { ...one, status: 'unpaid' }, ledger),
            },
            { title: t('amount'), number: ({ open, currency }) => money(open, currency), onPhone: 'first' },
            { title: t('file'), text: () => 'PDF', show: (one) => <SavePdf kind="invoices" row={one} /> },
            ...(toPay.some(({ byCard }) => byCard)
              ? [
                  {
                    title: t('card'),
                    text: () => '',
                    show: (one: Due) =>
                      one.byCard &&
                      isOwed(one) && (
                        <PayByCard
                          {...{ id: one.id, number: one.number }}
                          text={t('pay')}
                          wordsOf={({ code }) => refusalText(t, code)}
                        />
                      ),
                  },
                ]
              : []),
          ]}
        />
      </Card>
      {toPay[0] && <HowToPay seller={seller} number={toPay[0].number} toPay={toPay} />}
    </>
  )
}

interface PayByCardProps {
  readonly id: number
  readonly number: string
  readonly text: string
  readonly wordsOf: (problem: RefusedRequest) => string
}

/** Opens the page of Stripe for the open amount of an own invoice. */
export function PayByCard({ id, number, text, wordsOf }: PayByCardProps) {
  const { run, isUnderWay, problem } = useAction()
  const pay = () =>
    run(async () => {
      const { url } = await act('POST', `/own/invoices/${id}/pay`)
      window.location.assign(url)
    })
  return (
    <>
      <Button small kind="primary" label={`${text} ${number}`} isBusy={isUnderWay} onClick={pay}>
        {text}
      </Button>
      {problem && (
        <span class="wrong" role="alert">
          {wordsOf(problem)}
        </span>
      )}
    </>
  )
}

interface HowToPayProps extends Pick<PortalDuesAnswer, 'seller'> {
  readonly number: string
  readonly toPay: readonly Due[]
}

function HowToPay({ seller, number: reference, toPay }: HowToPayProps) {
  const { t, money } = usePortal()
  return (
    <Card title={t('howToPay')}>
      <Facts facts={transferFacts(seller, reference, t)} />
      <div class="portal-codes">
        {toPay.map(({ id, number, open, currency, code }) =>
          code === null ? null : (
            <figure key={id}>
              <QrImage code={code} label={t('scan')} />
              <figcaption>{`${number}, ${money(open, currency)}`}</figcaption>
            </figure>
          ),
        )}
      </div>
      {toPay.some(({ code }) => code !== null) && <p class="muted">{t('scan')}</p>}
    </Card>
  )
}

function transferFacts(
  { name, bank }: PortalDuesAnswer['seller'],
  number: string,
  t: ReturnType<typeof usePortal>['t'],
): Fact[] {
  const copied = (text: string, what: string) => (
    <span class="cluster">
      <span class="lines">{text}</span>
      <CopyButton text={text} what={what} />
    </span>
  )
  return [
    [t('payee'), name],
    [t('bank'), bank === '' ? t('askServer') : copied(bank, t('bank'))],
    [t('reference'), copied(number, t('reference'))],
  ]
}
