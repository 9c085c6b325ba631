import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { WrittenRecordAnswer } from '#lib/api/console/answers/customers.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { useQuery } from '../api/use-query.ts'
import { dash } from '../base/format.ts'
import { ActionButton } from '../fields/action.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Facts } from '../ui/facts.tsx'
import { Notice } from '../ui/notice.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'
import { RecordForm } from './record-form.tsx'
import { recordNoun, valueInWords } from './record-views.ts'

export interface RecordPanelProps {
  readonly kind: string
  /** The record; without it, one is added. */
  readonly id?: string | undefined
  /** The record that the new one belongs to, for the query of its fields. */
  readonly of?: string | undefined
  readonly fixed?: SentValues | undefined
  readonly suggested?: SentValues | undefined
  /** The account may look at the record, and change nothing. */
  readonly isReadOnly?: boolean
  readonly details?: (id: string) => ComponentChildren
  readonly onClose: () => void
  /** Called with the id of the written record, or `undefined` for a record that was removed. */
  readonly onDone: (id: string | undefined) => void
}

export function RecordPanel(props: RecordPanelProps) {
  const { id, onClose } = props
  const [made, setMade] = useState<WrittenRecordAnswer>()
  const title = titleOf(props)
  const generated = Object.entries(made?.generated ?? {})
  const showToast = useToast()
  const done = (written: WrittenRecordAnswer) => {
    if (Object.keys(written.generated).length > 0) return setMade(written)
    showToast(id === undefined ? 'Added.' : 'Saved.')
    return props.onDone(written.id)
  }
  return (
    <SidePanel title={title} onClose={made ? () => props.onDone(made.id) : onClose}>
      {made ? (
        <>
          <Notice tone="good" title="Added. Note these values now: secrets are not shown again.">
            <CopyButton text={generated.map((pair) => pair.join(': ')).join('\n')} what="the values" />
          </Notice>
          <Facts facts={generated.map(([name, value]) => [name, <code key={name}>{value}</code>])} />
          <Button onClick={() => props.onDone(made.id)}>Done</Button>
        </>
      ) : (
        <Form {...props} onWritten={done} />
      )}
    </SidePanel>
  )
}

function titleOf({ kind, id, isReadOnly }: RecordPanelProps): string {
  const noun = recordNoun(kind)
  if (isReadOnly) return noun.replace(/^an? (.)/, (_article, first: string) => first.toUpperCase())
  return `${id === undefined ? 'Add' : 'Change'} ${noun}`
}

interface FormProps extends RecordPanelProps {
  readonly onWritten: (written: WrittenRecordAnswer) => void
}

const Form = (props: FormProps): ComponentChildren =>
  props.id === undefined ? <NewRecord {...props} /> : <StoredRecord {...props} id={props.id} />

function NewRecord({ kind, of, fixed, suggested, onWritten }: FormProps) {
  const query = useQuery(`/records/${kind}`, { of })
  return (
    <Loaded query={query} what="the form" lines={6}>
      {({ fields }) => (
        <RecordForm
          {...{ kind, fields }}
          fixed={fixed ?? {}}
          suggested={suggested ?? {}}
          onDone={onWritten}
        />
      )}
    </Loaded>
  )
}

function StoredRecord({ kind, id, fixed, details, onWritten, onDone }: FormProps & { readonly id: string }) {
  const query = useQuery(`/records/${kind}/${encodeURIComponent(id)}`)
  return (
    <Loaded query={query} what="the form" lines={6}>
      {({ fields, record, names, may }) => (
        <>
          {may.includes('change') ? (
            <RecordForm {...{ kind, fields, names }} stored={record} fixed={fixed ?? {}} onDone={onWritten} />
          ) : (
            <Facts
              facts={fields.map(({ name, label, control }) => [
                label,
                dash(names[name] || valueInWords(record.values[name], control)),
              ])}
            />
          )}
          {details?.(id)}
          {may.includes('remove') && (
            <Removal kind={kind} id={id} name={record.name} onDone={() => onDone(undefined)} />
          )}
        </>
      )}
    </Loaded>
  )
}

interface RemovalProps {
  readonly kind: string
  readonly id: string
  readonly name: string
  readonly onDone: () => void
}

/** Removing asks first. */
function Removal({ kind, id, name, onDone }: RemovalProps) {
  const showToast = useToast()
  const [isAsked, setAsked] = useState(false)
  const remove = async () => {
    await act('DELETE', `/records/${kind}/${encodeURIComponent(id)}`)
    showToast(`${name} is deleted.`)
    onDone()
  }
  if (!isAsked)
    return (
      <Button kind="danger" onClick={() => setAsked(true)}>
        Delete …
      </Button>
    )
  return (
    <Notice tone="warn" title={`${name} is deleted for good.`}>
      <span class="cluster">
        <ActionButton kind="danger" text={`Delete ${name}`} run={remove} />
        <Button onClick={() => setAsked(false)}>Keep it</Button>
      </span>
    </Notice>
  )
}
