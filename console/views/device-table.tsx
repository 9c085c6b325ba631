import { useState } from 'preact/hooks'
import type { AnswerRow } from '#lib/xml/answer-rows.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Menu } from '../ui/menu.tsx'
import { Table, type TableColumn } from '../ui/table.tsx'
import type { OpenPanel } from './device-panel.tsx'

interface DeviceTableProps {
  readonly devices: readonly AnswerRow[]
  readonly onOpen: (panel: OpenPanel) => void
}

const COLUMNS: readonly TableColumn[] = [
  { key: 'username', title: 'Name', isNumber: false, show: (device) => <DeviceName device={device} /> },
  { key: 'device_id', title: 'Id', isNumber: false },
  { key: 'device_type', title: 'Type' },
  { key: 'secret', title: 'Secret', show: (device) => <Secret device={device} /> },
  { key: 'ipaddr', title: 'Address', show: ({ ipaddr }) => ipaddr || <span class="muted">dynamic</span> },
  { key: 'port', title: 'Port', isNumber: false },
]

export const DeviceTable = ({ devices, onOpen }: DeviceTableProps) =>
  devices.length === 0 ? (
    <EmptyState title="This customer has no devices yet" text="Create the first one with “New device”." />
  ) : (
    <Table
      label="Devices"
      columns={COLUMNS}
      rows={devices}
      actions={({ device_id: id = '', username: name = '' }) => (
        <Menu
          label={`Actions of device ${id}`}
          items={[
            { title: 'Edit', onChoose: () => onOpen({ kind: 'edit', id, name }) },
            { title: 'Rules', onChoose: () => onOpen({ kind: 'rules', id, name }) },
            { title: 'Delete', isDangerous: true, onChoose: () => onOpen({ kind: 'delete', id, name }) },
          ]}
        />
      )}
    />
  )

const DeviceName = ({ device }: { readonly device: AnswerRow }) => (
  <span class="cluster">
    <strong>{device['username']}</strong>
    {device['primary_device'] === 'yes' && <Badge tone="info" text="Primary" />}
  </span>
)

/** Dots of one length: the length of a secret is nobody's business either. */
const MASK = '••••••••'

function Secret({ device }: { readonly device: AnswerRow }) {
  const [isShown, setShown] = useState(false)
  return (
    <span class="secret">
      <code>{isShown ? device['secret'] : MASK}</code>
      <Button
        kind="quiet"
        small
        icon={isShown ? 'hidden' : 'shown'}
        label={`${isShown ? 'Hide' : 'Show'} the secret of device ${device['device_id']}`}
        onClick={() => setShown(!isShown)}
      />
    </span>
  )
}
