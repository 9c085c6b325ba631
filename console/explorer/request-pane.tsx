import { useId, useState } from 'preact/hooks'
import type { DescribedMethod, SentValues } from '../api/catalogue.ts'
import { demoKeyInPage } from '../api/demo.ts'
import { linkTo } from '../place.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { RichText } from '../ui/rich-text.tsx'
import { TabList, TabPanel } from '../ui/tabs.tsx'
import { History, type MadeCall } from './history.tsx'
import { MethodFields } from './method-fields.tsx'
import { Signature } from './signature.tsx'
import { Snippets } from './snippets.tsx'

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

type RequestTab = 'parameters' | 'code' | 'history'

/** A request as it will be sent: its parameters, its signature, and the same as a program. */
export function RequestPane(props: RequestPaneProps) {
  const { method, values, sent, secretKey, history } = props
  const [tab, setTab] = useState<RequestTab>('parameters')
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
