import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

export interface ButtonProps {
  readonly children?: ComponentChildren
  /** A view has one primary button at a time. */
  readonly kind?: 'primary' | 'secondary' | 'quiet' | 'danger'
  readonly small?: boolean
  readonly icon?: IconName
  /** The name of a button that shows its icon only, or that is one of many with the same words. */
  readonly label?: string | undefined
  readonly submits?: boolean
  readonly isBusy?: boolean
  readonly isDisabled?: boolean
  /** Whether it is the chosen one of several. */
  readonly isPressed?: boolean
  /** Whether it opens a side panel. */
  readonly opens?: boolean
  readonly onClick?: (event: MouseEvent) => unknown
}

/** A busy button keeps the focus, which a disabled one loses. It does nothing meanwhile. */
export function Button(props: ButtonProps) {
  const { children, icon, label, isBusy } = props
  const shown = isBusy ? 'turning' : icon
  return (
    <button
      type={props.submits ? 'submit' : 'button'}
      class={classOf(props)}
      aria-label={label}
      title={children === undefined ? label : undefined}
      aria-pressed={props.isPressed}
      aria-haspopup={props.opens ? 'dialog' : undefined}
      disabled={props.isDisabled}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : props.onClick}
    >
      {shown && <Icon name={shown} />}
      {children}
    </button>
  )
}

const classOf = ({ kind = 'secondary', small, isBusy }: ButtonProps): string =>
  `button ${kind}${small ? ' small' : ''}${isBusy ? ' busy' : ''}`
