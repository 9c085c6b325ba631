import { navigate } from '../base/route.ts'
import { Button } from '../ui/button.tsx'

interface PageLinksProps {
  /** The key of this page; blank for the first one. */
  readonly after: string
  /** The key of the next page; null after the last one. */
  readonly next: string | null
  /** By default, the address has the page. */
  readonly onPage?: ((after: string) => void) | undefined
}

const goTo = (after: string) => navigate({ after })

/** Leads to the next page of a list, which has an address of its own; the way back is the browser's. */
export const PageLinks = ({ after, next, onPage = goTo }: PageLinksProps) =>
  after === '' && next === null ? null : (
    <nav class="pager" aria-label="Pages of the list">
      {after !== '' && (
        <Button small onClick={() => onPage('')}>
          First page
        </Button>
      )}
      <Button small isDisabled={next === null} onClick={() => onPage(next ?? '')}>
        Next page
      </Button>
    </nav>
  )
