import * as v from 'valibot'
import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { companyOrPerson } from '#lib/base/account-types.ts'
import { CUSTOMER_LANGUAGES, languageIn } from '#lib/base/language/language.ts'
import type { Money } from '#lib/base/money.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { countryCode, countryOfVatNumber, VAT_CATEGORIES, vatCategoryOf } from './vat-category.ts'

const lateText = v.optional(v.string(), '')

const partySchema = v.object({
  name: lateText,
  /** Lines with line feeds between them. */
  address: lateText,
  vat_number: lateText,
  bank: lateText,
  /** Two letters of ISO 3166; blank if it is not known. */
  country: lateText,
  /** The lines of the address above its city, and below it; the parts are blank if the city is not known. */
  street: lateText,
  city: lateText,
  postcode: lateText,
  region: lateText,
  contact: lateText,
  telephone: lateText,
  email: lateText,
  /** Scheme, colon, address (BT-34, BT-49). */
  electronic_address: lateText,
  /** In the register of companies, perhaps with its scheme and a colon before it (BT-30, BT-47). */
  legal_number: lateText,
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
  /** The number of its purchase order (BT-13). */
  order_number: lateText,
})

export type Buyer = v.InferOutput<typeof buyerSchema>

/** The buyer of a document without one, such as a list for the seller. */
export const NO_BUYER: Buyer = v.parse(buyerSchema, {})

export const partyOf = (account: WholeAccount): Party => {
  const { address, postcode, city, county, state, vat_number, bank } = account
  const { first_name, last_name, phone, email, electronic_address, legal_number } = account
  return {
    name: companyOrPerson(account),
    ...addressParts({ street: address, postcode, city, further: [county, state] }),
    contact: `${first_name} ${last_name}`.trim(),
    telephone: phone,
    email,
    electronic_address,
    legal_number,
    vat_number,
    bank,
    country: countryCode(account.taxation_country) ?? countryOfVatNumber(vat_number) ?? '',
  }
}

/** The address in lines as it is printed, and its parts where the city is known. */
function addressParts(parts: {
  readonly street: string
  readonly postcode: string
  readonly city: string
  readonly further: readonly string[]
}) {
  const { street, postcode, city } = parts
  const further = parts.further.filter((line) => line !== '')
  const lines = [street, `${postcode} ${city}`.trim(), ...further]
  const address = lines.filter((line) => line !== '').join('\n')
  const region = further.join(', ')
  return city === ''
    ? { address, street: '', city, postcode: '', region: '' }
    : { address, street, city, postcode, region }
}

export const buyerOf = (account: WholeAccount): Buyer => ({
  ...partyOf(account),
  language: account.language,
  prepaid: !account.postpaid,
  itemised: account.itemised,
  reference: account.buyer_reference,
  order_number: account.order_number,
})

/** The seller of an owner's documents: settings name that of an admin. */
export const sellerOf = (settings: Settings, owner: WholeAccount | undefined): Party =>
  owner && ownsItself(owner)
    ? partyOf(owner)
    : {
        name: settings.Seller_Name,
        ...addressParts({
          street: settings.Seller_Address,
          postcode: settings.Seller_Postcode,
          city: settings.Seller_City,
          further: [],
        }),
        contact: settings.Seller_Contact,
        telephone: settings.Seller_Telephone,
        email: settings.Seller_Email,
        electronic_address: settings.Seller_Electronic_Address,
        legal_number: settings.Seller_Legal_Number,
        vat_number: settings.Seller_VAT_Number,
        bank: settings.Seller_Bank,
        country: countryCode(settings.Seller_Country) ?? countryOfVatNumber(settings.Seller_VAT_Number) ?? '',
      }

/** Whether an account sells under its own name. */
export const ownsItself = ({ usertype }: WholeAccount): boolean =>
  usertype === 'reseller' || usertype === 'partner'

const factsSchema = v.object({
  username: v.string(),
  language: v.picklist(CUSTOMER_LANGUAGES),
  /** The default currency of the installation. */
  currency: v.string(),
  vatCategory: v.picklist(VAT_CATEGORIES),
  noVatReason: lateText,
  paper: v.picklist(['A4', 'Letter']),
  /** The digest of the look of its seller (brand.ts); blank for none. */
  brand: lateText,
  /** A migration took them from the settings of its day, not of the day of issue. */
  since: v.optional(v.literal('migration')),
})

/** A document is printed from these facts, besides its own columns and its parties. */
export type PrintFacts = v.InferOutput<typeof factsSchema>

const frozenSchema = v.object({
  seller: partySchema,
  buyer: buyerSchema,
  /** Absent in documents that were issued before they kept it. */
  facts: v.optional(factsSchema),
})

export type FrozenParties = v.InferOutput<typeof frozenSchema>

/** The facts of a document depend on these: its buyer's name, its VAT, the digest of its seller's look. */
interface Printable {
  readonly username: string
  readonly vat: Money
  readonly vatPercent: Money | undefined
  readonly brand: string
}

/** The facts of a document of these parties, as they are now. */
export const factsOf = (
  settings: Settings,
  { seller, buyer }: Pick<FrozenParties, 'seller' | 'buyer'>,
  { username, vat, vatPercent, brand }: Printable,
  categoryOf: typeof vatCategoryOf = vatCategoryOf,
): PrintFacts => ({
  username,
  language: languageIn(buyer.language) ?? languageIn(settings.Language) ?? 'en',
  currency: settings.Default_Currency,
  vatCategory: categoryOf({ vat, vatPercent, seller, buyer }),
  noVatReason: settings.No_VAT_Reason,
  paper: settings.Document_Paper === 'Letter' ? 'Letter' : 'A4',
  brand,
})

/** As a document stores them: without blanks, which would cost a write unit in each document. */
export const partiesText = (parties: object): string =>
  JSON.stringify(parties, (_name, value) => (value === '' || value === false ? undefined : value))

/** The parties and facts that a document keeps from its issue on; `undefined` for an imported one. */
export const frozenParties = (text: string): FrozenParties | undefined =>
  text === '' ? undefined : v.parse(frozenSchema, JSON.parse(text))
