import { useState } from 'preact/hooks'
import type { CreditAnswer, InvoiceAnswer } from '#lib/api/console/answers/billing.ts'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { subtract } from '#lib/base/money.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import { decimalsIn, formatAmount, formatCounted, formatFixed, formatMoney } from '../base/format.ts'
import { type InvoiceFormat, saveDocument } from '../base/month-zip.ts'
import { linkToRoute } from '../base/route.ts'
import type { SectionProps } from '../base/section.ts'
import { ActionButton, ActionForm } from '../fields/action.tsx'
import { CustomerLink } from '../links/customer-link.tsx'
import { InvoiceLink } from '../links/invoice-link.tsx'
import { PayByCard } from '../portal/dues.tsx'
import { stateOfDocument } from '../states/document-state.ts'
import { Loaded } from '../states/loaded.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Table } from '../tables/table.tsx'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { Tile, Tiles } from '../ui/tiles.tsx'
import { useToast } from '../ui/toast.tsx'
import { PaymentPanel } from './payment-panel.tsx'

/** An invoice under its number. Links have its id, because sellers number their invoices alike. */
export function InvoicePage({ route: { id: number, values }, session }: SectionProps) {
  const { id = '' } = values
  return (
    <div class="stack">
      {id === '' ? <Numbered {...{ number, session }} /> : <Invoice key={id} {...{ number, id, session }} />}
    </div>
  )
}

interface NumberedProps {
  readonly number: string
  readonly session: SessionAnswer
}

/** The invoice of a number that somebody typed. Several are listed, each with its customer. */
function Numbered({ number, session }: NumberedProps) {
  const query = useQuery('/search', { text: number })
  const [one, ...others] = query.value?.invoices ?? []
  if (one && others.length === 0) return <Invoice number={one.number} id={String(one.id)} session={session} />
  return (
    <>
      <PageHeader title={`Invoice ${number}`} />
      <Card title="Invoices of this number">
        <Loaded query={query} what="the invoice" lines={2}>
          {({ invoices }) => (
            <Table
              label="Invoices of this number"
              columns={[
                {
                  title: 'Number',
                  text: (row) => row.number,
                  show: (row) => <InvoiceLink number={row.number} id={row.id} />,
                },
                { title: 'Customer', customer: ({ customer }) => customer },
              ]}
              rows={invoices}
              empty={
                <EmptyState title={`No invoice has the number ${number}`}>
                  <a class="button" href={linkToRoute(['billing'])}>
                    All invoices
                  </a>
                </EmptyState>
              }
            />
          )}
        </Loaded>
      </Card>
    </>
  )
}

interface InvoiceProps extends NumberedProps {
  readonly id: string
}

function Invoice({ number, id, session }: InvoiceProps) {
  const query = useQuery(`/documents/invoices/${encodeURIComponent(id)}`)
  return (
    <>
      {!query.value && <PageHeader title={`Invoice ${number}`} />}
      <Loaded query={query} what="the invoice" lines={8}>
        {(answer) => (
          <>
            <PageHeader
              title={`Invoice ${answer.invoice.number}`}
              text={
                <>
                  <CustomerLink {...answer.invoice.customer} />
                  {` · issued ${answer.invoice.date} by ${answer.issuer}`}
                </>
              }
            >
              {answer.byCard && (
                <PayByCard {...answer.invoice} text="Pay by card" wordsOf={({ message }) => message} />
              )}
              <Actions {...{ answer, session }} onChanged={query.again} />
            </PageHeader>
            <Amounts {...{ answer, session }} />
            <div class="beside">
              <Rows answer={answer} />
              <History answer={answer} onChanged={query.again} />
            </div>
          </>
        )}
      </Loaded>
    </>
  )
}

type Answered = { readonly answer: InvoiceAnswer }

