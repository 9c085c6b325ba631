import { Icon } from './icon.tsx'

export interface CheckedThing {
  readonly title: string
  readonly says: string
  readonly isDone: boolean
  /** The way to get it done; blank where the reader has none. */
  readonly button: string
  readonly href: string
}

/** Things that have to be in order, each with the way there. */
export const Checklist = ({ things }: { readonly things: readonly CheckedThing[] }) => (
  <ol class="first-steps">
    {things.map(({ title, says, isDone, button, href }) => (
      <li key={title} class="cluster spread">
        <div class="cluster">
          <Icon name={isDone ? 'check' : 'chevron'} />
          <div>
            <strong>{title}</strong> {isDone && <span class="muted">done</span>}
            <p class="muted">{says}</p>
          </div>
        </div>
        {!isDone && button !== '' && (
          <a class="button" href={href}>
            {button}
          </a>
        )}
      </li>
    ))}
  </ol>
)
