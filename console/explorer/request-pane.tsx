import { useEffect, useId, useState } from 'preact/hooks'
import type { DescribedMethod, SentValues } from '../api/catalogue.ts'
import { demoKeyInPage } from '../api/demo.ts'
import type { Answer } from '../api/request.ts'
import { isSecret } from '../api/secrets.ts'
import { type Piece, piecesOf, sha1 } from '../api/signing.ts'
import { LANGUAGES, type Language, snippet } from '../api/snippets.ts'
import { v2Snippet } from '../api/v2-snippets.ts'
import { errorIn, readXml } from '../api/xml.ts'
import { linkTo } from '../base/route.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Code } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { RichText } from '../ui/field.tsx'
import { TabList, TabPanel } from '../ui/tabs.tsx'
import { MethodFields } from './method-fields.tsx'

interface RequestPaneProps {
  readonly method: DescribedMethod
  readonly values: SentValues
  readonly sent: SentValues
  readonly secretKey: string
  readonly zone: string
  readonly history: readonly MadeCall[]
  readonly isBusy: boolean
  readonly onChange: (values: SentValues) => void
  readonly onSend: () => unknown
}

/** A request as it will be sent: its parameters, its signature, and the same as a program. */
export function RequestPane(props: RequestPaneProps) {
  const { method, values, sent, secretKey, history } = props
  const [tab, setTab] = useState<'parameters' | 'code' | 'history'>('parameters')
  const id = useId()
  const submit = (event: Event) => {
    event.preventDefault()
    props.onSend()
  }
  const tabs = [
    ['parameters', 'Parameters'],
    ['code', 'Code'],
    ['history', `History (${history.length})`],
  ] as const
  return (
    <form class="pane request" aria-label="Request" noValidate onSubmit={submit}>
      <RequestBar name={method.name} isBusy={props.isBusy} />
      <div>
        <h1 class="mono">{method.name}</h1>
        <p>
          <RichText text={method.summary} /> <CallersOf method={method} />
        </p>
      </div>
      <Signature method={method} sent={sent} secretKey={secretKey} />
      <div class="cluster">
        <TabList id={id} label="Request" tabs={tabs} value={tab} onChange={setTab} />
        <RequestLinks method={method} values={values} onChange={props.onChange} />
      </div>
      <TabPanel id={id} value={tab}>
        {tab === 'parameters' && (
          <MethodFields method={method} values={values} zone={props.zone} onChange={props.onChange} />
        )}
        {tab === 'code' && <Snippets method={method} sent={sent} />}
        {tab === 'history' && <History made={history} />}
      </TabPanel>
    </form>
  )
}

/** Stays at the top while the parameters scroll. */
const RequestBar = ({ name, isBusy }: { readonly name: string; readonly isBusy: boolean }) => (
  <div class="request-bar">
    <Badge tone="info" text="POST" />
    <code class="path">/api/{name}</code>
    <Button kind="primary" submits icon="send" isBusy={isBusy}>
      Send
    </Button>
  </div>
)

const RequestLinks = ({
  method,
  values,
  onChange,
}: Pick<RequestPaneProps, 'method' | 'values' | 'onChange'>) => (
  <span class="cluster links">
    {demoKeyInPage() && (
      <Button kind="quiet" small onClick={() => onChange(method.example)}>
        Use example
      </Button>
    )}
    <a href={linkTo(method.name, values)} title="Holds no key, hash or password">
      Link to this call
    </a>
  </span>
)

const WITHOUT_CALLER = {
  public: 'Anybody may call it, unsigned.',
  signed: 'Anybody who has the key may call it.',
}

const CallersOf = ({ method: { callers } }: { readonly method: DescribedMethod }) => (
  <span class="muted">
    {typeof callers === 'string' ? WITHOUT_CALLER[callers] : `For ${callers.allowed.join(', ')}.`}
  </span>
)

interface SignatureProps {
  readonly method: DescribedMethod
  readonly sent: SentValues
  readonly secretKey: string
}

/** The hues of the tokens, by turns: they show where a value ends. */
const HUES = 6

/** The string that is signed, each value in a hue of its own, and its hash. The key itself is not shown. */
export function Signature({ method, sent, secretKey }: SignatureProps) {
  const [hash, setHash] = useState('')
  const pieces = piecesOf(method, sent)
  const joined = pieces?.map(({ value }) => value).join('')
  useEffect(() => {
    if (joined !== undefined) sha1(joined + secretKey).then(setHash, () => setHash(''))
  }, [joined, secretKey])
  if (!pieces) return <p class="signature muted">This method is not signed.</p>
  return (
    <section class="signature" aria-label="Signature">
      <SignedString pieces={pieces} />
      <div class="cluster">
        <span class="muted">SHA-1</span> <code data-testid="hash">{hash}</code>
        <span class="links">
          <CopyButton text={hash} what="the hash" />
        </span>
      </div>
    </section>
  )
}

const SignedString = ({ pieces }: { readonly pieces: readonly Piece[] }) => (
  <div class="string">
    <h2 class="unseen">The string that is signed</h2>
    <span data-testid="string">
      {pieces.map(({ name, value }, index) => (
        <span key={name} class="piece" style={{ background: `var(--hue-${index % HUES})` }}>
          <small>{name}</small>
          <code>{isSecret(name) ? '•'.repeat(value.length) : value}</code>
        </span>
      ))}
      <span class="piece">
        <small>{pieces.length > 0 ? 'and the' : 'only the'}</small>
        <code>secret key</code>
      </span>
    </span>
  </div>
)

const TABS = LANGUAGES.map((language) => [language, language] as const)

/** The request as a program, to be copied. */
function Snippets({ method, sent }: { readonly method: DescribedMethod; readonly sent: SentValues }) {
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

export interface MadeCall {
  readonly method: string
  readonly values: SentValues
  readonly answer: Answer
  readonly at: Date
}

function outcomeOf({ text }: Answer): string {
  const root = readXml(text)
  return (root && errorIn(root)) ?? 'Answered'
}

const History = ({ made }: { readonly made: readonly MadeCall[] }) =>
  made.length === 0 ? (
    <EmptyState title="No calls yet" text="Calls that you send are listed here until the page is closed." />
  ) : (
    <ol class="history">
      {made.map(({ method, values, answer, at }) => (
        <li key={at.getTime()}>
          <a href={linkTo(method, values)}>
            {method} {new URLSearchParams(values).toString()}
          </a>
          <span class="muted">
            <time dateTime={at.toISOString()}>{at.toLocaleTimeString('en-GB')}</time> · {outcomeOf(answer)} ·{' '}
            {answer.milliseconds} ms
          </span>
        </li>
      ))}
    </ol>
  )
