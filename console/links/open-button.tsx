import type { SentValues } from '../api/catalogue.ts'
import { navigate } from '../base/route.ts'

interface OpenButtonProps {
  readonly text: string | undefined
  readonly opens: SentValues
  /** The text is a name of the API. */
  readonly mono?: boolean
}

/** Looks like a link, and opens something in the same view, under an address of its own. */
export const OpenButton = ({ text, opens, mono = false }: OpenButtonProps) => (
  <button
    type="button"
    class={mono ? 'link mono' : 'link'}
    aria-haspopup="dialog"
    onClick={() => navigate(opens)}
  >
    {text}
  </button>
)
