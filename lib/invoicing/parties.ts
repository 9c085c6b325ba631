import * as v from 'valibot'
import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { displayName } from '#lib/base/account-types.ts'
import { CUSTOMER_LANGUAGES } from '#lib/base/language/language.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { countryCode, countryOfVatNumber } from './country.ts'

const lateText = v.optional(v.string(), '')

const partySchema = v.object({
  name: v.string(),
  /** Lines with line feeds between them. */
  address: v.string(),
  vat_number: v.string(),
  bank: v.string(),
  /** Two letters of ISO 3166; blank if it is not known. */
  country: lateText,
})

/** A seller or a buyer, as a document names it. */
export type Party = v.InferOutput<typeof partySchema>

const buyerSchema = v.object({
  ...partySchema.entries,
  language: v.optional(v.picklist(['', ...CUSTOMER_LANGUAGES]), ''),
  /** A prepaid account has paid from its balance. */
  prepaid: v.optional(v.boolean(), false),
  /** Whether the list of its calls follows the document. */
  itemised: v.optional(v.boolean(), false),
  /** Its order or cost centre (BT-10). */
  reference: lateText,
})

export type Buyer = v.InferOutput<typeof buyerSchema>

export const partyOf = (account: WholeAccount): Party => {
  const { company_name, address, postcode, city, county, state, vat_number, bank } = account
  const lines = [address, `${postcode} ${city}`.trim(), county, state]
  return {
    name: company_name || displayName(account),
    address: lines.filter((line) => line !== '').join('\n'),
    vat_number,
    bank,
    country: countryCode(account.taxation_country) ?? countryOfVatNumber(vat_number) ?? '',
  }
}

const buyerOf = (account: WholeAccount): Buyer => ({
  ...partyOf(account),
  language: account.language,
  prepaid: !account.postpaid,
  itemised: account.itemised,
  reference: account.buyer_reference,
})

/** The seller of an owner's documents: settings name that of an admin. */
export const sellerOf = (settings: Settings, owner: WholeAccount | undefined): Party =>
  owner && ownsItself(owner)
    ? partyOf(owner)
    : {
        name: settings.Seller_Name,
        address: settings.Seller_Address,
        vat_number: settings.Seller_VAT_Number,
        bank: settings.Seller_Bank,
        country: settings.Seller_Country || (countryOfVatNumber(settings.Seller_VAT_Number) ?? ''),
      }

/** Whether an account sells under its own name. */
export const ownsItself = ({ usertype }: WholeAccount): boolean =>
  usertype === 'reseller' || usertype === 'partner'

/** The parties of a document are kept as they are when it is issued. */
export const partiesText = (seller: Party, buyer: WholeAccount): string =>
  JSON.stringify({ seller, buyer: buyerOf(buyer) })

const partiesSchema = v.object({ seller: partySchema, buyer: buyerSchema })

export type DocumentParties = v.InferOutput<typeof partiesSchema>

/** The parties of a document. An imported one has those of today. */
export const partiesIn = (
  text: string,
  settings: Settings,
  owner: WholeAccount | undefined,
  buyer: WholeAccount,
): DocumentParties =>
  text === ''
    ? { seller: sellerOf(settings, owner), buyer: buyerOf(buyer) }
    : v.parse(partiesSchema, JSON.parse(text))
