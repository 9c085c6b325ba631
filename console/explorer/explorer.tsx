import { useEffect, useRef, useState } from 'preact/hooks'
import { type DescribedMethod, findMethod, type SentValues } from '../api/catalogue.ts'
import { type Answer, call, type Signer, type Signing } from '../api/request.ts'
import { withoutSecrets } from '../api/secrets.ts'
import { useAction } from '../api/use-action.ts'
import type { PageRoute } from '../base/route.ts'
import { ProblemNotice } from '../states/problem-notice.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { AnswerPane } from './answer-pane.tsx'
import { type MadeCall, RequestPane } from './request-pane.tsx'

const FIRST = 'devices_get'

/** Every method: the list at the left, the request in the middle, the answer at the right or below. */
export function Explorer({ route, catalogue, signer, zone }: Signing & { readonly route: PageRoute }) {
  const [history, setHistory] = useState<readonly MadeCall[]>([])
  const wanted = route.section === 'explorer' ? route.id : ''
  const method = findMethod(catalogue, wanted || FIRST)
  return (
    <div class="explorer">
      <MethodList catalogue={catalogue} chosen={method?.name ?? ''} />
      {method ? (
        <Exchange
          key={`${method.name} ${JSON.stringify(route.values)}`}
          method={method}
          signer={signer}
          zone={zone}
          given={route.values}
          history={history}
          onCalled={(made) => setHistory([made, ...history])}
        />
      ) : (
        <div>
          <PageHeader title="Explorer" />
          <EmptyState title={`There is no method ${wanted}.`} text="Choose one of the list." />
        </div>
      )}
    </div>
  )
}

interface ExchangeProps {
  readonly method: DescribedMethod
  readonly signer: Signer
  readonly zone: string
  readonly given: SentValues
  readonly history: readonly MadeCall[]
  readonly onCalled: (made: MadeCall) => void
}

const isSent = ([, value]: readonly [string, string]): boolean => value !== ''

/** The request and its answer, which receives the focus and so scrolls into view on a phone. */
export function Exchange({ method, signer, zone, given, history, onCalled }: ExchangeProps) {
  const own = typeof method.callers === 'string' ? {} : { u: signer.username }
  const [values, setValues] = useState<SentValues>({ ...own, ...given })
  const [answer, setAnswer] = useState<Answer>()
  const { run, problem, isUnderWay: isBusy } = useAction()
  const pane = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!answer) return
    pane.current?.focus({ preventScroll: true })
    pane.current?.scrollIntoView()
  }, [answer])
  const sent = Object.fromEntries(Object.entries(values).filter(isSent))

  const send = () =>
    run(async () => {
      const answered = await call(method, sent, signer.key)
      setAnswer(answered)
      onCalled({ method: method.name, values: withoutSecrets(sent), answer: answered, at: new Date() })
    })
  const request = { method, values, sent, secretKey: signer.key, zone, history, isBusy }
  return (
    <>
      <RequestPane {...request} onChange={setValues} onSend={send} />
      <section ref={pane} class="pane answer" aria-label="Answer" tabIndex={-1}>
        {problem && <ProblemNotice text={problem.message} />}
        <AnswerPane method={method.name} answer={answer} isBusy={isBusy} />
      </section>
    </>
  )
}

interface MethodListProps {
  readonly catalogue: readonly DescribedMethod[]
  readonly chosen: string
}

function MethodList({ catalogue, chosen }: MethodListProps) {
  const [wanted, setWanted] = useState('')
  const [isOpen, setOpen] = useState(false)
  const found = catalogue.filter(({ name }) => name.includes(wanted.trim().toLowerCase()))
  const areas = [...new Set(found.map(({ area }) => area))]
  return (
    <nav class={`pane methods${isOpen ? ' open' : ''}`} aria-label="Methods">
      <div class="unfold-methods">
        <Button icon="chevron" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide the methods' : 'All methods'}
        </Button>
      </div>
      <div class="all-methods">
        <input
          class="input"
          type="search"
          aria-label="Find a method"
          placeholder="Find a method"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
        {areas.map((area) => (
          <section key={area}>
            <h2>{area.replace('-', ' ')}</h2>
            <ul>
              {found
                .filter((method) => method.area === area)
                .map(({ name }) => (
                  <li key={name}>
                    <a
                      href={`#/explorer/${name}`}
                      aria-current={name === chosen ? 'true' : undefined}
                      onClick={() => setOpen(false)}
                    >
                      {name.split(/(?<=_)/).flatMap((part) => [part, <wbr key={part} />])}
                    </a>
                  </li>
                ))}
            </ul>
          </section>
        ))}
        {found.length === 0 && <EmptyState title="No method has this name." />}
      </div>
    </nav>
  )
}