/** The amount of the document, whether it is paid, until when, and by whom. */
function Amounts({ answer, session }: Answered & { readonly session: SessionAnswer }) {
  const { invoice, ledger, vat, creditedBy } = answer
  const amount = (text: string | null) => formatMoney(text ?? '0', invoice.currency)
  const [state, tone] = stateOfDocument(invoice, session.today)
  const owed = ledger.find(({ currency }) => currency === invoice.currency)?.owed ?? '0'
  return (
    <Tiles>
      <Tile
        title="Total"
        figure={amount(invoice.amountWithVat)}
        below={`net ${amount(invoice.amount)}, VAT ${amount(vat)}`}
      />
      <Tile
        title="State"
        figure={<Badge text={state} tone={tone} />}
        below={creditedBy === null ? `${amount(invoice.open)} open` : `by ${creditedBy}`}
      />
      <Tile title="Due" figure={invoice.due} below={daysTo(invoice.due, session.today)} />
      <Tile
        title="Customer"
        figure={<CustomerLink {...invoice.customer} />}
        below={
          owed.startsWith('-') ? `has paid ${amount(owed.slice(1))} too much` : `owes ${amount(owed)} in all`
        }
      />
    </Tiles>
  )
}

const DAY_MS = 86_400_000

function daysTo(due: string | null, today: string): string {
  if (due === null) return ''
  const days = Math.round((Date.parse(due) - Date.parse(today)) / DAY_MS)
  if (days === 0) return 'today'
  const count = formatCounted(Math.abs(days), 'day')
  return days > 0 ? `in ${count}` : `${count} ago`
}

/** The rows, and how they become what is left to pay. */
const Rows = ({ answer: { invoice, products, vat } }: Answered) => (
  <Card title="Rows">
    <Table
      isPlain
      label={`Rows of ${invoice.number}`}
      columns={[
        { title: 'Item', text: ({ name }) => name },
        {
          title: 'Quantity',
          number: ({ quantity }) => quantity && formatFixed(quantity, decimalsIn([quantity])),
        },
        { title: `Sum, ${invoice.currency}`, money: ({ sum }) => sum, onPhone: 'first' },
      ]}
      rows={products}
      totals={[
        sumRow('Net', invoice.amount),
        sumRow('VAT', vat),
        sumRow('Total', invoice.amountWithVat),
        sumRow('Open', invoice.open),
      ]}
      empty={<EmptyState title="No rows" text="It was imported without them." />}
    />
  </Card>
)

const sumRow = (name: string, sum: string | null) => ({ name, quantity: '', price: null, sum: sum ?? '0' })

type InvoiceEvent = InvoiceAnswer['history'][number]

const EVENTS: Readonly<Record<InvoiceEvent['kind'], string>> = {
  invoice: 'Issued',
  from_balance: 'Paid from the balance',
  credit_note: 'Credit note',
  payment: 'Payment',
  refund: 'Refund',
  taken_back: 'Taken back',
  write_off: 'Written off',
  conversion: 'Conversion',
}

/** From its issue on. An event without a number of its own is that of the invoice. */
const History = ({ answer: { history, invoice, mails }, onChanged }: Answered & Changing) => (
  <Card title="History">
    <Mails {...{ mails, invoice, onChanged }} />
    <Table
      isPlain
      label={`History of ${invoice.number}`}
      columns={[
        { title: 'Day', text: ({ day }) => day },
        { title: 'Event', text: ({ kind }) => EVENTS[kind], show: (event) => <EventName event={event} /> },
        {
          title: `Amount, ${invoice.currency}`,
          number: ({ kind, amount }) => formatAmount(kind === 'invoice' ? amount : subtract('0', amount)),
        },
      ]}
      rows={history}
    />
  </Card>
)

type SentMail = InvoiceAnswer['mails'][number]

const MAIL_STATES: Readonly<Record<SentMail['state'], readonly [words: string, tone: Tone]>> = {
  waiting: ['waits', 'neutral'],
  sending: ['on its way', 'neutral'],
  sent: ['sent', 'good'],
  refused: ['refused', 'bad'],
  bounced: ['came back', 'bad'],
  in_doubt: ['in doubt', 'warn'],
}

