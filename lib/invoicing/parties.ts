import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { displayName } from '#lib/base/account-types.ts'
import type { Settings } from '#lib/settings/settings.ts'

/** A seller or a buyer, as a document names it. */
export interface Party {
  readonly name: string
  /** Lines with line feeds between them. */
  readonly address: string
  readonly vat_number: string
  readonly bank: string
}

export const partyOf = (account: WholeAccount): Party => {
  const { company_name, address, postcode, city, county, state, vat_number, bank } = account
  const lines = [address, `${postcode} ${city}`.trim(), county, state]
  return {
    name: company_name || displayName(account),
    address: lines.filter((line) => line !== '').join('\n'),
    vat_number,
    bank,
  }
}

/** The seller of an owner's documents: settings name that of an admin. */
export const sellerOf = (settings: Settings, owner: WholeAccount | undefined): Party =>
  owner && ownsItself(owner)
    ? partyOf(owner)
    : {
        name: settings.Seller_Name,
        address: settings.Seller_Address,
        vat_number: settings.Seller_VAT_Number,
        bank: settings.Seller_Bank,
      }

const ownsItself = ({ usertype }: WholeAccount): boolean => usertype === 'reseller' || usertype === 'partner'

/** The parties of a document are kept as they are when it is issued. */
export const partiesText = (seller: Party, buyer: WholeAccount): string =>
  JSON.stringify({ seller, buyer: partyOf(buyer) })
