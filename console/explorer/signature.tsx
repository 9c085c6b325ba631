import { useEffect, useState } from 'preact/hooks'
import type { DescribedMethod, SentValues } from '../api/catalogue.ts'
import { isSecret } from '../api/secrets.ts'
import { type Piece, piecesOf, sha1 } from '../api/signing.ts'
import { CopyButton } from '../ui/copy-button.tsx'

interface SignatureProps {
  readonly method: DescribedMethod
  readonly sent: SentValues
  readonly secretKey: string
}

/** The hues of the tokens, by turns: they show where a value ends. */
const HUES = 6

/** The string that is signed, each value in a hue of its own, and its hash. The key itself is not shown. */
export function Signature({ method, sent, secretKey }: SignatureProps) {
  const [hash, setHash] = useState('')
  const pieces = piecesOf(method, sent)
  const joined = pieces?.map(({ value }) => value).join('')
  useEffect(() => {
    if (joined !== undefined) sha1(joined + secretKey).then(setHash, () => setHash(''))
  }, [joined, secretKey])
  if (!pieces) return <p class="signature muted">This method is not signed.</p>
  return (
    <section class="signature" aria-label="Signature">
      <SignedString pieces={pieces} />
      <div class="cluster">
        <span class="muted">SHA-1</span> <code data-testid="hash">{hash}</code>
        <span class="links">
          <CopyButton text={hash} what="the hash" />
        </span>
      </div>
    </section>
  )
}

const SignedString = ({ pieces }: { readonly pieces: readonly Piece[] }) => (
  <div class="string">
    <h2 class="unseen">The string that is signed</h2>
    <span data-testid="string">
      {pieces.map(({ name, value }, index) => (
        <span key={name} class="piece" style={{ background: `var(--hue-${index % HUES})` }}>
          <small>{name}</small>
          <code>{isSecret(name) ? '•'.repeat(value.length) : value}</code>
        </span>
      ))}
      <span class="piece">
        <small>{pieces.length > 0 ? 'and the' : 'only the'}</small>
        <code>secret key</code>
      </span>
    </span>
  </div>
)
