import { type RefusalRemedy, type Remedies, refusalForPeople } from '#lib/api/refusal-sentences.ts'
import type { Refusal } from '#lib/base/refusal.ts'
import { CommandError, UsageError } from '../machine/terminal.ts'

/** What a person types after a refusal. */
const COMMANDS: { readonly [R in keyof Remedies]: (values: Remedies[R]) => string } = {
  open_balances: () => 'npx tollgate balance open --day DAY',
  list_payments: () => 'npx tollgate payment list shows them',
  list_invoices: ({ customer }) => `npx tollgate invoices list --customer ${customer}`,
  take_back_payment: ({ payment }) => `npx tollgate payment take-back ${payment} --why TEXT`,
  add_currency: ({ currency }) => `npx tollgate currency add ${currency} --exchange-rate RATE`,
  list_accounts: () => 'npx tollgate account list shows all of them',
  act_as_owner: () => 'pass --as with the username of this account',
  again: () => 'pass --again to record another one',
}

const commandFor = (remedy: RefusalRemedy): string =>
  (COMMANDS[remedy.act] as (values: RefusalRemedy) => string)(remedy)

/** The option of an input: `--from-day` for `fromDay`. */
export const optionOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** A refusal as a line of a terminal, with the command that helps. */
export function refusedCommand(refusal: Refusal, spell?: (name: string) => string): CommandError {
  const { message, remedy } = refusalForPeople(refusal, spell ?? optionOf)
  const command = remedy && commandFor(remedy)
  const isUsage = refusal.code === 'wrong_value' || refusal.code === 'missing_value'
  const line = command === undefined ? message : `${message}: ${command}`
  return isUsage ? new UsageError(`${line}, see --help`) : new CommandError(line)
}
