import { useState } from 'preact/hooks'
import type { Method } from '../api/catalogue.ts'

interface MethodListProps {
  readonly catalogue: readonly Method[]
  readonly chosen: string
}

/** All methods by area; on a phone folded away above the form. */
export function MethodList({ catalogue, chosen }: MethodListProps) {
  const [wanted, setWanted] = useState('')
  const found = catalogue.filter(({ name }) => name.includes(wanted.trim().toLowerCase()))
  const areas = [...new Set(found.map(({ area }) => area))]
  return (
    <nav class="methods" aria-label="Methods">
      <input
        type="search"
        aria-label="Find a method"
        placeholder="Find a method"
        value={wanted}
        onInput={(event) => setWanted(event.currentTarget.value)}
      />
      {areas.map((area) => (
        <section key={area}>
          <h2>{area}</h2>
          <ul>
            {found
              .filter((method) => method.area === area)
              .map(({ name }) => (
                <li key={name}>
                  <a href={`#/explorer/${name}`} aria-current={name === chosen ? 'true' : undefined}>
                    {name}
                  </a>
                </li>
              ))}
          </ul>
        </section>
      ))}
      {found.length === 0 && <p>No method is called like that.</p>}
    </nav>
  )
}
