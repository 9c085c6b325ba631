import { useState } from 'preact/hooks'
import type { Answer } from '../api/request.ts'
import { errorIn, readXml, type XmlNode } from '../api/xml.ts'
import { Message } from '../views/message.tsx'
import { AnswerTable } from './answer-table.tsx'
import { AnswerTree } from './answer-tree.tsx'

const FORMS = ['table', 'tree', 'raw'] as const

type Form = (typeof FORMS)[number]

/** Longer than this is shown as it came, and only its beginning. */
const LONGEST = 3_000_000
const BEGINNING = 200_000

/** What the answers of the gates mean for whoever sits here. */
const HINTS: Readonly<Record<string, string>> = {
  'Incorrect hash':
    'The key that you signed in with is not the one of this installation: sign out and enter the right one.',
  'API Requests are disabled': 'Switch the API on with: npm run settings -- set Allow_API on',
  'API must have Secret Key': 'Set a key with: npm run settings -- set API_Secret_Key <key>',
}

/** An answer as a table, as a tree, or as it came. */
export function AnswerView({ answer }: { readonly answer: Answer }) {
  const [form, setForm] = useState<Form>('table')
  const root = answer.text.length > LONGEST ? undefined : readXml(answer.text)
  const refusal = root && errorIn(root)
  return (
    <section class="card" aria-label="Answer">
      <div class="choices">
        <h2>Answer</h2>
        {FORMS.map((one) => (
          <button key={one} type="button" aria-pressed={one === form} onClick={() => setForm(one)}>
            {one}
          </button>
        ))}
        <span class="figures">
          HTTP {answer.status}, {answer.milliseconds} ms, {answer.bytes.toLocaleString()} bytes
        </span>
      </div>
      {refusal !== undefined && <Message kind="error" text={refusal} />}
      {refusal !== undefined && HINTS[refusal] && <p>{HINTS[refusal]}</p>}
      <Shown form={root ? form : 'raw'} root={root} text={answer.text} />
    </section>
  )
}

interface ShownProps {
  readonly form: Form
  readonly root: XmlNode | undefined
  readonly text: string
}

function Shown({ form, root, text }: ShownProps) {
  if (root && form === 'table') return <AnswerTable node={root} />
  if (root && form === 'tree') return <AnswerTree node={root} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
    <pre tabIndex={0} data-testid="raw">
      {text.slice(0, BEGINNING)}
      {text.length > BEGINNING && '\n… the rest is not shown'}
    </pre>
  )
}
