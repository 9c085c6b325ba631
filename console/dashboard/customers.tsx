import { useState } from 'preact/hooks'
import type { Ask } from '../api/ask.ts'
import type { Method } from '../api/catalogue.ts'
import { nameOfCustomer } from '../api/customers.ts'
import type { Signer } from '../api/request.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useCustomers } from '../api/use-customers.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { CustomerField } from '../ui/customer-field.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ProblemNotice } from '../ui/problem-notice.tsx'
import { Table } from '../ui/table.tsx'
import type { TableRow } from '../ui/table-rows.ts'
import { FIGURE_COLUMNS, figuresOf } from './destinations.tsx'
import { sumOfCounts } from './tally.ts'
import { tallyCalls } from './tally-calls.ts'

interface CustomersProps {
  readonly catalogue: readonly Method[]
  readonly signer: Signer
  readonly ask: Ask
}

const COLUMNS = [{ key: 'Customer' }, { key: 'Id', isNumber: false }, ...FIGURE_COLUMNS]

const MONTH_SECONDS = 30 * 86_400

/** Calls name no customer, so the calls of each customer are asked for, one customer after the other. */
export function Customers({ catalogue, signer, ask }: CustomersProps) {
  const customers = useCustomers(ask)
  const [wanted, setWanted] = useState('')
  const [rows, setRows] = useState<readonly TableRow[]>([])
  const [{ problem, isUnderWay }, put] = useAnswer<void>()
  const submit = (event: Event) => {
    event.preventDefault()
    return put(async () => {
      const id = wanted.trim()
      const period_start = String(Math.floor(Date.now() / 1000) - MONTH_SECONDS)
      const counter = { catalogue, signer, moneyOf: 'none' } as const
      const { hours } = await tallyCalls(counter, { period_start, s_user: id })
      const row = {
        Customer: nameOfCustomer(customers, id),
        Id: id,
        ...figuresOf(sumOfCounts(hours.values())),
      }
      setRows((before) => [...before.filter(({ Id }) => Id !== id), row])
      setWanted('')
    })
  }
  return (
    <Card title="Customers, 30 days">
      <form class="line-form" onSubmit={submit}>
        <CustomerField value={wanted} onInput={setWanted} customers={customers} />
        <Button submits isBusy={isUnderWay}>
          Add to the comparison
        </Button>
      </form>
      {problem && <ProblemNotice text={problem} />}
      {rows.length > 0 ? (
        <Table label="Customers" columns={COLUMNS} rows={rows} />
      ) : (
        <EmptyState
          title="No customers to compare yet"
          text="Add customers to see their calls side by side."
        />
      )}
    </Card>
  )
}
