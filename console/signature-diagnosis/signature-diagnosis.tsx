import { useState } from 'preact/hooks'
import type { Signing } from '../api/request.ts'
import { ActionForm } from '../fields/action.tsx'
import { Card } from '../ui/card.tsx'
import { Code } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { readCallLine } from './call-line.ts'
import { type Diagnosis, diagnose } from './diagnosis.ts'

const EXAMPLE = `curl -d 'u=admin&currency=EUR&rate=0.925&hash=…' http://localhost:3000/api/exchange_rate_update`

const FIELDS = [
  {
    name: 'line',
    label: 'The call',
    rows: 4,
    placeholder: EXAMPLE,
    hint: 'A curl line, a line of an access log, a URL, or the method followed by its parameters.',
  },
  {
    name: 'uniquehash',
    label: 'Uniquehash of the account',
    secret: true,
    hint: 'Only if the same hash comes with every call: shows whether it is the uniquehash that user_login answers.',
  },
  {
    name: 'oldKey',
    label: 'Earlier key',
    secret: true,
    hint: 'Only if the key was changed: shows whether the call was signed with the old one.',
  },
]

/** Explains the hash of a refused call, and corrects the call. It sends nothing. */
export function SignatureDiagnosis({ catalogue, signer: { key } }: Signing) {
  const [found, setFound] = useState<Diagnosis>()
  return (
    <div class="stack">
      <PageHeader
        title="Why was my hash refused?"
        text="Paste a call that got “Incorrect hash”. This page finds out what its hash, or its v2 signature, was made of. The call stays in your browser."
      />
      <ActionForm
        card="Refused call"
        text="Explain the hash"
        fields={FIELDS}
        run={async (_once, { line = '', uniquehash = '', oldKey = '' }) => {
          setFound(undefined)
          const clues = { key, oldKey, uniquehash: uniquehash.trim() }
          setFound(await diagnose(catalogue, readCallLine(line), clues))
        }}
      />
      {found && <HashVerdict diagnosis={found} />}
    </div>
  )
}

/** The remedy first, then what the hash was made of, then the call as it should have been. */
function HashVerdict({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const { isAccepted, says, advice, parts } = diagnosis
  if (isAccepted)
    return (
      <Card title="Verdict">
        <Notice tone="good" title={says} />
      </Card>
    )
  const remedy = advice.at(-1) ?? says
  return (
    <Card title="Verdict">
      <Notice tone="bad" title={remedy}>
        <p>{says}</p>
        <ul>
          {advice.slice(0, -1).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </Notice>
      {Object.entries(parts).map(([title, text]) => (
        <Part key={title} title={title} text={text} />
      ))}
    </Card>
  )
}

const Part = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <div class="verdict">
    <div class="cluster">
      <h3>{title}</h3>
      <span class="links">
        <CopyButton text={text} what={title.toLowerCase()} />
      </span>
    </div>
    <Code>{text}</Code>
  </div>
)
