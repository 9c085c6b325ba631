import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { Refusal } from '#lib/base/refusal.ts'
import type { LedgerAccount } from '#lib/billing/journal/posting.ts'
import type { Settings } from '#lib/settings/settings.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly no_journal_account: { readonly setting: AccountSetting; readonly word: string }
    readonly wrong_debtor: {
      readonly customer: string
      readonly account: string
      readonly first: number
      readonly last: number
    }
  }
}

export type AccountSetting =
  | 'Journal_Receivables'
  | 'Journal_Revenue'
  | 'Journal_VAT'
  | 'Journal_Bank'
  | 'Journal_Differences'
  | 'Journal_Prepaid'
  | 'Journal_Adjustments'

const SETTINGS: Readonly<Partial<Record<LedgerAccount, AccountSetting>>> = {
  receivables: 'Journal_Receivables',
  VAT: 'Journal_VAT',
  bank: 'Journal_Bank',
  difference: 'Journal_Differences',
  prepaid: 'Journal_Prepaid',
  adjustment: 'Journal_Adjustments',
}

/** The number of a line's account. All accounts without a setting of their own are revenue. */
export function accountOfLine(settings: Settings, of: LedgerAccount, word: string): string {
  const setting = SETTINGS[of]
  if (setting) return accountFor(settings, setting, word === '' ? [] : [word])
  // Goodwill without an account of its own is posted as other revenue.
  const others = of === 'goodwill' ? ['other'] : []
  return accountFor(settings, 'Journal_Revenue', [`${of}/${word}`, `/${word}`, of, ...others])
}

/**
 * The account for the first of these words that a setting names, such as `8401` for `calls` in
 * `calls=8401,8400`. An account without a word is for all others.
 */
function accountFor(settings: Settings, setting: AccountSetting, words: readonly string[]): string {
  const account = valueFor(settings[setting], words)
  if (account) return account
  throw new Refusal('no_journal_account', { setting, word: words.at(0) ?? '' })
}

function valueFor(text: string, words: readonly string[]): string | undefined {
  const named = new Map(
    text.split(',').map((item) => {
      const [word = '', value] = item.split('=').map((part) => part.trim())
      return value === undefined ? ['', word] : [word.toLowerCase(), value]
    }),
  )
  const word = [...words, ''].find((one) => named.has(one.toLowerCase()))
  return word === undefined ? undefined : named.get(word.toLowerCase())
}

/** The tax key of a line of revenue, by its VAT percent; `undefined` for none. */
export const taxKeyOf = (settings: Settings, of: LedgerAccount, word: string): string | undefined =>
  SETTINGS[of] === undefined ? valueFor(settings.DATEV_Tax_Keys, [word]) || undefined : undefined

/**
 * The debtor's account of a customer: its own, or one that follows from its id. It has one digit more than
 * other accounts, and begins with 1 to 6: DATEV takes no other.
 */
export function debtorOf(
  settings: Settings,
  { id, username = '', debtor_account = '' }: Pick<WholeAccount, 'id'> & Partial<WholeAccount>,
): string {
  const receivables = accountFor(settings, 'Journal_Receivables', [])
  const first = 10 ** receivables.length
  const account = debtor_account || String(first + id)
  if (settings.DATEV_Client === '' || (/^[1-6]/.test(account) && account.length === receivables.length + 1))
    return account
  throw new Refusal('wrong_debtor', { customer: username, account, first, last: 7 * first - 1 })
}
