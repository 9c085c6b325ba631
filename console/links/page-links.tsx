import { goWith } from '../place.ts'
import { Button } from '../ui/button.tsx'

interface PageLinksProps {
  /** The key of this page; blank for the first one. */
  readonly after: string
  /** The key of the next page; null after the last one. */
  readonly next: string | null
}

/** Leads to the next page of a list, which has an address of its own; the way back is the browser's. */
export const PageLinks = ({ after, next }: PageLinksProps) =>
  after === '' && next === null ? null : (
    <nav class="pager" aria-label="Pages of the list">
      {after !== '' && (
        <Button small onClick={() => goWith({ after: '' })}>
          First page
        </Button>
      )}
      <Button small isDisabled={next === null} onClick={() => goWith({ after: next ?? '' })}>
        Next page
      </Button>
    </nav>
  )
