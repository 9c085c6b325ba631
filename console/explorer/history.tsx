import type { Values } from '../api/catalogue.ts'
import type { Answer } from '../api/request.ts'
import { errorIn, readXml } from '../api/xml.ts'
import { linkTo } from '../place.ts'

/** A call that was made, without its secrets. */
export interface Made {
  readonly method: string
  readonly values: Values
  readonly answer: Answer
  readonly at: Date
}

function outcomeOf({ text }: Answer): string {
  const root = readXml(text)
  return (root && errorIn(root)) ?? 'answered'
}

/** What was called since the page was opened; each can be called again. */
export const History = ({ made }: { readonly made: readonly Made[] }) =>
  made.length === 0 ? null : (
    <section class="card" aria-label="History">
      <h2>History</h2>
      <ol class="history">
        {made.map(({ method, values, answer, at }) => (
          <li key={at.getTime()}>
            <time dateTime={at.toISOString()}>{at.toLocaleTimeString()}</time>{' '}
            <a href={linkTo(method, values)}>
              {method} {new URLSearchParams(values).toString()}
            </a>{' '}
            <span>
              {outcomeOf(answer)}, {answer.milliseconds} ms
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
