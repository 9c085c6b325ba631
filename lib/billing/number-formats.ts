import { findWholeAccount, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { SETTINGS } from '#lib/settings/declared-settings.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'

/** Which documents of an owner have a series of numbers. */
export type NumberedKind = 'invoice' | 'credit note'

export type NumberFormats = Readonly<Record<NumberedKind, string>>

/** How a seller's documents are numbered: as its account says, or else the setting. */
export const numberFormatsOf = (settings: Settings, seller: WholeAccount | undefined): NumberFormats => ({
  invoice:
    seller?.invoice_number_format || settings.Invoice_Number_Format || SETTINGS.Invoice_Number_Format.default,
  'credit note':
    seller?.credit_note_number_format ||
    settings.Credit_Note_Number_Format ||
    SETTINGS.Credit_Note_Number_Format.default,
})

export const findNumberFormats = async (store: Store, settings: Settings, seller: number) =>
  numberFormatsOf(settings, seller === ADMIN_ACCOUNT ? undefined : await findWholeAccount(store, seller))
