import { useState } from 'preact/hooks'
import type { Ask } from '../api/ask.ts'
import { useAnswer } from '../api/use-answer.ts'
import { textIn } from '../api/xml.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { ProblemNotice } from '../ui/problem-notice.tsx'

/** The rate of a number for an account. */
interface FoundRate {
  readonly number: string
  readonly username: string
  readonly rate: string
  readonly destination: string
  readonly prefix: string
}

/** The price of a number for one account, in a sentence. */
export function NumberRate({ ask, username: own }: { readonly ask: Ask; readonly username: string }) {
  const [number, setNumber] = useState('')
  const [username, setUsername] = useState(own)
  const [{ value, problem, isUnderWay }, put] = useAnswer<FoundRate>()
  const submit = (event: Event) => {
    event.preventDefault()
    return put(() => rateOf(ask, number.trim(), username.trim()))
  }
  return (
    <Card title="What does a number cost?">
      <form class="line-form" onSubmit={submit}>
        <Field label="Number" required value={number} onInput={setNumber} placeholder="+370 612 34567" />
        <Field label="Account" required value={username} onInput={setUsername} hint="Its username." />
        <Button kind="primary" submits isBusy={isUnderWay}>
          Look up
        </Button>
      </form>
      {problem && <ProblemNotice text={REFUSALS[problem] ?? problem} />}
      {value && (
        <Notice tone="good" title={`${value.rate} a minute`}>
          {value.username} calls {value.number} for {value.rate} a minute, in the currency of its tariff:{' '}
          {value.destination}, prefix {value.prefix}.
        </Notice>
      )}
    </Card>
  )
}

const REFUSALS: Readonly<Record<string, string>> = {
  'User was not found': 'User was not found: no account of this username is in sight.',
  Rate_was_not_found: 'Rate_was_not_found: the tariff of the account has no rate for this number.',
  Prefix_not_found: 'Prefix_not_found: no destination begins with these digits.',
  Empty_prefix: 'Empty_prefix: the number has no digits.',
}

async function rateOf(ask: Ask, number: string, username: string): Promise<FoundRate> {
  const answer = await ask('rate_get', { prefix: number, username })
  const [rate = '', destination = '', prefix = ''] = textIn(answer, 'rate').split('#')
  return { number, username, rate, destination, prefix }
}
