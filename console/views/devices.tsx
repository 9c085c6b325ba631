import { useMemo, useState } from 'preact/hooks'
import { type AnswerRow, answerRow } from '#lib/xml/answer-rows.ts'
import { type Ask, askAs } from '../api/ask.ts'
import { nameOfCustomer, suggestionsOf } from '../api/customers.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useCustomers } from '../api/use-customers.ts'
import { findAll } from '../api/xml.ts'
import type { PartProps } from '../part.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Field } from '../ui/field.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { ProblemNotice } from '../ui/problem-notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useToast } from '../ui/toast.tsx'
import { DevicePanel, type OpenPanel } from './device-panel.tsx'
import { DeviceTable } from './device-table.tsx'

interface Listed {
  readonly customer: string
  readonly devices: readonly AnswerRow[]
}

/** The devices of one customer in a table; what is done with one of them opens at the side. */
export function Devices({ catalogue, signer }: PartProps) {
  const ask = useMemo(() => askAs(catalogue, signer), [catalogue, signer])
  const customers = useCustomers(ask)
  const tell = useToast()
  const [wanted, setWanted] = useState('')
  const [panel, setPanel] = useState<OpenPanel>()
  const [{ value, problem, isUnderWay }, put] = useAnswer<Listed>()
  const list = (customer: string) => put(async () => ({ customer, devices: await devicesOf(ask, customer) }))
  const submit = (event: Event) => {
    event.preventDefault()
    return list(wanted.trim())
  }
  const done = (says: string) => {
    setPanel(undefined)
    tell(says)
    return list(value?.customer ?? '')
  }
  const create = (
    <Button kind="primary" icon="plus" isDisabled={!value} onClick={() => setPanel({ kind: 'create' })}>
      New device
    </Button>
  )
  return (
    <div class="stack">
      <PageHeader title="Devices" text="What customers call with: telephones, trunks and faxes.">
        {create}
      </PageHeader>
      <form class="card card-body line-form" onSubmit={submit}>
        <Field
          label="Customer"
          required
          value={wanted}
          onInput={setWanted}
          suggestions={suggestionsOf(customers)}
          hint="The id of an account. Names are suggested where the API tells them."
        />
        <Button submits isBusy={isUnderWay}>
          Show devices
        </Button>
      </form>
      {problem && <ProblemNotice text={problem} />}
      {isUnderWay && !value && <Skeleton what="the devices" />}
      {value && (
        <Card title={`Devices of ${nameOfCustomer(customers, value.customer)}`}>
          <DeviceTable devices={value.devices} onOpen={setPanel} />
        </Card>
      )}
      {!value && !problem && !isUnderWay && (
        <EmptyState title="No customer chosen" text="Enter the id of an account to see its devices." />
      )}
      {panel && value && (
        <DevicePanel
          ask={ask}
          customer={value.customer}
          panel={panel}
          onClose={() => setPanel(undefined)}
          onDone={done}
        />
      )}
    </div>
  )
}

/** The API refuses where there are no devices: here that is an empty list. */
async function devicesOf(ask: Ask, customer: string): Promise<readonly AnswerRow[]> {
  try {
    return findAll(await ask('devices_get', { user_id: customer }), 'device').map((device) =>
      answerRow(device),
    )
  } catch (error) {
    if ((error as Error).message === 'Device not found') return []
    throw error
  }
}
