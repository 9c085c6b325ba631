import { Card } from '../ui/card.tsx'
import { Code } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Diagnosis } from './diagnosis.ts'

/** The remedy first, then what the hash was made of, then the call as it should have been. */
export function HashVerdict({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const { isAccepted, says, advice, parts } = diagnosis
  if (isAccepted)
    return (
      <Card title="HashVerdict">
        <Notice tone="good" title={says} />
      </Card>
    )
  const remedy = advice.at(-1) ?? says
  return (
    <Card title="HashVerdict">
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
