import type { ComponentChildren } from 'preact'

interface CardProps {
  readonly title: string
  /** Buttons and figures next to the title. */
  readonly beside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A surface with one subject. Its title is its name for a screen reader, too. */
export const Card = ({ title, beside, children }: CardProps) => (
  <section class="card" aria-label={title}>
    <header>
      <h2>{title}</h2>
      {beside && <div class="cluster">{beside}</div>}
    </header>
    <div class="card-body">{children}</div>
  </section>
)
