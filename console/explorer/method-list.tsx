import { useState } from 'preact/hooks'
import type { DescribedMethod } from '../api/catalogue.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

interface MethodListProps {
  readonly catalogue: readonly DescribedMethod[]
  readonly chosen: string
}

export function MethodList({ catalogue, chosen }: MethodListProps) {
  const [wanted, setWanted] = useState('')
  const [isOpen, setOpen] = useState(false)
  const found = catalogue.filter(({ name }) => name.includes(wanted.trim().toLowerCase()))
  const areas = [...new Set(found.map(({ area }) => area))]
  return (
    <nav class={`pane methods${isOpen ? ' open' : ''}`} aria-label="Methods">
      <div class="unfold-methods">
        <Button icon="chevron" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide the methods' : 'All methods'}
        </Button>
      </div>
      <div class="all-methods">
        <input
          class="input"
          type="search"
          aria-label="Find a method"
          placeholder="Find a method"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
        {areas.map((area) => (
          <section key={area}>
            <h2>{area.replace('-', ' ')}</h2>
            <ul>
              {found
                .filter((method) => method.area === area)
                .map(({ name }) => (
                  <li key={name}>
                    <a
                      href={`#/explorer/${name}`}
                      aria-current={name === chosen ? 'true' : undefined}
                      onClick={() => setOpen(false)}
                    >
                      {name.split(/(?<=_)/).flatMap((part) => [part, <wbr key={part} />])}
                    </a>
                  </li>
                ))}
            </ul>
          </section>
        ))}
        {found.length === 0 && <EmptyState title="No method has this name." />}
      </div>
    </nav>
  )
}
