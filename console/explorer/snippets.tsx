import { useState } from 'preact/hooks'
import type { Method, Values } from '../api/catalogue.ts'
import { LANGUAGES, type Language, snippet } from '../api/snippets.ts'

interface SnippetsProps {
  readonly method: Method
  readonly sent: Values
}

/** The request as a program, to be copied. */
export function Snippets({ method, sent }: SnippetsProps) {
  const [language, setLanguage] = useState<Language>('curl')
  const [copied, setCopied] = useState(false)
  const text = snippet(language, method, sent)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return (
    <section class="card" aria-label="The request as a program">
      <div class="choices">
        <h2>The request</h2>
        {LANGUAGES.map((one) => (
          <button key={one} type="button" aria-pressed={one === language} onClick={() => setLanguage(one)}>
            {one}
          </button>
        ))}
        <button type="button" onClick={copy}>
          {copied ? 'Copied' : 'Copy'}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <small>The key is read from the variable TOLLGATE_KEY.</small>
    </section>
  )
}
