import { useEffect, useState } from 'preact/hooks'
import { type AnswerRow, answerRow } from '#lib/xml/answer-rows.ts'
import type { Ask } from '../api/ask.ts'
import { type NamedCustomer, nameOfCustomer } from '../api/customers.ts'
import { useAnswer } from '../api/use-answer.ts'
import { findAll } from '../api/xml.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ProblemNotice } from '../ui/problem-notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useToast } from '../ui/toast.tsx'
import { DevicePanel, type OpenPanel } from './device-panel.tsx'
import { DeviceTable } from './device-table.tsx'

interface CustomerDevicesProps {
  readonly ask: Ask
  readonly customer: string
  readonly customers: readonly NamedCustomer[]
}

/** Devices in a table; what is done with one of them opens at the side. */
export function CustomerDevices({ ask, customer, customers }: CustomerDevicesProps) {
  const tell = useToast()
  const [panel, setPanel] = useState<OpenPanel>()
  const [{ value: devices, problem }, put] = useAnswer<readonly AnswerRow[]>()
  const list = () => put(() => devicesOf(ask, customer))
  useEffect(() => {
    list()
  }, [])
  const done = (says: string) => {
    setPanel(undefined)
    tell(says)
    return list()
  }
  if (problem) return <ProblemNotice text={problem} />
  const create = (
    <Button kind="primary" icon="plus" isDisabled={!devices} onClick={() => setPanel({ kind: 'create' })}>
      New device
    </Button>
  )
  return (
    <>
      <Card title={`Devices of ${nameOfCustomer(customers, customer)}`} beside={create}>
        {devices ? <DeviceTable devices={devices} onOpen={setPanel} /> : <Skeleton what="the devices" />}
      </Card>
      {panel && (
        <DevicePanel
          ask={ask}
          customer={customer}
          panel={panel}
          onClose={() => setPanel(undefined)}
          onDone={done}
        />
      )}
    </>
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
