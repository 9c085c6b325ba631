import type { ComponentChildren } from 'preact'

interface TabListProps<Name extends string> {
  readonly id: string
  readonly label: string
  readonly tabs: readonly (readonly [name: Name, title: string])[]
  readonly value: Name
  readonly onChange: (name: Name) => void
}

/** Tabs of which the arrow keys choose the next one. Their panel has the id `<id>-panel`. */
export function TabList<Name extends string>({ id, label, tabs, value, onChange }: TabListProps<Name>) {
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    // The tab with the focus: the chosen one follows an address, which changes a moment later.
    const index = tabs.findIndex(([name]) => `${id}-${name}` === document.activeElement?.id)
    const next = tabs[(index + step + tabs.length) % tabs.length]
    if (!next) return
    onChange(next[0])
    document.getElementById(`${id}-${next[0]}`)?.focus()
  }
  return (
    <div class="tablist" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(([name, title]) => (
        <button
          key={name}
          id={`${id}-${name}`}
          type="button"
          role="tab"
          aria-selected={name === value}
          aria-controls={`${id}-panel`}
          tabIndex={name === value ? 0 : -1}
          onClick={() => onChange(name)}
        >
          {title}
        </button>
      ))}
    </div>
  )
}

interface TabPanelProps {
  readonly id: string
  readonly value: string
  readonly children: ComponentChildren
}

export const TabPanel = ({ id, value, children }: TabPanelProps) => (
  <div id={`${id}-panel`} class="stack" role="tabpanel" aria-labelledby={`${id}-${value}`}>
    {children}
  </div>
)
