import { leastOfPassword } from '#lib/accounts/password.ts'
import { findWholeAccount, findWholeAccounts } from '#lib/accounts/whole-account.ts'
import type { Actor } from '#lib/base/account-types.ts'
import { type CustomerLanguage, languageIn } from '#lib/base/language/language.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { brandKey, readBrand } from '#lib/invoicing/documents/brand.ts'
import { ownsItself, sellerOf } from '#lib/invoicing/parties.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { BrandAnswer } from './answers/portal.ts'

/** Refuses a customer while the operator has switched the page off. */
export const pageIsOff = () => new Refusal('page_off', {})

export const languageOf = (text: string, { Language }: Pick<Settings, 'Language'>): CustomerLanguage =>
  languageIn(text) ?? languageIn(Language) ?? 'en'

/** The language of the page of a customer, and the seller whose name it has; null for any other account. */
export async function portalOf(store: Store, settings: Settings, { id, usertype, owner_id }: Actor) {
  if (usertype !== 'user') return null
  const [account, owner] = await findWholeAccounts(store, [id, owner_id])
  return {
    language: languageOf(account?.language ?? '', settings),
    seller: {
      id: owner && ownsItself(owner) ? owner_id : ADMIN_ACCOUNT,
      name: sellerOf(settings, owner).name,
    },
    leastPassword: leastOfPassword(settings),
    isStrongPassword: settings.Use_strong_passwords,
  }
}

/** The public brand of a seller: empty for a reseller that has neither logo nor colour. */
export async function brandOf(store: Store, settings: Settings, seller: number): Promise<BrandAnswer> {
  const [[item], owner] = await Promise.all([
    store.getMany([brandKey(seller)], 'eventual'),
    seller === ADMIN_ACCOUNT ? undefined : findWholeAccount(store, seller),
  ])
  const isShown = seller === ADMIN_ACCOUNT || (item !== undefined && owner !== undefined && ownsItself(owner))
  const name = isShown ? sellerOf(settings, owner).name : ''
  const { logo, colour } = readBrand(isShown ? item : undefined)
  return { logo, colour, name, language: languageOf('', settings) }
}
