import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { navigate } from '../base/route.ts'
import { Button } from '../ui/button.tsx'
import { SidePanel } from '../ui/side-panel.tsx'

interface FiltersProps {
  /** The title of the panel with the form. */
  readonly title: string
  /** The values of the address that filter now. Removing one also clears those that depend on it. */
  readonly chips: readonly {
    readonly name: string
    readonly title: string
    readonly text: string
    readonly alsoClears?: string
  }[]
  /** The form that sets them. */
  readonly children: (close: () => void) => ComponentChildren
}

/** The filters of a list as chips, each with its cross, and the panel that sets them. */
export function Filters({ title: heading, chips, children }: FiltersProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <div class="filters cluster">
        <Button opens icon="filter" onClick={() => setOpen(true)}>
          Filter
        </Button>
        {chips.map(({ name, title, text, alsoClears = name }) => (
          <span key={name} class="chip">
            {title} <strong>{text}</strong>
            <Button
              kind="quiet"
              small
              icon="close"
              label={`Remove the filter ${title}`}
              onClick={() => navigate({ [name]: '', [alsoClears]: '', after: '' })}
            />
          </span>
        ))}
      </div>
      {isOpen && (
        <SidePanel title={heading} onClose={() => setOpen(false)}>
          {children(() => setOpen(false))}
        </SidePanel>
      )}
    </>
  )
}
