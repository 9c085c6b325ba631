import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { SentValues } from '../api/catalogue.ts'
import { useAction } from '../api/use-action.ts'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Button } from '../ui/button.tsx'
import { CancelButton, SidePanel } from '../ui/side-panel.tsx'
import { type FormField, FormFields } from './form-fields.tsx'

interface ActionProps {
  /** The words of the button. */
  readonly text: string
  readonly kind?: 'primary' | 'secondary' | 'danger'
}

interface ActionButtonProps extends ActionProps {
  readonly run: (idempotencyKey: string) => Promise<unknown>
}

/** A button for an action. A refusal stands above it. */
export function ActionButton({ text, run, kind = 'primary' }: ActionButtonProps) {
  const action = useAction()
  return (
    <>
      {action.problem && <RefusalNotice problem={action.problem} />}
      <Button kind={kind} isBusy={action.isUnderWay} onClick={() => action.run(run)}>
        {text}
      </Button>
    </>
  )
}

interface ActionFormProps extends ActionProps {
  /** The name of a form that is one of several. */
  readonly label?: string
  /** The name of a form that stands alone, as a card. */
  readonly card?: string
  /** The fields and the button are in one line. */
  readonly isLine?: boolean
  readonly fields?: readonly FormField[]
  readonly initial?: SentValues
  /** Called with the values when one is changed. */
  readonly onChange?: (values: SentValues) => void
  readonly run: (idempotencyKey: string, values: SentValues) => Promise<unknown>
  /** Further content below the declared fields. */
  readonly children?: ComponentChildren
}

/** More fields than these are in columns. */
const STACKED_FIELDS = 4

/** A form from its declared fields. A refusal is shown next to its field, or above the button. */
export function ActionForm({
  text,
  run,
  kind = 'primary',
  fields = [],
  initial = {},
  ...props
}: ActionFormProps) {
  const { problem, isUnderWay, run: start } = useAction()
  const [values, setValues] = useState(initial)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [problem])
  const wrong = new Map(problem?.fields?.map(({ name, message }) => [name, message]))
  const submit = (event: Event) => {
    event.preventDefault()
    return start((idempotencyKey) => run(idempotencyKey, values))
  }
  const change = (changed: SentValues) => {
    const after = { ...values, ...changed }
    setValues(after)
    props.onChange?.(after)
  }
  const shown = <FormFields {...{ fields, values, wrong }} onChange={change} />
  return (
    <form ref={form} class={classOf(props)} aria-label={props.card ?? props.label} onSubmit={submit}>
      {fields.length > STACKED_FIELDS ? <div class="fields">{shown}</div> : shown}
      {props.children}
      {problem && !fields.some(({ name }) => wrong.has(name)) && <RefusalNotice problem={problem} />}
      <span class="cluster">
        <Button kind={kind} submits isBusy={isUnderWay}>
          {text}
        </Button>
        <CancelButton />
      </span>
    </form>
  )
}

function classOf({ card, isLine }: Pick<ActionFormProps, 'card' | 'isLine'>): string {
  if (card !== undefined) return 'card card-body'
  return isLine ? 'line-form' : 'stack'
}

interface QuestionPanelProps {
  readonly title: string
  /** The effect of the action. */
  readonly says: string
  /** The words of the button, by default the title. */
  readonly text?: string
  readonly kind?: 'primary' | 'danger'
  readonly onClose: () => void
  readonly run: () => Promise<unknown>
}

/** Asks before something is done, and says what it does. */
export const QuestionPanel = ({
  title,
  says,
  text = title,
  kind = 'danger',
  ...props
}: QuestionPanelProps) => (
  <SidePanel title={title} onClose={props.onClose}>
    <p>{says}</p>
    <span class="cluster">
      <ActionButton kind={kind} text={text} run={() => props.run().then(props.onClose)} />
      <CancelButton />
    </span>
  </SidePanel>
)

interface QuestionButtonProps extends Omit<QuestionPanelProps, 'onClose'> {
  /** The words of the button that asks. */
  readonly asks: string
  readonly look?: 'secondary' | 'danger'
}

/** A button that asks before something is done. */
export function QuestionButton({ asks, look = 'secondary', ...question }: QuestionButtonProps) {
  const [isAsked, ask] = useState(false)
  return (
    <>
      <Button opens kind={look} onClick={() => ask(true)}>
        {asks}
      </Button>
      {isAsked && <QuestionPanel {...question} onClose={() => ask(false)} />}
    </>
  )
}