interface Changing {
  readonly onChanged: () => void
}

const noteBounce = (id: number) => act('POST', `/documents/invoices/${id}/bounced`)

/** To whom it was mailed, and what became of it. */
const Mails = ({ mails, invoice, onChanged }: Pick<InvoiceAnswer, 'mails' | 'invoice'> & Changing) =>
  mails.length === 0 ? null : (
    <Table
      isPlain
      label={`Mails of ${invoice.number}`}
      columns={[
        { title: 'Mail', text: ({ at, level }) => (level > 0 ? `${at}, reminder ${level}` : at) },
        { title: 'To', text: ({ to }) => to },
        {
          title: 'State',
          text: ({ state }) => state,
          show: (mail) => (
            <span title={[mail.answer, `by ${mail.by}`].filter(Boolean).join(', ')}>
              <Badge text={MAIL_STATES[mail.state][0]} tone={MAIL_STATES[mail.state][1]} />
              {mail.state === 'sent' ? '' : ` ${mail.answer}`}
              {mail === mails.findLast(({ level }) => level === 0) && mail.state === 'sent' && (
                <ActionButton text="It came back" run={() => noteBounce(invoice.id).then(onChanged)} />
              )}
            </span>
          ),
        },
      ]}
      rows={mails}
    />
  )

function EventName({ event: { kind, number, id } }: { readonly event: InvoiceEvent }) {
  const words = EVENTS[kind]
  if (id === null) return <>{words}</>
  const values: SentValues =
    kind === 'payment' ? { kind: 'payments', payment: String(id) } : { kind: 'credit-notes' }
  return <a href={linkToRoute(['billing'], values)}>{`${words} ${number}`}</a>
}

interface ActionsProps extends Answered {
  readonly session: SessionAnswer
  readonly onChanged: () => void
}

const FORMATS: readonly (readonly [format: InvoiceFormat, title: string])[] = [
  ['ubl', 'Save as UBL'],
  ['peppol', 'Save for Peppol'],
  ['xrechnung', 'Save as XRechnung'],
  ['factur-x', 'Save as Factur-X'],
  ['cii', 'Save as CII'],
  ['calls', 'Save its calls'],
]

function Actions({ answer: { invoice, mails }, session, onChanged }: ActionsProps) {
  const [panel, open] = useState<'payment' | 'credit' | 'write-off' | 'send'>()
  const saving = useAction()
  const close = () => open(undefined)
  const done = () => {
    close()
    onChanged()
  }
  const isOpen = Number(invoice.open ?? 0) > 0
  const isAdmin = session.type === 'admin'
  const save = (format: InvoiceFormat) => saving.run(() => saveDocument('invoices', invoice.id, format))
  const items: MenuItem[] = [
    ...FORMATS.map(([format, title]) => ({ title, onChoose: () => save(format) })),
    ...(isAdmin && isOpen
      ? [{ title: 'Write off …', isDangerous: true, onChoose: () => open('write-off') }]
      : []),
  ]
  return (
    <>
      {saving.problem && <RefusalNotice problem={saving.problem} />}
      <Button icon="download" isBusy={saving.isUnderWay} onClick={() => save('pdf')}>
        PDF
      </Button>
      {session.actions.includes('payments') && (
        <Button opens onClick={() => open('send')}>
          Send …
        </Button>
      )}
      {isAdmin && (
        <Button opens onClick={() => open('credit')}>
          Credit …
        </Button>
      )}
      {isOpen && session.actions.includes('payments') && (
        <Button opens kind="primary" icon="plus" onClick={() => open('payment')}>
          Record a payment
        </Button>
      )}
      <Menu label={`More of ${invoice.number}`} items={items} />
      {panel === 'payment' && (
        <PaymentPanel
          {...{ session, onDone: done, onClose: close }}
          customer={invoice.customer.id}
          initial={{
            ...{ amount: invoice.open ?? '', currency: invoice.currency },
            invoice: invoice.number,
          }}
        />
      )}
      {panel === 'send' && (
        <SidePanel title={`Send ${invoice.number}`} onClose={close}>
          <SendForm id={invoice.id} isMailed={mails.length > 0} onDone={done} />
        </SidePanel>
      )}
      {panel === 'credit' && (
        <SidePanel title={`Credit ${invoice.number}`} onClose={close}>
          <CreditForm id={invoice.id} onDone={done} />
        </SidePanel>
      )}
      {panel === 'write-off' && (
        <SidePanel title={`Write off ${invoice.number}`} onClose={close}>
          <WriteOff id={invoice.id} onDone={done} />
        </SidePanel>
      )}
    </>
  )
}

