import { useEffect, useRef, useState } from 'preact/hooks'
import type { WrittenRecordAnswer } from '#lib/api/console/answers/customers.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { customerNamed } from '../fields/customer-field.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Button } from '../ui/button.tsx'
import { CancelButton } from '../ui/side-panel.tsx'
import { RecordControl } from './record-control.tsx'
import { RECORD_VIEWS } from './record-views.ts'
import type { DeclaredField } from './use-records.ts'

interface RecordFormProps {
  readonly kind: string
  readonly fields: readonly DeclaredField[]
  /** The stored record; without it the form adds one. */
  readonly stored?: { readonly id: string; readonly values: SentValues }
  readonly names?: SentValues
  /** Values that the place of the form decides, which are not asked for. */
  readonly fixed?: SentValues
  readonly suggested?: SentValues
  readonly onDone: (written: WrittenRecordAnswer) => void
}

export function RecordForm({ kind, stored, fixed = {}, names = {}, ...props }: RecordFormProps) {
  const fields = props.fields.filter(({ name, isOfChange }) => !(name in fixed) && (stored || !isOfChange))
  return (
    <DeclaredForm
      {...{ kind, fields, names, label: 'Record', first: RECORD_VIEWS[kind]?.first }}
      stored={stored?.values}
      suggested={{ ...defaultsOf(fields), ...props.suggested, ...fixed }}
      text={(agreed) => (stored ? (agreed?.saves ?? 'Save') : (agreed?.text ?? 'Add'))}
      send={async (sent, idempotencyKey, agreed) => {
        const meant = { ...sent, ...agreed?.sent }
        const written = await (stored
          ? act('PUT', `/records/${kind}/${encodeURIComponent(stored.id)}`, meant)
          : act('POST', `/records/${kind}`, meant, UNIQUE.has(kind) ? undefined : idempotencyKey))
        props.onDone(written)
      }}
    />
  )
}

interface DeclaredFormProps {
  readonly kind: string
  readonly label: string
  readonly fields: readonly DeclaredField[]
  /** The stored values: only differences are sent. */
  readonly stored?: SentValues | undefined
  readonly names?: SentValues
  /** The values of a record that is not stored yet. */
  readonly suggested?: SentValues
  /** The fields that come first; the others are folded. */
  readonly first?: readonly string[] | undefined
  readonly text: (agreed: Agreed | undefined) => string
  readonly onInput?: (values: SentValues) => void
  readonly send: (sent: SentValues, idempotencyKey: string, agreed: Agreed | undefined) => Promise<unknown>
}

/** A form from fields that the API declares. A refusal is shown next to its field. */
export function DeclaredForm({ fields, names = {}, suggested = {}, ...props }: DeclaredFormProps) {
  const shown = props.stored && { ...props.stored, ...accountNames(fields, names) }
  const [values, setValues] = useState<SentValues>(() => shown ?? suggested)
  const { run, isUnderWay, problem } = useAction()
  const agreed = AGREED[problem?.remedy?.['act'] ?? '']
  const form = useRef<HTMLFormElement>(null)
  const wrong = new Map(problem?.fields.map(({ name, message }) => [name, message]))
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [problem])
  const save = async (event: Event) => {
    event.preventDefault()
    await run(async (idempotencyKey) =>
      props.send(await withIds(fields, changedIn(values, shown)), idempotencyKey, agreed),
    )
  }
  const control = (field: DeclaredField) => (
    <RecordControl
      key={field.name}
      {...{ kind: props.kind, field, values, names, stored: props.stored }}
      wrong={wrong.get(field.name)}
      onInput={(value) => {
        const changed = { ...values, [field.name]: value }
        setValues(changed)
        props.onInput?.(changed)
      }}
    />
  )
  const [first, others] = parted(props.first, fields)
  const isBesideField = fields.some(({ name }) => wrong.has(name))
  return (
    <form class="stack" ref={form} noValidate aria-label={props.label} onSubmit={save}>
      <div class="fields">{first.map(control)}</div>
      {others.length > 0 && (
        <details open={others.some(({ name }) => wrong.has(name))}>
          <summary>More</summary>
          <div class="fields">{others.map(control)}</div>
        </details>
      )}
      {problem && (!isBesideField || wrong.has('')) && <RefusalNotice problem={problem} />}
      <div class="cluster">
        <Button kind="primary" submits isBusy={isUnderWay}>
          {props.text(agreed)}
        </Button>
        <CancelButton />
      </div>
    </form>
  )
}

/** Names that are refused a second time anyway: their records are added without the cost of a key. */
const UNIQUE = new Set(['accounts', 'currencies', 'dids'])

const defaultsOf = (fields: readonly DeclaredField[]): SentValues =>
  Object.fromEntries(fields.map((field) => [field.name, field.default]))

/** A new record is sent without blanks: what is generated or has a default is left to the API. */
const changedIn = (values: SentValues, stored: SentValues | undefined): SentValues =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== (stored?.[name] ?? '')))

/** Accounts are shown by their names. */
const accountNames = (fields: readonly DeclaredField[], names: SentValues): SentValues =>
  Object.fromEntries(
    fields.flatMap(({ name, of }) => (of === 'accounts' && names[name] ? [[name, names[name]]] : [])),
  )

/** A name that somebody typed in place of the id of an account. */
async function withIds(fields: readonly DeclaredField[], sent: SentValues): Promise<SentValues> {
  const named = fields.filter(({ name, of }) => of === 'accounts' && /\D/.test(sent[name] ?? ''))
  const ids = named.map(async ({ name }) => [name, String((await customerNamed(sent[name] ?? '')).id)])
  return { ...sent, ...Object.fromEntries(await Promise.all(ids)) }
}

/** The fields that most records fill, and the others. */
function parted(
  order: readonly string[] | undefined,
  fields: readonly DeclaredField[],
): [DeclaredField[], DeclaredField[]] {
  if (!order) return [[...fields], []]
  const first = order.flatMap((name) => fields.filter((field) => field.name === name))
  return [first, fields.filter((field) => !first.includes(field))]
}

/** The consent that sending a refused form again gives: to another equal record, or as the refusal says. */
interface Agreed {
  readonly text: string
  readonly saves?: string
  readonly sent: SentValues
}

const AGREED: Readonly<Record<string, Agreed>> = {
  again: { text: 'Add another one', sent: { again: 'yes' } },
  agree: { text: 'Add it anyway', saves: 'Save it anyway', sent: { yes: 'yes' } },
}
