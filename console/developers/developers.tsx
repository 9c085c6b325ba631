import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import { type DescribedMethod, findMethod, loadCatalogue } from '../api/catalogue.ts'
import { demoKeyInPage } from '../api/demo.ts'
import { remedyOf } from '../api/refusals.ts'
import { call, type Signer } from '../api/request.ts'
import { useAnswer } from '../api/use-answer.ts'
import { errorIn, readXml } from '../api/xml.ts'
import { Explorer } from '../explorer/explorer.tsx'
import type { PartProps } from '../part.ts'
import { RefusedHash } from '../refused-hash/refused-hash.tsx'
import { keepKey, keptKey } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { LabelledField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import type { Signing } from './signing.ts'

interface WithKeyProps {
  readonly session: SessionAnswer
  readonly purpose: string
  readonly title: string
  /** What the part is for. */
  readonly says: string
  readonly children: (signing: Signing) => ComponentChildren
}

/** The signed API needs the secret key. It is asked for when it is first needed, and stays in this tab. */
export function WithKey({ session, purpose, title, says, children }: WithKeyProps) {
  const [key, setKey] = useState(keptKey)
  const [{ value: catalogue, problem }, put] = useAnswer<readonly DescribedMethod[]>()
  const load = () => void put(loadCatalogue)
  useEffect(load, [])
  if (problem)
    return (
      <Notice tone="bad" title={problem}>
        <Button small onClick={load}>
          Retry
        </Button>
      </Notice>
    )
  if (!catalogue) return <Skeleton what="the description of the API" />
  const { username, zone } = session
  if (key) return <Fragment>{children({ catalogue, signer: { username, key }, zone })}</Fragment>
  return (
    <KeyForm
      catalogue={catalogue}
      username={username}
      purpose={purpose}
      title={title}
      says={says}
      onKey={setKey}
    />
  )
}

interface KeyFormProps {
  readonly catalogue: readonly DescribedMethod[]
  readonly username: string
  readonly purpose: string
  readonly title: string
  readonly says: string
  readonly onKey: (key: string) => void
}

function KeyForm({ catalogue, username, purpose, title, says, onKey }: KeyFormProps) {
  const [key, setKey] = useState('')
  const [wrong, setWrong] = useState('')
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    const problem = await checkSigner(catalogue, { username, key })
    setBusy(false)
    setWrong(problem ?? '')
    if (problem) return
    keepKey(key)
    onKey(key)
  }
  return (
    <div class="stack key-form">
      <PageHeader title={title} text={says} />
      <form class="card card-body" aria-label="Secret key" onSubmit={submit}>
        <LabelledField
          label="Secret key"
          secret
          required
          value={key}
          onInput={setKey}
          wrong={wrong || undefined}
          hint={`API_Secret_Key of this installation: ${purpose}. It stays in this tab.`}
        />
        <div class="cluster">
          <Button kind="primary" submits isBusy={isBusy}>
            Continue
          </Button>
          {demoKeyInPage() && <Button onClick={() => setKey(demoKeyInPage())}>Fill in the demo's key</Button>}
        </div>
      </form>
    </div>
  )
}

export const ExplorerPart = ({ place, session }: PartProps) => (
  <WithKey
    session={session}
    title="Explorer"
    says="Try each method of the signed API: its form, the string that is signed, and the answer."
    purpose="the explorer signs calls with it"
  >
    {(signing) => <Explorer place={place} {...signing} />}
  </WithKey>
)

export const RefusedHashPart = ({ session }: PartProps) => (
  <WithKey
    session={session}
    title="Refused hash"
    says="Find out why the hash of a call was refused, and copy the corrected call."
    purpose="the page compares hashes with it"
  >
    {(signing) => <RefusedHash {...signing} />}
  </WithKey>
)

/** Refusals after signature and name were accepted: without a customer, and to a plain user. */
const ACCEPTED = ['user_id is empty', 'Dont_be_so_smart']

const SENTENCES: Readonly<Record<string, string>> = {
  'Incorrect hash': 'Incorrect hash: this is not the secret key of this installation.',
  'Bad login': 'Bad login: the key is right, but no active account has this username.',
}

/**
 * Asks for the devices of nobody, which changes nothing and tells whether name and key are right. Returns a
 * sentence about what is wrong.
 */
async function checkSigner(
  catalogue: readonly DescribedMethod[],
  { username, key }: Signer,
): Promise<string | undefined> {
  const method = findMethod(catalogue, 'devices_get')
  if (!method) return 'The description of the API has no devices_get.'
  try {
    const { text, status } = await call(method, { u: username }, key)
    const root = readXml(text)
    const refusal = (root && errorIn(root)) ?? `The API answered with HTTP ${status} and no words.`
    if (ACCEPTED.includes(refusal)) return undefined
    return SENTENCES[refusal] ?? [refusal, remedyOf(refusal)].filter(Boolean).join('. ')
  } catch (error) {
    return (error as Error).message
  }
}
