import type { ListedNoun } from '#lib/acts/inputs.ts'
import type { Remedies, TerminalTask } from '#lib/base/refusals/refusal-text.ts'
import type { SentValues } from '../api/catalogue.ts'

/** A place of the page where a person does what a command does. */
export interface Help {
  readonly section: string
  /** The thing in the section. */
  readonly id?: string
  readonly values: SentValues
  readonly text: string
}

/** How a refusal is mended: at a place of the page, or else by a command. */
export interface ShownRemedy {
  readonly command?: string
  readonly help?: Help
}

const place = (section: string, text: string, more: Partial<Help> = {}): ShownRemedy => ({
  help: { section, text, values: {}, ...more },
})

const setting = (name: string): ShownRemedy => place('settings', `Set ${name}`, { values: { setting: name } })

const SECTION_OF: Readonly<Record<Exclude<ListedNoun, 'hold'>, string>> = {
  intake: 'switches',
  key: 'keys',
  webhook: 'webhooks',
  setting: 'settings',
  'suspended CDR': 'suspense',
  tariff: 'tariffs',
  provider: 'providers',
  'failed import': 'imports',
}

/** The tasks that take longer than a request, or that answer more than fits. */
const TASKS: Readonly<Record<TerminalTask, (of: string) => string>> = {
  report_calls: (by) => `report calls --by ${by}`,
  report_ageing: () => 'report ageing',
  report_statement: (customer) => `report statement ${customer}`,
  write_document: (number) => `invoices show ${number} --pdf --output FILE`,
  write_journal: (month) => `invoices journal --month ${month} --output FILE`,
  issue_month: (month) => `invoices issue --month ${month} --table TABLE`,
  import_sheet: (tariff) => `rates import FILE --tariff ${tariff}`,
  mark_up: (tariffs) => `rate markup ${tariffs}`,
  import_bank_file: (file) => `payment import ${file}`,
  import_file: (file) => `import ${file}`,
  import_origins: () => 'import FOLDER, with origins.csv',
  compare_versions: (tariff) => `tariff diff ${tariff}`,
}

/** Where the page does what helps. A form asks itself whether an act is meant. */
const WAYS: { readonly [R in keyof Remedies]: (values: Remedies[R]) => ShownRemedy } = {
  open_balances: () => ({ ...setting('Balance_From'), command: 'npx tollgate balance open --day DAY' }),
  list_payments: () => place('billing', 'All payments', { values: { kind: 'payments' } }),
  list_invoices: () => place('billing', 'All invoices'),
  add_currency: ({ currency }) => place('currencies', `Add ${currency}`),
  list_accounts: () => place('customers', 'All customers'),
  list: ({ of }) =>
    of === 'hold' ? { command: 'npx tollgate holds list' } : place(SECTION_OF[of], `Each ${of}`),
  revoke_intake: () => place('switches', 'Revoke it'),
  list_versions: ({ tariff }) => place('tariffs', 'Its versions', { id: tariff }),
  migrate: () => ({ command: 'npx tollgate migrate' }),
  move_timezone: ({ zone }) => ({ command: `npx tollgate settings timezone ${zone}` }),
  act_as_owner: () => ({}),
  close_month: ({ month }) => place('billing', `Close ${month}`, { values: { view: 'month', month } }),
  set_setting: ({ setting: name }) => setting(name),
  agree: () => ({}),
  issue_month: ({ month }) => place('billing', `Issue ${month}`, { values: { view: 'month', month } }),
  retry_suspended: () => place('suspense', 'Retry them in Suspense'),
  release_payments: () => place('billing', 'Release payments in Billing', { values: { kind: 'payments' } }),
  at_terminal: ({ task, of }) => ({ command: `npx tollgate ${TASKS[task](of)}` }),
  again: () => ({}),
  retry_with_archive: () => ({ command: 'npx tollgate suspense retry --table TABLE' }),
  permit: () => ({}),
  name_input: () => ({}),
  begin_at: () => ({}),
}

/** The way out of a refusal as the API names it; none for a name that this page does not know. */
export const remedyIn = ({ act = '', ...values }: SentValues): ShownRemedy =>
  Object.hasOwn(WAYS, act) ? (WAYS[act as keyof Remedies] as (values: SentValues) => ShownRemedy)(values) : {}