interface ActProps {
  readonly id: number
  readonly onDone: () => void
}

/** Its files go to the customer by mail. */
function SendForm({ id, isMailed, onDone }: ActProps & { readonly isMailed: boolean }) {
  const showToast = useToast()
  const send = async (idempotencyKey: string, values: SentValues) => {
    const path = `/documents/invoices/${id}/send` as const
    const { number, to } = await act('POST', path, {
      ...values,
      'idempotency-key': idempotencyKey,
    })
    showToast(`${number} goes to ${to}.`)
    onDone()
  }
  return <ActionForm text="Send" fields={isMailed ? [TO, AGAIN] : [TO]} run={send} />
}

const TO = { name: 'to', label: 'To', hint: 'A mail address. Blank: the email of the customer.' } as const

const AGAIN = {
  ...({ name: 'again', label: 'Send it again', control: 'switch' } as const),
  hint: 'It was mailed before, or may have been.',
} as const

/** The open amount of the invoice will not be paid. */
function WriteOff({ id, onDone }: ActProps) {
  const showToast = useToast()
  const writeOff = async (idempotencyKey: string, values: SentValues) => {
    const path = `/documents/invoices/${id}/write-off` as const
    const { number, gross } = await act('POST', path, values, idempotencyKey)
    showToast(`${gross} of ${number} is written off.`)
    onDone()
  }
  return <ActionForm kind="danger" text="Write off what is open" fields={WHY} run={writeOff} />
}

const WHY = [{ name: 'why', label: 'Reason', required: true, hint: 'Shown in the journal.' }] as const

/** Credits an invoice: the amounts are shown before the credit note is issued. */
function CreditForm({ id, onDone }: ActProps) {
  const showToast = useToast()
  const [sent, setSent] = useState<SentValues>({})
  const [preview, setPreview] = useState<CreditAnswer>()
  const path = `/documents/invoices/${id}/credit` as const
  const look = async (_once: string, values: SentValues) => {
    setSent(values)
    setPreview(await act('POST', path, { ...values, 'dry-run': 'yes' }))
  }
  const issue = async (idempotencyKey: string) => {
    const { number } = await act('POST', path, sent, idempotencyKey)
    showToast(`The credit note ${number} is issued.`)
    onDone()
  }
  if (preview)
    return (
      <Notice
        tone="warn"
        title={`A credit note of ${preview.gross} ${preview.currency} for ${preview.invoice}`}
      >
        <p>{`Net ${preview.net}, VAT ${preview.vat}. ${!sent['amount'] ? 'The month of the invoice is open again.' : ''}`}</p>
        <span class="cluster">
          <ActionButton text="Issue the credit note" run={issue} />
          <Button onClick={() => setPreview(undefined)}>Back</Button>
        </span>
      </Notice>
    )
  return <ActionForm text="Preview" fields={CREDIT} initial={sent} run={look} />
}

const CREDIT = [
  {
    name: 'amount',
    label: 'Amount without VAT',
    inputMode: 'decimal',
    hint: 'Such as 12.50. Blank: the whole invoice.',
  },
  { name: 'why', label: 'Reason', required: true, hint: 'The customer reads it.' },
  {
    ...({ name: 'again', label: 'Credit it again', control: 'switch' } as const),
    hint: 'An equal amount of today is another one.',
  },
] as const
