import type { ListedNoun } from '#lib/acts/inputs.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { refusalForPeople } from '#lib/base/refusals/refusal-sentences.ts'
import type { RefusalRemedy, Remedies } from '#lib/base/refusals/refusal-text.ts'
import { CommandError, usageError } from '../machine/terminal.ts'

/** The command that a person types after a refusal. */
const COMMANDS: { readonly [R in Exclude<keyof Remedies, 'at_terminal'>]: (values: Remedies[R]) => string } =
  {
    open_balances: () => 'npx tollgate balance open --day DAY',
    list_payments: () => 'npx tollgate payment list shows them',
    list_invoices: ({ customer }) =>
      `npx tollgate invoices list${customer ? ` --customer ${customer}` : ''} shows them`,
    name_input: ({ input, value }) => `pass ${optionOf(input)} ${value}`.trim(),
    add_currency: ({ currency }) => `npx tollgate currency add ${currency} --exchange-rate RATE`,
    list_accounts: () => 'npx tollgate account list shows all of them',
    act_as_owner: () => 'pass --as with the username of this account',
    list: ({ of }) => `${LISTS[of]} shows all of them`,
    revoke_intake: ({ intake }) => `npx tollgate intake revoke ${intake}`,
    list_versions: ({ tariff }) => `npx tollgate tariff versions ${tariff} shows all of them`,
    migrate: () => 'npx tollgate migrate',
    move_timezone: ({ zone }) => `npx tollgate settings timezone ${zone}`,
    agree: () => 'pass --yes',
    close_month: ({ month }) => `npx tollgate books close ${month}`,
    set_setting: ({ setting, value }) => `npx tollgate settings set ${setting} ${value}`,
    issue_month: ({ month, customer }) =>
      `npx tollgate invoices issue --month ${month} --customer ${customer}`,
    retry_suspended: () => 'npx tollgate suspense retry, or pass --despite-suspense',
    release_payments: () => 'npx tollgate payment unassign',
    again: () => 'pass --again to do it once more',
    begin_at: ({ day }) => `pass --from ${day}, or query the Parquet files (docs/archive.md)`,
    retry_with_archive: () => 'npx tollgate suspense retry --table TABLE',
    permit: ({ obstacle }) => `pass ${PERMISSIONS[obstacle]}`,
  }

const PERMISSIONS: Readonly<Record<Remedies['permit']['obstacle'], string>> = {
  gaps: '--with-gaps to leave hours without a price, or with two',
  'refused rows': '--accept-rejected to import the other rows',
  removals: '--allow-removals to override this check',
}

const LISTS: Readonly<Record<ListedNoun, string>> = {
  intake: 'npx tollgate intake list',
  key: 'npx tollgate key list',
  webhook: 'npx tollgate webhooks list',
  setting: 'npx tollgate settings list',
  'suspended CDR': 'npx tollgate suspense list',
  tariff: 'npx tollgate tariff list',
  provider: 'npx tollgate provider list',
  hold: 'npx tollgate holds list',
  'failed import': 'npx tollgate failed-imports list',
}

/** Only the page sends somebody to a terminal. */
const commandFor = (remedy: RefusalRemedy): string | undefined =>
  remedy.act === 'at_terminal'
    ? undefined
    : (COMMANDS[remedy.act] as (values: RefusalRemedy) => string)(remedy)

/** The option of an input: `--from-day` for `fromDay`, `--tariff` for `tariff_id`. */
export const optionOf = (name: string): string =>
  `--${(COLUMN_OPTIONS[name] ?? name)
    .replace(/_id$/, '')
    .replaceAll('_', '-')
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const COLUMN_OPTIONS: Readonly<Record<string, string>> = { user_id: 'account', effective_from: 'from' }

/** Returns whether an act only asks before it does something. */
export const isAskedAgain = (error: unknown): error is Refusal =>
  error instanceof Refusal && refusalForPeople(error).remedy?.act === 'agree'

export const questionOf = (refusal: Refusal): string => `${refusalForPeople(refusal).message}. Go on?`

/** A refusal as a line of a terminal, with the command that helps. */
export function refusedCommand(refusal: Refusal, spell?: (name: string) => string): CommandError {
  const { message, remedy } = refusalForPeople(refusal, spell ?? optionOf)
  const command = remedy && commandFor(remedy)
  const isUsage = ['wrong_value', 'missing_value', 'days_reversed'].includes(refusal.code)
  const line = command === undefined ? message : `${message}: ${command}`
  return isUsage ? usageError(`${line}, see --help`) : new CommandError(line)
}
