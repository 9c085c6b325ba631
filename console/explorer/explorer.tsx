import { useEffect, useState } from 'preact/hooks'
import { findMethod, type Method, type Values } from '../api/catalogue.ts'
import { type Answer, call } from '../api/request.ts'
import { withoutSecrets } from '../api/secrets.ts'
import type { PartProps } from '../part.ts'
import { linkTo } from '../place.ts'
import { Message } from '../views/message.tsx'
import { AnswerView } from './answer-view.tsx'
import { History, type Made } from './history.tsx'
import { MethodForm } from './method-form.tsx'
import { MethodList } from './method-list.tsx'
import { Signature } from './signature.tsx'
import { Snippets } from './snippets.tsx'

const FIRST = 'devices_get'

/** Every method: a form, the string that is signed, the request in four languages, the answer. */
export function Explorer({ place, catalogue, signer }: PartProps) {
  const [history, setHistory] = useState<readonly Made[]>([])
  const method = findMethod(catalogue, place.method || FIRST)
  return (
    <div class="explorer">
      <MethodList catalogue={catalogue} chosen={method?.name ?? ''} />
      <div class="method">
        {method ? (
          <Caller
            key={`${method.name} ${JSON.stringify(place.values)}`}
            method={method}
            username={signer.username}
            secretKey={signer.key}
            given={place.values}
            onCalled={(made) => setHistory([made, ...history])}
          />
        ) : (
          <Message kind="error" text={`There is not a method ${place.method}.`} />
        )}
        <History made={history} />
      </div>
    </div>
  )
}

interface CallerProps {
  readonly method: Method
  readonly username: string
  readonly secretKey: string
  readonly given: Values
  readonly onCalled: (made: Made) => void
}

const isSent = ([, value]: readonly [string, string]): boolean => value !== ''

function Caller({ method, username, secretKey, given, onCalled }: CallerProps) {
  const own = method.callers === 'public' ? {} : { u: username }
  const [values, setValues] = useState<Values>({ ...own, ...given })
  const [answer, setAnswer] = useState<Answer>()
  const [problem, setProblem] = useState('')
  useEffect(() => setProblem(''), [values])
  const sent = Object.fromEntries(Object.entries(values).filter(isSent))

  const send = async () => {
    try {
      const answered = await call(method, sent, secretKey)
      setAnswer(answered)
      onCalled({ method: method.name, values: withoutSecrets(sent), answer: answered, at: new Date() })
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <>
      <h1>{method.name}</h1>
      <p>{method.summary}</p>
      <CallersOf method={method} />
      <MethodForm
        method={method}
        values={values}
        onChange={setValues}
        onSend={send}
        onExample={() => setValues(method.example)}
      />
      {problem && <Message kind="error" text={problem} />}
      <Signature method={method} sent={sent} secretKey={secretKey} />
      {answer && <AnswerView answer={answer} />}
      <Snippets method={method} sent={sent} />
      <p>
        <a href={linkTo(method.name, values)}>Link to this call</a>{' '}
        <small>It holds no key, hash or password.</small>
      </p>
    </>
  )
}

const CallersOf = ({ method: { callers } }: { readonly method: Method }) => (
  <p class="callers">
    {callers === 'public' ? 'Anybody may call it, unsigned.' : `For ${callers.allowed.join(', ')}.`}
  </p>
)
