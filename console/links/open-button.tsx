import type { SentValues } from '../api/catalogue.ts'
import { navigate } from '../base/route.ts'

interface OpenButtonProps {
  readonly text: string | undefined
  readonly opens: SentValues
}

/** Looks like a link, and opens something in the same view, under an address of its own. */
export const OpenButton = ({ text, opens }: OpenButtonProps) => (
  <button type="button" class="link" aria-haspopup="dialog" onClick={() => navigate(opens)}>
    {text}
  </button>
)
