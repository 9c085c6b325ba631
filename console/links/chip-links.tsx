import { navigate } from '../base/route.ts'

interface ChipLinksProps {
  readonly label: string
  /** The name of the value in the address. */
  readonly name: string
  readonly value: string
  /** The values; blank is all of them. */
  readonly chips: readonly (string | readonly [value: string, title: string, count: number])[]
}

/** Filters a list by one of its values, which the address has. */
export const ChipLinks = ({ label, name, value, chips }: ChipLinksProps) => (
  <fieldset class="filters cluster" aria-label={label}>
    {chips
      .map((chip) => (typeof chip === 'string' ? ([chip, chip || 'all'] as const) : chip))
      .map(([one, title, count]) => (
        <button
          key={one}
          type="button"
          class="chip"
          aria-pressed={one === value}
          onClick={() => navigate({ [name]: one, after: '' })}
        >
          {title} {count !== undefined && <strong>{count}</strong>}
        </button>
      ))}
  </fieldset>
)
