import { useMemo, useState } from 'preact/hooks'
import { type AnswerRow, answerRow } from '#lib/xml/answer-rows.ts'
import { type Ask, askAs } from '../api/ask.ts'
import type { Values } from '../api/catalogue.ts'
import { findAll, textIn } from '../api/xml.ts'
import type { PartProps } from '../part.ts'
import { DeviceForm } from './device-form.tsx'
import { DeviceRules } from './device-rules.tsx'
import { Field } from './field.tsx'
import { Message } from './message.tsx'
import { Table } from './table.tsx'
import { useAnswer } from './use-answer.ts'

const COLUMNS = ['device_id', 'device_type', 'username', 'secret', 'primary_device', 'ipaddr', 'port']

const NEW = ['description', 'type', 'extension', 'pin', 'caller_id']

/** The devices of one customer: listed, created, changed, deleted, with their rules. */
export function Devices({ catalogue, signer }: PartProps) {
  const ask = useMemo(() => askAs(catalogue, signer), [catalogue, signer])
  const [customer, setCustomer] = useState('')
  const [{ value, problem }, put] = useAnswer<readonly AnswerRow[]>()
  const [done, setDone] = useState('')
  const list = () => put(() => devicesOf(ask, customer))
  const act = async (method: string, sent: Values, says: string) => {
    await ask(method, sent)
    setDone(says)
    await list()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    setDone('')
    return list()
  }
  return (
    <>
      <h1>Devices</h1>
      <form class="card row" onSubmit={submit}>
        <Field
          label="Customer"
          required
          value={customer}
          onInput={setCustomer}
          placeholder="10"
          hint="The id of the account."
        />
        <button class="primary" type="submit">
          Show devices
        </button>
      </form>
      {done && <Message kind="done" text={done} />}
      {problem && <Message kind="error" text={problem} />}
      {value && (
        <>
          <DeviceTable ask={ask} devices={value} onAct={act} />
          <DeviceForm
            title="Create a device"
            fields={NEW}
            onSend={async (sent) => {
              const made = await ask('device_create', { user_id: customer, ...sent })
              setDone(`Created ${textIn(made, 'username')} with id ${textIn(made, 'id')}.`)
              await list()
            }}
          />
        </>
      )}
    </>
  )
}

interface DeviceTableProps {
  readonly ask: Ask
  readonly devices: readonly AnswerRow[]
  readonly onAct: DeviceActionsProps['onAct']
}

const DeviceTable = ({ ask, devices, onAct }: DeviceTableProps) =>
  devices.length > 0 ? (
    <Table
      caption="Devices"
      columns={COLUMNS}
      rows={devices}
      actions={(row) => <DeviceActions ask={ask} id={row['device_id'] ?? ''} onAct={onAct} />}
    />
  ) : (
    <p>This customer has no devices yet: create one.</p>
  )

/** Without devices the API refuses: here that is a list without any. */
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

interface DeviceActionsProps {
  readonly ask: Ask
  readonly id: string
  readonly onAct: (method: string, sent: Values, says: string) => Promise<void>
}

const CHANGEABLE = [
  'device_name',
  'password',
  'comment',
  'extension',
  'callerid_name',
  'callerid_number',
  'transport',
]

function DeviceActions({ ask, id, onAct }: DeviceActionsProps) {
  const [opened, setOpened] = useState<'change' | 'rules' | 'delete'>()
  const [{ problem }, put] = useAnswer<void>()
  const open = (part: typeof opened) => () => setOpened(part === opened ? undefined : part)
  const remove = () => put(() => onAct('device_delete', { device: id }, `Device ${id} was deleted.`))
  return (
    <>
      <p class="choices">
        <button type="button" aria-label={`Change ${id}`} onClick={open('change')}>
          Change
        </button>
        <button type="button" aria-label={`Rules of ${id}`} onClick={open('rules')}>
          Rules
        </button>
        <button type="button" class="danger" aria-label={`Delete ${id}`} onClick={open('delete')}>
          Delete
        </button>
      </p>
      {opened === 'delete' && (
        <p>
          <button type="button" class="danger" onClick={remove}>
            Really delete {id}
          </button>
        </p>
      )}
      {problem && <Message kind="error" text={problem} />}
      {opened === 'change' && (
        <DeviceForm
          title={`Change device ${id}`}
          fields={CHANGEABLE}
          onSend={(sent) => onAct('device_update', { device: id, ...sent }, `Device ${id} was changed.`)}
        />
      )}
      {opened === 'rules' && <DeviceRules ask={ask} device={id} />}
    </>
  )
}
