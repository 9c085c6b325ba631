import type { SentValues } from '../api/catalogue.ts'
import type { Answer } from '../api/request.ts'
import { errorIn, readXml } from '../api/xml.ts'
import { linkTo } from '../place.ts'
import { EmptyState } from '../ui/empty-state.tsx'

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

export const History = ({ made }: { readonly made: readonly MadeCall[] }) =>
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
