import type { SentValues } from '../api/catalogue.ts'
import { navigate } from '../base/route.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState, type EmptyStateProps } from '../ui/empty-state.tsx'

interface EmptyListProps extends EmptyStateProps {
  /** The values of the address that narrow the list. `after` is the key of a later page. */
  readonly narrowedBy: SentValues
}

/**
 * Stands in place of the rows of a list. Its title and text are about the whole list, so that they are shown
 * only while nothing narrows it. `Loaded` shows it after an answer alone.
 */
export function EmptyList({ narrowedBy: { after = '', ...filters }, ...whole }: EmptyListProps) {
  const names = Object.keys(filters).filter((name) => filters[name] !== '')
  if (names.length > 0)
    return (
      <EmptyState title={`No results for ${namedIn(filters, names)}`}>
        <Button small onClick={() => navigate(cleared([...names, 'after']))}>
          Show all
        </Button>
      </EmptyState>
    )
  if (after !== '')
    return (
      <EmptyState title="No more on this page">
        <Button small onClick={() => navigate(cleared(['after']))}>
          First page
        </Button>
      </EmptyState>
    )
  return <EmptyState {...whole} />
}

const cleared = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '']))

const namedIn = (filters: SentValues, [name = '', ...others]: readonly string[]): string =>
  others.length > 0 || name === 'customer' ? 'these filters' : `“${filters[name]}”`
