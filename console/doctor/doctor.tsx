import { useState } from 'preact/hooks'
import { explainHash } from '#lib/doctor/explain-hash.ts'
import { hashExplanation, stringToSign } from '#lib/doctor/in-words.ts'
import { findMethod, type Method } from '../api/catalogue.ts'
import type { PartProps } from '../part.ts'
import { Field } from '../views/field.tsx'
import { Message } from '../views/message.tsx'
import { readCallLine, type SentCall } from './call-line.ts'

interface Diagnosis {
  readonly accepted: boolean
  readonly says: string
  readonly advice: readonly string[]
  readonly string: string
}

const EXAMPLE = `curl -d 'u=admin&currency=EUR&rate=0.925&hash=…' http://localhost:3000/api/exchange_rate_update`

/** What the hash of a refused call was made of, and what to change. Nothing is sent anywhere. */
export function Doctor({ catalogue, signer }: PartProps) {
  const [line, setLine] = useState('')
  const [oldKey, setOldKey] = useState('')
  const [found, setFound] = useState<Diagnosis>()
  const [problem, setProblem] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    setProblem('')
    setFound(undefined)
    try {
      setFound(diagnose(catalogue, readCallLine(line), { key: signer.key, oldKey }))
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <>
      <h1>Why was my hash refused?</h1>
      <p>
        Paste a call that got <code>Incorrect hash</code>: a curl line, a line of an access log, a URL, or the
        method followed by its parameters. The doctor finds out what its hash was made of. Nothing leaves this
        page.
      </p>
      <form class="card" onSubmit={submit}>
        <div class="field">
          <label for="refused">The call</label>
          <textarea
            id="refused"
            rows={4}
            value={line}
            placeholder={EXAMPLE}
            spellcheck={false}
            onInput={(event) => setLine(event.currentTarget.value)}
          />
        </div>
        <Field
          label="A key that was in use before"
          secret
          value={oldKey}
          onInput={setOldKey}
          hint="Only if the key was changed: whether the call was signed with the old one."
        />
        <button class="primary" type="submit">
          Explain the hash
        </button>
      </form>
      {problem && <Message kind="error" text={problem} />}
      {found && <Told diagnosis={found} />}
    </>
  )
}

interface Keys {
  readonly key: string
  readonly oldKey: string
}

function diagnose(
  catalogue: readonly Method[],
  { called, sent }: SentCall,
  { key, oldKey }: Keys,
): Diagnosis {
  const method = findMethod(catalogue, called)
  if (!method) throw new Error(`There is not a method ${called}.`)
  const params = Object.fromEntries(method.parameters.map(({ name }) => [name, UNREAD]))
  const call = { contract: { ...method, params }, sent, key, ...(oldKey && { oldKey }) }
  const finding = explainHash(call)
  return { accepted: finding.accepted, ...hashExplanation(finding, call), string: stringToSign(call) }
}

/** The doctor asks for the names of a method's parameters only. */
const UNREAD = { describes: '', read: () => undefined }

const Told = ({ diagnosis: { accepted, says, advice, string } }: { readonly diagnosis: Diagnosis }) => (
  <section class="card" aria-label="What the doctor says">
    <Message kind={accepted ? 'done' : 'note'} text={says} />
    {advice.length > 0 && (
      <ul>
        {advice.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    )}
    {!accepted && (
      <p>
        The string to hash: <code>{string}</code>
      </p>
    )}
  </section>
)
