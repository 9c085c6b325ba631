import type { ComponentChildren } from 'preact'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { RefusalNotice } from './refusal-notice.tsx'

interface ActionProps {
  readonly text: string
  readonly run: (once: string) => Promise<unknown>
}

interface ActionButtonProps extends ActionProps {
  readonly kind?: 'primary' | 'secondary' | 'danger'
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
  /** The name of a form that stands alone, as a card. */
  readonly card?: string
  readonly children: ComponentChildren
}

/** The fields of an action, and its button. A refusal stands between them. */
export function ActionForm({ text, run, card, children }: ActionFormProps) {
  const action = useAction()
  const submit = (event: Event) => {
    event.preventDefault()
    return action.run(run)
  }
  return (
    <form class={card === undefined ? 'stack' : 'card card-body'} aria-label={card} onSubmit={submit}>
      {children}
      {action.problem && <RefusalNotice problem={action.problem} />}
      <Button kind="primary" submits isBusy={action.isUnderWay}>
        {text}
      </Button>
    </form>
  )
}
