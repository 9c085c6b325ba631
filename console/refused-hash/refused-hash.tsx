import { useState } from 'preact/hooks'
import { useAnswer } from '../api/use-answer.ts'
import type { Signing } from '../developers/signing.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Code } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { LabelledField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { readCallLine } from './call-line.ts'
import { type Diagnosis, diagnose } from './diagnosis.ts'

const EXAMPLE = `curl -d 'u=admin&currency=EUR&rate=0.925&hash=…' http://localhost:3000/api/exchange_rate_update`

/** Explains the hash of a refused call, and corrects the call. It sends nothing. */
export function RefusedHash({ catalogue, signer }: Signing) {
  const [line, setLine] = useState('')
  const [oldKey, setOldKey] = useState('')
  const [uniquehash, setUniquehash] = useState('')
  const [{ value, problem }, put] = useAnswer<Diagnosis>()
  const submit = (event: Event) => {
    event.preventDefault()
    return put(async () =>
      diagnose(catalogue, readCallLine(line), { key: signer.key, oldKey, uniquehash: uniquehash.trim() }),
    )
  }
  return (
    <div class="stack">
      <PageHeader
        title="Why was my hash refused?"
        text="Paste a call that got “Incorrect hash”. This page finds out what its hash, or its v2 signature, was made of. Nothing leaves this page."
      />
      <form class="card card-body" onSubmit={submit}>
        <LabelledField
          label="The call"
          rows={4}
          value={line}
          onInput={setLine}
          placeholder={EXAMPLE}
          hint="A curl line, a line of an access log, a URL, or the method followed by its parameters."
        />
        <LabelledField
          label="Uniquehash of the account"
          secret
          value={uniquehash}
          onInput={setUniquehash}
          hint="Only if the same hash comes with every call: tells whether it is the uniquehash that user_login answers."
        />
        <LabelledField
          label="Earlier key"
          secret
          value={oldKey}
          onInput={setOldKey}
          hint="Only if the key was changed: tells whether the call was signed with the old one."
        />
        <div class="cluster">
          <Button kind="primary" submits>
            Explain the hash
          </Button>
        </div>
      </form>
      {problem && <Notice tone="bad" title={problem} />}
      {value && <HashVerdict diagnosis={value} />}
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
