import { useMemo, useState } from 'preact/hooks'
import { type AnswerRow, answerRow } from '#lib/xml/answer-rows.ts'
import { type Ask, askAs } from '../api/ask.ts'
import { find, textIn } from '../api/xml.ts'
import type { PartProps } from '../part.ts'
import { Field } from './field.tsx'
import { Message } from './message.tsx'
import { Table } from './table.tsx'
import { useAnswer } from './use-answer.ts'

const RATE = ['Account', 'Rate', 'Destination', 'Prefix', 'Refused']

/** What a number costs in the tariffs of accounts, and whole tariffs. */
export function Rates({ catalogue, signer }: PartProps) {
  const ask = useMemo(() => askAs(catalogue, signer), [catalogue, signer])
  return (
    <>
      <h1>Rates</h1>
      <NumberRates ask={ask} username={signer.username} />
      <TariffRates ask={ask} />
    </>
  )
}

function NumberRates({ ask, username }: { readonly ask: Ask; readonly username: string }) {
  const [number, setNumber] = useState('')
  const [accounts, setAccounts] = useState(username)
  const [{ value, problem }, put] = useAnswer<readonly AnswerRow[]>()
  const submit = (event: Event) => {
    event.preventDefault()
    return put(() =>
      Promise.all(
        accounts
          .split(/[\s,]+/)
          .filter(Boolean)
          .map(rateFor(ask, number)),
      ),
    )
  }
  return (
    <section class="card" aria-label="A number">
      <h2>What does a number cost?</h2>
      <form class="row" onSubmit={submit}>
        <Field label="Number" required value={number} onInput={setNumber} placeholder="+370 612 34567" />
        <Field
          label="Accounts"
          required
          value={accounts}
          onInput={setAccounts}
          hint="Usernames; each is asked for its own tariff."
        />
        <button class="primary" type="submit">
          Look up
        </button>
      </form>
      {problem && <Message kind="error" text={problem} />}
      {value && <Table caption={`Rates of ${number}`} columns={RATE} rows={value} />}
    </section>
  )
}

const rateFor =
  (ask: Ask, prefix: string) =>
  async (username: string): Promise<AnswerRow> => {
    try {
      const [Rate = '', Destination = '', Prefix = ''] = textIn(
        await ask('rate_get', { prefix, username }),
        'rate',
      ).split('#')
      return { Account: username, Rate, Destination, Prefix }
    } catch (error) {
      return { Account: username, Refused: (error as Error).message }
    }
  }

interface Tariff {
  readonly name: string
  readonly rows: readonly AnswerRow[]
}

const TARIFF = [
  'prefix',
  'destination',
  'tariff_rate',
  'con_fee',
  'increment',
  'min_time',
  'start_time',
  'end_time',
  'daytype',
  'effective_from',
]

function TariffRates({ ask }: { readonly ask: Ask }) {
  const [id, setId] = useState('')
  const [wanted, setWanted] = useState('')
  const [{ value, problem }, put] = useAnswer<Tariff>()
  const submit = (event: Event) => {
    event.preventDefault()
    return put(async () => {
      const answer = await ask('tariff_rates_get', id ? { tariff_id: id } : {})
      const rows = (find(answer, 'rates')?.children ?? []).map((rate) => answerRow(rate))
      return { name: `${textIn(answer, 'tariff_name')}, ${textIn(answer, 'currency')}`, rows }
    })
  }
  const found = value?.rows.filter(({ prefix = '', destination = '' }) =>
    `${prefix} ${destination}`.toLowerCase().includes(wanted.toLowerCase()),
  )
  return (
    <section class="card" aria-label="A tariff">
      <h2>A whole tariff</h2>
      <form class="row" onSubmit={submit}>
        <Field
          label="Tariff"
          value={id}
          onInput={setId}
          placeholder="3"
          hint="Its id; blank is the one of the account that calls."
        />
        <button type="submit">Show the tariff</button>
      </form>
      {problem && <Message kind="error" text={problem} />}
      {value && found && (
        <>
          <Field label="Prefix or destination" value={wanted} onInput={setWanted} />
          <Table caption={value.name} columns={TARIFF} rows={found} />
        </>
      )}
    </section>
  )
}
