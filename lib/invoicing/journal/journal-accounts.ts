import type { Settings } from '#lib/settings/settings.ts'

export type AccountSetting =
  | 'Journal_Receivables'
  | 'Journal_Revenue'
  | 'Journal_VAT'
  | 'Journal_Bank'
  | 'Journal_Differences'

/**
 * The account for the first of these words that a setting names, such as `8401` for `calls` in
 * `calls=8401,8400`. An account without a word is for all others.
 */
export function accountFor(
  settings: Pick<Settings, AccountSetting>,
  setting: AccountSetting,
  words: readonly string[] = [],
): string {
  const named = new Map(
    settings[setting].split(',').map((item) => {
      const [word = '', account] = item.split('=').map((part) => part.trim())
      return account === undefined ? ['', word] : [word.toLowerCase(), account]
    }),
  )
  const word = [...words, ''].find((one) => named.has(one.toLowerCase()))
  const account = word === undefined ? undefined : named.get(word.toLowerCase())
  if (account) return account
  throw new JournalRefused(
    `${setting} has no account for ${words.at(0)}: add ${words.at(0)}=ACCOUNT, or an account alone for all others`,
  )
}

/** The journal cannot be written. The message names the remedy. */
export class JournalRefused extends Error {}
