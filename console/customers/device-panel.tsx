import { useEffect } from 'preact/hooks'
import { type AnswerRow, answerRow } from '#lib/xml/answer-rows.ts'
import type { Ask } from '../api/ask.ts'
import { useAnswer } from '../api/use-answer.ts'
import { textIn } from '../api/xml.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { ProblemNotice } from '../ui/problem-notice.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { EDIT_FIELDS, NEW_FIELDS, storedValues } from './device-fields.ts'
import { DeviceRules } from './device-rules.tsx'
import { SendForm } from './send-form.tsx'

/** The content of the side panel: a new device, or the details of one. */
export type OpenPanel =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'rules' | 'delete'; readonly id: string; readonly name: string }

interface DevicePanelProps {
  readonly ask: Ask
  readonly customer: string
  readonly panel: OpenPanel
  readonly onClose: () => void
  readonly onDone: (says: string) => unknown
}

export function DevicePanel({ ask, customer, panel, onClose, onDone }: DevicePanelProps) {
  if (panel.kind === 'create')
    return (
      <SidePanel title="New device" onClose={onClose}>
        <SendForm
          fields={NEW_FIELDS}
          action="Create the device"
          onSend={async (sent) => {
            const made = await ask('device_create', { user_id: customer, ...sent })
            onDone(`Created ${textIn(made, 'username')} with id ${textIn(made, 'id')}.`)
          }}
        />
      </SidePanel>
    )
  const shared = { ask, id: panel.id, onDone }
  return (
    <SidePanel title={`${TITLES[panel.kind]} ${panel.name}`} onClose={onClose}>
      {panel.kind === 'edit' && <EditDevice {...shared} />}
      {panel.kind === 'rules' && <DeviceRules ask={ask} device={panel.id} />}
      {panel.kind === 'delete' && <DeleteDevice {...shared} />}
    </SidePanel>
  )
}

const TITLES = { edit: 'Edit', rules: 'Rules of', delete: 'Delete' } as const

interface DeviceProps {
  readonly ask: Ask
  readonly id: string
  readonly onDone: (says: string) => unknown
}

function EditDevice({ ask, id, onDone }: DeviceProps) {
  const [{ value, problem }, put] = useAnswer<AnswerRow>()
  useEffect(() => {
    put(async () => answerRow(await ask('device_details_get', { device_id: id })))
  }, [ask, id, put])
  if (problem) return <ProblemNotice text={problem} />
  if (!value) return <Skeleton what="the device" lines={6} />
  return (
    <SendForm
      fields={EDIT_FIELDS}
      stored={storedValues(value)}
      action="Save"
      onSend={async (sent) => {
        await ask('device_update', { device: id, ...sent })
        onDone(`Device ${id} was changed.`)
      }}
    />
  )
}

function DeleteDevice({ ask, id, onDone }: DeviceProps) {
  const [{ problem, isUnderWay }, put] = useAnswer<void>()
  const remove = () =>
    put(async () => {
      await ask('device_delete', { device: id })
      onDone(`Device ${id} was deleted.`)
    })
  return (
    <>
      <Notice tone="warn" title={`Device ${id} and its rules are deleted for good.`}>
        The API refuses while a DID or a location rule uses it.
      </Notice>
      {problem && <ProblemNotice text={problem} />}
      <Button kind="danger" isBusy={isUnderWay} onClick={remove}>
        Delete device {id}
      </Button>
    </>
  )
}
