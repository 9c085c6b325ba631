import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { type DescribedMethod, findMethod, loadCatalogue, type SentValues } from '../api/catalogue.ts'
import { RefusedRequest } from '../api/console-api.ts'
import { demoKeyInPage } from '../api/demo.ts'
import { wayOutOf } from '../api/refusals.ts'
import { call, type Signer, type Signing } from '../api/request.ts'
import { useAction } from '../api/use-action.ts'
import { errorIn, readXml } from '../api/xml.ts'
import type { SectionProps } from '../base/section.ts'
import { keepKey, keptKey } from '../base/session.ts'
import { Explorer } from '../explorer/explorer.tsx'
import { ActionForm } from '../fields/action.tsx'
import { SignatureDiagnosis } from '../signature-diagnosis/signature-diagnosis.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

interface WithKeyProps {
  readonly session: SessionAnswer
  readonly purpose: string
  readonly title: string
  /** The purpose of the section. */
  readonly says: string
  readonly children: (signing: Signing) => ComponentChildren
}

/** The signed API needs the secret key. It is asked for when it is first needed, and stays in this tab. */
export function WithKey({ session: { username, zone }, children, ...asked }: WithKeyProps) {
  const [key, setKey] = useState(keptKey)
  const [catalogue, setCatalogue] = useState<readonly DescribedMethod[]>()
  const { run, problem } = useAction()
  const load = () => run(async () => setCatalogue(await loadCatalogue()))
  useEffect(() => void load(), [])
  if (problem) return <RefusalNotice problem={problem} onRetry={load} />
  if (!catalogue) return <Skeleton what="the description of the API" />
  if (key) return <Fragment>{children({ catalogue, signer: { username, key }, zone })}</Fragment>
  const check = async (_once: string, { key: given = '' }: SentValues) => {
    await checkSigner(catalogue, { username, key: given })
    keepKey(given)
    setKey(given)
  }
  return <KeyForm {...asked} check={check} />
}

interface KeyFormProps extends Omit<WithKeyProps, 'session' | 'children'> {
  readonly check: (idempotencyKey: string, values: SentValues) => Promise<void>
}

/** On the demo its key is filled in. */
const KeyForm = ({ title, says, purpose, check }: KeyFormProps) => (
  <div class="stack key-form">
    <PageHeader title={title} text={says} />
    <ActionForm
      card="Secret key"
      text="Continue"
      initial={{ key: demoKeyInPage() }}
      fields={[
        {
          name: 'key',
          label: 'Secret key',
          secret: true,
          required: true,
          hint: `API_Secret_Key of this installation: ${purpose}. It stays in this tab.`,
        },
      ]}
      run={check}
    />
  </div>
)

export const ExplorerSection = ({ route, session }: SectionProps) => (
  <WithKey
    session={session}
    title="Explorer"
    says="Try each method of the signed API: its form, the string that is signed, and the answer."
    purpose="the explorer signs calls with it"
  >
    {(signing) => <Explorer route={route} {...signing} />}
  </WithKey>
)

export const SignatureDiagnosisSection = ({ session }: SectionProps) => (
  <WithKey
    session={session}
    title="Refused hash"
    says="Find out why the hash of a call was refused, and copy the corrected call."
    purpose="the page compares hashes with it"
  >
    {(signing) => <SignatureDiagnosis {...signing} />}
  </WithKey>
)

/** Refusals after signature and name were accepted: without a customer, and to a plain user. */
const ACCEPTED = ['user_id is empty', 'Dont_be_so_smart']

const SENTENCES: Readonly<Record<string, string>> = {
  'Incorrect hash': 'Incorrect hash: this is not the secret key of this installation.',
  'Bad login': 'Bad login: the key is right, but no active account has this username.',
}

/** Asks for the devices of no account, which changes nothing and shows whether name and key are right. */
async function checkSigner(catalogue: readonly DescribedMethod[], { username, key }: Signer): Promise<void> {
  const method = findMethod(catalogue, 'devices_get')
  if (!method) throw wrongKey('The description of the API has no devices_get.')
  const { text, status } = await call(method, { u: username }, key)
  const root = readXml(text)
  const refusal = (root && errorIn(root)) ?? `The API answered with HTTP ${status} and no words.`
  if (!ACCEPTED.includes(refusal))
    throw wrongKey(SENTENCES[refusal] ?? [refusal, wayOutOf(refusal).says].filter(Boolean).join('. '))
}

const wrongKey = (message: string) => new RefusedRequest('wrong_key', message, [{ name: 'key', message }])
