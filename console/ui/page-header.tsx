import type { ComponentChildren } from 'preact'

interface PageHeaderProps {
  readonly title: string
  readonly text?: ComponentChildren
  /** The primary action of the view. */
  readonly children?: ComponentChildren
}

export const PageHeader = ({ title, text, children }: PageHeaderProps) => (
  <div class="page-header">
    <div>
      <h1>{title}</h1>
      {text && <p>{text}</p>}
    </div>
    {children && <div class="cluster">{children}</div>}
  </div>
)
