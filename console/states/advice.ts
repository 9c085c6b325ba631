import type { SentValues } from '../api/catalogue.ts'

/** A place of the page where a person does what a command does. */
export interface Help {
  readonly section: string
  /** The thing in the section. */
  readonly id?: string
  readonly values: SentValues
  readonly text: string
}

export interface Advice {
  /** The message without the command. */
  readonly fact: string
  readonly command?: string | undefined
  readonly help?: Help | undefined
}

const COMMAND = /^(.*?)(?:[:,]|, or|, and|, as)?(?: (?:run|with|in a file of))? (npx tollgate .+?)\.?$/s

/** Where the page does what these commands do. All other commands need a terminal. */
const PLACES: readonly (readonly [RegExp, (...values: string[]) => Help])[] = [
  [
    /^settings set (\w+)/,
    (setting = '') => ({ section: 'settings', values: { setting }, text: `Set ${setting}` }),
  ],
  [
    /^balance open$/,
    () => ({ section: 'settings', values: { setting: 'Balance_From' }, text: 'Set Balance_From' }),
  ],
  [
    /^invoices issue --month (\S+) --customer/,
    (month = '') => ({ section: 'billing', values: { view: 'month', month }, text: `Issue ${month}` }),
  ],
  [/^suspense retry(?:, |$)/, () => ({ section: 'suspense', values: {}, text: 'Retry them in Suspense' })],
  [
    /^payment take-back$/,
    () => ({ section: 'billing', values: { kind: 'payments' }, text: 'Take payments back in Billing' }),
  ],
]

/** A message of the API says what is wrong; at its end may stand the command that helps at a terminal. */
export function adviceIn(message: string): Advice {
  const [, fact = message, command] = COMMAND.exec(message) ?? []
  const helps = PLACES.flatMap(([form, help]) => {
    const found = form.exec(command?.replace('npx tollgate ', '') ?? '')
    return found ? [help(...found.slice(1))] : []
  })
  return { fact, command, help: helps[0] }
}
