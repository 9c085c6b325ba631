import { useMemo, useState } from 'preact/hooks'
import { type AnswerRow, answerRow } from '#lib/xml/answer-rows.ts'
import { askAs } from '../api/ask.ts'
import type { Values } from '../api/catalogue.ts'
import { findAll, textIn, type XmlNode } from '../api/xml.ts'
import type { PartProps } from '../part.ts'
import { Field } from './field.tsx'
import { Message } from './message.tsx'
import { Table } from './table.tsx'
import { useAnswer } from './use-answer.ts'

interface Documents {
  readonly invoices: readonly XmlNode[]
  readonly payments: readonly AnswerRow[]
}

const PRODUCTS = ['Name', 'Quantity', 'Price', 'Discount', 'Sum', 'Date_added', 'Time']
const PAYMENTS = ['date', 'user', 'type', 'transaction_id', 'amount', 'fee', 'currency', 'completed']

/** Midnight of a day of the browser's calendar as a Unix timestamp. */
const secondsOf = (day: string): string => String(Date.parse(`${day}T00:00:00`) / 1000)

const since = (name: string, day: string): Values => (day ? { [name]: secondsOf(day) } : {})

/** Invoices with their products and payments, as tables that can be printed. */
export function Invoices({ catalogue, signer }: PartProps) {
  const ask = useMemo(() => askAs(catalogue, signer), [catalogue, signer])
  const [from, setFrom] = useState('')
  const [{ value, problem }, put] = useAnswer<Documents>()
  const submit = (event: Event) => {
    event.preventDefault()
    return put(async () => {
      const [invoices, payments] = await Promise.all([
        ask('invoices_get', since('from', from)),
        ask('payments_get', { s_from: '0', ...since('s_from', from) }),
      ])
      return {
        invoices: findAll(invoices, 'Invoice'),
        payments: findAll(payments, 'payment').map((payment) => answerRow(payment)),
      }
    })
  }
  return (
    <>
      <h1>Invoices and payments</h1>
      <form class="card row" onSubmit={submit}>
        <Field
          label="From"
          value={from}
          onInput={setFrom}
          placeholder="2026-11-01"
          hint="YYYY-MM-DD; blank is from the first one."
        />
        <button class="primary" type="submit">
          Show
        </button>
        <button type="button" onClick={() => print()}>
          Print
        </button>
      </form>
      {problem && <Message kind="error" text={problem} />}
      {value?.invoices.map((invoice) => (
        <Invoice key={attributeOf(invoice, 'number')} invoice={invoice} />
      ))}
      {value && <Table caption="Payments" columns={PAYMENTS} rows={value.payments} />}
    </>
  )
}

const attributeOf = ({ attributes }: XmlNode, wanted: string): string =>
  attributes.find(([name]) => name === wanted)?.[1] ?? ''

const Invoice = ({ invoice }: { readonly invoice: XmlNode }) => {
  const products = findAll(invoice, 'Product')
  return (
    <section class="card" aria-label={`Invoice ${attributeOf(invoice, 'number')}`}>
      <h2>
        {attributeOf(invoice, 'number')}{' '}
        <small>
          customer {attributeOf(invoice, 'user_id')} {attributeOf(invoice, 'clientid')},{' '}
          {textIn(invoice, 'Issue_date')}, {textIn(invoice, 'paid') === '1' ? 'paid' : 'unpaid'}
        </small>
      </h2>
      <Table caption="Products" columns={PRODUCTS} rows={products.map((product) => answerRow(product))} />
    </section>
  )
}
