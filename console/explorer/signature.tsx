import { useEffect, useState } from 'preact/hooks'
import type { Method, Values } from '../api/catalogue.ts'
import { isSecret } from '../api/secrets.ts'
import { piecesOf, sha1 } from '../api/signing.ts'

interface SignatureProps {
  readonly method: Method
  readonly sent: Values
  readonly secretKey: string
}

/** Colours by turns, so that one sees where a value ends. */
const COLOURS = 6

/** The string that is signed, each value in a colour of its own, and its hash. The key itself is not shown. */
export function Signature({ method, sent, secretKey }: SignatureProps) {
  const [hash, setHash] = useState('')
  const pieces = piecesOf(method, sent)
  const joined = pieces?.map(({ value }) => value).join('')
  useEffect(() => {
    if (joined !== undefined) sha1(joined + secretKey).then(setHash, () => setHash(''))
  }, [joined, secretKey])
  if (!pieces) return <p class="card">This method is not signed.</p>
  return (
    <section class="card" aria-label="Signature">
      <h2>The string that is signed</h2>
      <p class="string" data-testid="string">
        {pieces.map(({ name, value }, at) => (
          <span key={name} class={`piece colour-${at % COLOURS}`} title={name}>
            {isSecret(name) ? '•'.repeat(value.length) : value}
          </span>
        ))}
        <span class="piece key">secret key</span>
      </p>
      <p class="legend">
        {pieces.map(({ name }, at) => (
          <code key={name} class={`colour-${at % COLOURS}`}>
            {name}
          </code>
        ))}
        <code class="key">key</code>
      </p>
      <p>
        SHA-1: <code data-testid="hash">{hash}</code>
      </p>
    </section>
  )
}
