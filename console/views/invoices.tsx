import { useEffect, useMemo, useState } from 'preact/hooks'
import { type AnswerRow, answerRow } from '#lib/xml/answer-rows.ts'
import { type Ask, askAs } from '../api/ask.ts'
import type { Values } from '../api/catalogue.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useCustomers } from '../api/use-customers.ts'
import { findAll, type XmlNode } from '../api/xml.ts'
import type { PartProps } from '../part.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Field } from '../ui/field.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { ProblemNotice } from '../ui/problem-notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { InvoicePages } from './invoice-pages.tsx'
import { InvoiceTable } from './invoice-table.tsx'
import { PaymentTable } from './payment-table.tsx'

interface Documents {
  readonly invoices: readonly XmlNode[]
  readonly payments: readonly AnswerRow[]
}

const DAY_MS = 86_400_000

/** Days that are shown at first. */
const SHOWN_DAYS = 90

const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

/** Invoices with their lines folded, and payments. Printed, each invoice has a page of its own. */
export function Invoices({ catalogue, signer }: PartProps) {
  const ask = useMemo(() => askAs(catalogue, signer), [catalogue, signer])
  const customers = useCustomers(ask)
  const [from, setFrom] = useState(() => dayBefore(SHOWN_DAYS))
  const [isPrinting, setPrinting] = useState(false)
  const [{ value, problem, isUnderWay }, put] = useAnswer<Documents>()
  const show = () => put(() => documentsSince(ask, from))
  useEffect(() => {
    show()
  }, [ask])
  const submit = (event: Event) => {
    event.preventDefault()
    return show()
  }
  return (
    <div class="stack">
      <PageHeader title="Invoices and payments" text="Open an invoice to see its lines.">
        <Button icon="print" isDisabled={!value} onClick={() => setPrinting(true)}>
          Print the invoices
        </Button>
      </PageHeader>
      <form class="card card-body line-form" onSubmit={submit}>
        <Field label="From" type="date" value={from} onInput={setFrom} hint="Blank for everything." />
        <Button kind="primary" submits isBusy={isUnderWay}>
          Show
        </Button>
      </form>
      {problem && <ProblemNotice text={problem} />}
      <Card title="Invoices">
        {value ? (
          <InvoiceTable ask={ask} invoices={value.invoices} customers={customers} />
        ) : (
          <Skeleton what="the invoices" />
        )}
      </Card>
      <Card title="Payments">
        {value ? <PaymentTable payments={value.payments} /> : <Skeleton what="the payments" />}
      </Card>
      {isPrinting && value && (
        <InvoicePages
          ask={ask}
          invoices={value.invoices}
          customers={customers}
          onPrinted={() => setPrinting(false)}
        />
      )}
    </div>
  )
}

/** Midnight of a day of the browser's calendar as a Unix timestamp. */
const secondsOf = (day: string): string => String(Date.parse(`${day}T00:00:00`) / 1000)

const since = (name: string, day: string): Values => (day ? { [name]: secondsOf(day) } : {})

async function documentsSince(ask: Ask, day: string): Promise<Documents> {
  const [invoices, payments] = await Promise.all([
    ask('invoices_get', since('from', day)),
    ask('payments_get', { s_from: '0', ...since('s_from', day) }),
  ])
  return {
    invoices: findAll(invoices, 'Invoice'),
    payments: findAll(payments, 'payment').map((payment) => answerRow(payment)),
  }
}
