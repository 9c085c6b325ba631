import type { Ask } from '../api/ask.ts'
import { findAll, textIn } from '../api/xml.ts'
import { Message } from '../views/message.tsx'
import { useAnswer } from '../views/use-answer.ts'
import { type Count, regrouped } from './tally.ts'

interface DestinationsProps {
  readonly prefixes: ReadonlyMap<string, Count>
  readonly ask: Ask
}

interface Named {
  readonly tariff: string
  readonly byPrefix: ReadonlyMap<string, string>
}

const MOST = 12
/** Without a tariff, what numbers begin with. */
const FIRST_DIGITS = 3

/** Answers of user_calls_get name no destination: the first digits do, or a tariff that the account sees. */
export function Destinations({ prefixes, ask }: DestinationsProps) {
  const [{ value: named, problem, isUnderWay }, put] = useAnswer<Named>()
  const name = () =>
    put(async () => {
      const answer = await ask('tariff_rates_get')
      const rates = findAll(answer, 'rate')
      return {
        tariff: textIn(answer, 'tariff_name'),
        byPrefix: new Map(rates.map((rate) => [textIn(rate, 'prefix'), textIn(rate, 'destination')])),
      }
    })
  const label = named ? destinationIn(named.byPrefix) : (digits: string) => digits.slice(0, FIRST_DIGITS)
  const groups = [...regrouped(prefixes, label)].sort(([, one], [, other]) => other.calls - one.calls)
  const most = groups[0]?.[1].calls ?? 1
  return (
    <section class="card" aria-label="Destinations">
      <div class="choices">
        <h2>Destinations</h2>
        <small>{named ? `named by the tariff ${named.tariff}` : 'by the first digits'}</small>
        {!named && (
          <button type="button" disabled={isUnderWay} onClick={name}>
            Name them by my tariff
          </button>
        )}
      </div>
      {problem && <Message kind="error" text={problem} />}
      <table>
        <thead>
          <tr>
            <th scope="col">Destination</th>
            <th scope="col">Calls</th>
            <th scope="col">Minutes</th>
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, MOST).map(([title, { calls, seconds }]) => (
            <tr key={title}>
              <th scope="row">{title || 'none'}</th>
              <td>
                {calls.toLocaleString()} <span class="bar" style={{ width: `${(8 * calls) / most}rem` }} />
              </td>
              <td>{Math.round(seconds / 60).toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The destination of the longest prefix; where there is none, the first digits. */
const destinationIn =
  (byPrefix: ReadonlyMap<string, string>) =>
  (digits: string): string => {
    for (let length = digits.length; length > 0; length--) {
      const found = byPrefix.get(digits.slice(0, length))
      if (found !== undefined) return found
    }
    return digits.slice(0, FIRST_DIGITS)
  }
