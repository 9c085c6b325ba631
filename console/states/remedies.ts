import type { ListedNoun } from '#lib/acts/inputs.ts'
import type { Remedies } from '#lib/base/refusals/refusal-sentences.ts'
import type { SentValues } from '../api/catalogue.ts'
import type { Advice, Help } from './advice.ts'

type Way = Omit<Advice, 'fact'>

const place = (section: string, text: string, more: Partial<Help> = {}): Way => ({
  help: { section, text, values: {}, ...more },
})

const setting = (name: string): Way => place('settings', `Set ${name}`, { values: { setting: name } })

const SECTION_OF: Readonly<Record<Exclude<ListedNoun, 'hold'>, string>> = {
  intake: 'switches',
  key: 'keys',
  webhook: 'webhooks',
  setting: 'settings',
  'suspended CDR': 'suspense',
  tariff: 'tariffs',
  'failed import': 'imports',
}

/** Where the page does what helps. A form asks itself whether an act is meant. */
const WAYS: { readonly [R in keyof Remedies]: (values: Remedies[R]) => Way } = {
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
  again: () => ({}),
  retry_with_archive: () => ({ command: 'npx tollgate suspense retry --table TABLE' }),
  permit: () => ({}),
}

/** The way out of a refusal as the API names it; none for a name that this page does not know. */
export const remedyIn = ({ act = '', ...values }: SentValues): Way =>
  Object.hasOwn(WAYS, act) ? (WAYS[act as keyof Remedies] as (values: SentValues) => Way)(values) : {}
