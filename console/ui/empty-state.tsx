import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

export interface EmptyStateProps {
  readonly icon?: IconName
  readonly title: string
  readonly text?: string
  /** Buttons: the way to get it. */
  readonly children?: ComponentChildren
}

/** Stands in place of missing content: it names the content, and the way to get it. */
export const EmptyState = ({ icon = 'inbox', title, text, children }: EmptyStateProps) => (
  <div class="empty">
    <Icon name={icon} />
    <strong>{title}</strong>
    {text && <p>{text}</p>}
    {children && <div class="cluster">{children}</div>}
  </div>
)
