import { useId, useState } from 'preact/hooks'
import type { DescribedMethod, SentValues } from '../api/catalogue.ts'
import { LANGUAGES, type Language, snippet } from '../api/snippets.ts'
import { v2Snippet } from '../api/v2-snippets.ts'
import { Code } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { TabList, TabPanel } from '../ui/tabs.tsx'

const TABS = LANGUAGES.map((language) => [language, language] as const)

/** The request as a program, to be copied. */
export function Snippets({ method, sent }: { readonly method: DescribedMethod; readonly sent: SentValues }) {
  const [language, setLanguage] = useState<Language>('curl')
  const [isV2, setIsV2] = useState(false)
  const id = useId()
  const isSigned = method.callers !== 'public'
  const text = (isV2 && isSigned ? v2Snippet : snippet)(language, method, sent)
  return (
    <>
      <div class="cluster">
        <TabList id={id} label="Language" tabs={TABS} value={language} onChange={setLanguage} />
        {isSigned && (
          <label>
            <input type="checkbox" checked={isV2} onChange={() => setIsV2(!isV2)} /> Sign with v2
          </label>
        )}
        <span class="links">
          <CopyButton text={text} what="the program" />
        </span>
      </div>
      <TabPanel id={id} value={language}>
        <Code>{text}</Code>
        <p class="muted">
          The program reads the key from the variable <code>TOLLGATE_KEY</code>.
        </p>
      </TabPanel>
    </>
  )
}
