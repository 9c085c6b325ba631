import { useState } from 'preact/hooks'
import type { CustomerAnswer } from '#lib/api/console/answers/customers.ts'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import { askAs } from '../api/ask.ts'
import { WithKey } from '../developers/developers.tsx'
import { dash } from '../format.ts'
import { Table, type TableColumn } from '../tables/table.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Menu } from '../ui/menu.tsx'
import { useToast } from '../ui/toast.tsx'
import { DevicePanel, type OpenPanel } from './device-panel.tsx'

interface DevicesTabProps {
  readonly session: SessionAnswer
  readonly answer: CustomerAnswer
  readonly onChanged: () => void
}

const COLUMNS: readonly TableColumn[] = [
  {
    key: 'name',
    title: 'Name',
    isNumber: false,
    show: ({ name, primary }) => (
      <span class="cluster">
        <strong>{name}</strong>
        {primary === 'yes' && <Badge tone="info" text="Primary" />}
      </span>
    ),
  },
  { key: 'id', title: 'Id', isNumber: false },
  { key: 'type', title: 'Type' },
  { key: 'address', title: 'Address', isNumber: false },
]

/** The devices of a customer. They are changed through the signed API, so the first change asks for the secret key. */
export function DevicesTab({
  session,
  answer: { customer, devices, deviceCount },
  onChanged,
}: DevicesTabProps) {
  const tell = useToast()
  const [panel, setPanel] = useState<OpenPanel>()
  const close = () => setPanel(undefined)
  const done = (sentence: string) => {
    close()
    tell(sentence)
    onChanged()
  }
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setPanel({ kind: 'create' })}>
      New device
    </Button>
  )
  return (
    <>
      <Card title="Devices" beside={create}>
        {deviceCount > devices.length && (
          <p>
            The first {devices.length} of {deviceCount} devices.
          </p>
        )}
        <Listed devices={devices} onOpen={setPanel} />
      </Card>
      {panel && (
        <WithKey session={session} purpose="devices are changed through the signed API">
          {({ catalogue, signer }) => (
            <DevicePanel
              ask={askAs(catalogue, signer)}
              customer={String(customer.id)}
              panel={panel}
              onClose={close}
              onDone={done}
            />
          )}
        </WithKey>
      )}
    </>
  )
}

interface ListedProps {
  readonly devices: CustomerAnswer['devices']
  readonly onOpen: (panel: OpenPanel) => void
}

const Listed = ({ devices, onOpen }: ListedProps) => (
  <Table
    empty={
      <EmptyState title="This customer has no devices yet" text="Create the first one with “New device”." />
    }
    label="Devices"
    columns={COLUMNS}
    rows={devices.map(({ id, name, type, address, isPrimary }) => ({
      id: String(id),
      name,
      type,
      address: dash(address),
      primary: isPrimary ? 'yes' : '',
    }))}
    actions={({ id = '', name = '' }) => (
      <Menu
        label={`Actions of device ${id}`}
        items={[
          { title: 'Edit', onChoose: () => onOpen({ kind: 'edit', id, name }) },
          { title: 'Rules', onChoose: () => onOpen({ kind: 'rules', id, name }) },
          {
            title: 'Delete',
            isDangerous: true,
            onChoose: () => onOpen({ kind: 'delete', id, name }),
          },
        ]}
      />
    )}
  />
)
