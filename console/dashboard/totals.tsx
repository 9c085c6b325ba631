import { useEffect } from 'preact/hooks'
import type { Ask } from '../api/ask.ts'
import { find, type XmlNode } from '../api/xml.ts'
import { Message } from '../views/message.tsx'
import { useAnswer } from '../views/use-answer.ts'

const PERIODS = [
  ['today', 'Today'],
  ['this_month', 'This month'],
] as const

const NAMES: Readonly<Record<string, string>> = {
  calls: 'Calls',
  duration: 'Minutes',
  revenue: 'Revenue',
  self_cost: 'Cost',
  profit: 'Profit',
  margin: 'Margin, %',
}

const shown = ({ name, text }: XmlNode): string =>
  name === 'duration' ? Math.round(Number(text) / 60).toLocaleString() : text

/** quickstats_get: calls and minutes, and money where the account may see it. */
export function Totals({ ask }: { readonly ask: Ask }) {
  const [{ value, problem }, put] = useAnswer<XmlNode>()
  useEffect(() => {
    put(() => ask('quickstats_get'))
  }, [ask, put])
  if (problem) return <Message kind="error" text={problem} />
  if (!value) return <p role="status">Asking for the totals …</p>
  return (
    <>
      {PERIODS.map(([name, title]) => (
        <section key={name} aria-label={title}>
          <h2>{title}</h2>
          <dl class="tiles">
            {find(value, name)?.children.map((child) => (
              <div key={child.name} class="tile">
                <dt>{NAMES[child.name] ?? child.name}</dt>
                <dd>{shown(child)}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </>
  )
}
