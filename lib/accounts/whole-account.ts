import { ownsCustomers } from '#lib/base/account-types.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { CUSTOMER_LANGUAGES, type CustomerLanguage } from '#lib/base/language/language.ts'
import { ZERO } from '#lib/base/money.ts'
import type { ColumnProblem } from '#lib/base/row-refused.ts'
import {
  type AccountFormat,
  DOCUMENT_FORMATS,
  ELECTRONIC_ADDRESS,
  ELECTRONIC_ADDRESS_FORM,
  NUMBER_FORMAT,
  NUMBER_FORMAT_FORM,
} from '#lib/settings/document-formats.ts'
import {
  addedLater,
  blankMeans,
  type Columns,
  date,
  filledRow,
  flag,
  forOperator,
  type Imported,
  integer,
  labelled,
  money,
  offering,
  oneOf,
  optional,
  optionalId,
  type Row,
  rowReader,
  text,
  textLike,
  visibleWord,
  withoutLaterDefaults,
} from '#lib/table/columns.ts'
import { defineEntity, findAt, picked, type Stored } from '#lib/table/entity.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, callerKey, type Key, keyForm, listedIn, tariffKey } from '#lib/table/keys.ts'
import { type Change, combined, is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import {
  accountColumns,
  accountCounters,
  accountHistory,
  accountLists,
  type Caller,
  companyColumn,
  requiresOwner,
} from './account.ts'
import { type ChangeMoment, changedValues } from './account-history.ts'
import { placesInLists, TEXTS_SINCE, textItem, textKey } from './account-text.ts'
import { nameGivenUp } from './former-name.ts'
import { creditLimit, limitColumns } from './limits.ts'

const lateText = addedLater(text(), '')

const numberFormat = (label: string) =>
  forOperator(
    blankMeans(
      labelled(
        addedLater(textLike(NUMBER_FORMAT_FORM, NUMBER_FORMAT, ''), ''),
        label,
        'of own documents: {n} counts from 1, {year} is the year of issue',
      ),
      'those of the installation',
    ),
  )

/** Columns that few functions read, left out of other bundles. A blank value is not stored. */
export const profileColumns = {
  email: visibleWord(lateText),
  company_name: companyColumn,
  phone: lateText,
  mob_phone: labelled(lateText, 'Mobile phone'),
  fax: lateText,
  /** A number of the original's own table of countries. */
  country_id: labelled(optionalId, 'Country number'),
  state: lateText,
  county: lateText,
  city: lateText,
  postcode: lateText,
  address: lateText,
  vat_number: labelled(lateText, 'VAT number'),
  vat_percent: blankMeans(labelled(optional(money()), 'VAT, %'), 'the rule of the installation'),
  taxation_country: labelled(offering(lateText, 'countries'), 'Country of taxation'),
  agreement_date: labelled(optional(date), 'Date of the agreement'),
  daily_balance_limit: limitColumns.daily_balance_limit,
  hidden: forOperator(labelled(addedLater(flag(false), false), 'Hidden', 'lists of the API leave it out')),
  comment: lateText,
  /** The values of accounts that register with this one as their owner. Blank: those of the settings. */
  default_tariff_id: forOperator(labelled(optionalId, 'Tariff of new customers')),
  default_credit: forOperator(labelled(optional(creditLimit), 'Credit of new customers')),
  default_postpaid: forOperator(
    labelled({ ...optional(flag(false)), describes: '1, 0 or blank' }, 'New customers are postpaid'),
  ),
  /** The balance at the start of the day Balance_From. */
  balance: forOperator(
    labelled(
      addedLater(money(), ZERO),
      'Opening balance',
      'in the currency of the installation, before its calls and payments',
    ),
  ),
  credit: limitColumns.credit,
  postpaid: limitColumns.postpaid,
  /** In the default currency. */
  minimal_month: labelled(
    optional(money()),
    'Minimum of a month',
    'the least that the calls of a month cost',
  ),
  minimal_from: labelled(optional(date), 'Minimum from', 'the first day of a month'),
  /** The bank details of a reseller or partner. */
  bank: forOperator(labelled(lateText, 'Bank details', 'how own documents are paid')),
  calls_limit: limitColumns.calls_limit,
  dearest_rate: limitColumns.dearest_rate,
  reserve_seconds: limitColumns.reserve_seconds,
  known_countries: limitColumns.known_countries,
  alert_at: limitColumns.alert_at,
  language: blankMeans(
    labelled(
      addedLater(oneOf<CustomerLanguage | ''>(['', ...CUSTOMER_LANGUAGES], ''), ''),
      'Language',
      'of the page and documents',
    ),
    'that of the installation',
  ),
  itemised: labelled(addedLater(flag(false), false), 'Itemised', 'its documents list their calls'),
  buyer_reference: labelled(
    lateText,
    'Reference',
    'of the customer on its documents: an order, a cost centre, a Leitweg-ID',
  ),
  order_number: labelled(lateText, 'Order number', 'of the customer, on its documents'),
  document_format: blankMeans(
    labelled(
      addedLater(oneOf<AccountFormat | ''>(['', ...DOCUMENT_FORMATS], ''), ''),
      'Form of documents',
      'as their files are written for it',
    ),
    'pdf',
  ),
  electronic_address: labelled(
    addedLater(textLike(ELECTRONIC_ADDRESS_FORM, ELECTRONIC_ADDRESS, ''), ''),
    'Electronic address',
    'where e-invoices go: a scheme and an address, such as 0208:0123456749',
  ),
  legal_number: labelled(
    lateText,
    'Legal number',
    'in the register of companies, with the scheme before it where one is asked for: 0106:12345678',
  ),
  debtor_account: forOperator(
    blankMeans(
      labelled(
        addedLater(textLike('5 to 9 digits', /^\d{5,9}$/, ''), ''),
        "Debtor's account",
        'of the customer in the batches for DATEV',
      ),
      '10000 and the id of the account',
    ),
  ),
  /** The series of a reseller or partner. */
  invoice_number_format: numberFormat('Invoice numbers'),
  credit_note_number_format: numberFormat('Credit note numbers'),
} satisfies Columns

export const wholeAccountColumns = { ...accountColumns, ...profileColumns }

/** The copy of an account under its name, with its profile. */
export type WholeCaller = Caller & Row<typeof profileColumns>

export const readWholeColumns = rowReader({ ...wholeAccountColumns, ...accountHistory })

/** When the account took a name that another one had given up, in Unix seconds; blank if the name is new. */
const name_since = addedLater(optional(integer()), undefined)

/** The name was not the id of another account when it was taken. Earlier names read as they did. */
const name_checked = addedLater(flag(false), false)

const storedColumns = {
  ...wholeAccountColumns,
  ...accountCounters,
  ...accountHistory,
  name_since,
  name_checked,
}

export type WholeAccount = Stored<Row<typeof storedColumns>>

/** The columns of an unknown account. */
export const blankAccount: Omit<
  Row<typeof wholeAccountColumns>,
  'id' | 'username' | 'usertype' | 'owner_id'
> = filledRow(wholeAccountColumns, {})

/** The address is in lower case: two accounts whose addresses differ only in that have one address. */
const emailKey = keyForm('EMAIL#<email>', 'EMAIL')

/** The key has a digest, because keys are printed and a uniquehash opens a balance to anyone who knows it. */
const uniquehashKey = keyForm('UNIQUEHASH#<digest>', 'UNIQUEHASH')

export const inLowerCase = (email: string): string => email.trim().toLowerCase()

export const keyOfUniquehash = (uniquehash: string): Key => uniquehashKey(hexDigest(uniquehash))

export const keyOfEmail = (email: string): Key => emailKey(inLowerCase(email))

export const accounts = defineEntity({
  name: 'account',
  columns: storedColumns,
  key: accountKey,
  list: accountLists.ofOwner,
  claims: [
    { key: callerKey, holds: toCallerItem },
    { key: emailKey, of: ({ email }) => (email === '' ? [] : [{ email: inLowerCase(email) }]) },
    {
      key: uniquehashKey,
      of: ({ uniquehash }) => (uniquehash === '' ? [] : [{ digest: hexDigest(uniquehash) }]),
      since: 2,
    },
  ],
  copies: [{ key: textKey, of: placesInLists, holds: textItem, since: TEXTS_SINCE }],
  requires: [
    requiresOwner,
    { column: 'tariff_id', names: tariffKey },
    { column: 'default_tariff_id', names: tariffKey },
  ],
})

/** Without credentials, as an account is read under its id, the copy keeps its own. */
function toCallerItem(
  account: Row<typeof accountColumns> &
    Partial<Caller> & { readonly name_since?: unknown; readonly name_checked?: boolean },
): Item {
  const { password_hash, keys, second_factor, blocks = 0, history, name_since, name_checked } = account
  return {
    ...withoutLaterDefaults(
      wholeAccountColumns,
      picked<Item, string>(account, Object.keys(wholeAccountColumns)),
    ),
    ...(password_hash !== undefined && { password_hash }),
    ...(keys !== undefined && { keys }),
    ...(second_factor !== undefined && { second_factor }),
    ...(blocks > 0 && { blocks }),
    ...(history !== undefined && { history }),
    ...(name_since !== undefined && { name_since }),
    ...(name_checked && { name_checked }),
    ...(ownsCustomers(account) && listedIn('GSI1', accountLists.owners(account.id))),
  }
}

export const { find: findWholeAccount, findMany: findWholeAccounts } = accounts

export async function findByUniquehash(store: Store, uniquehash: string): Promise<WholeAccount | undefined> {
  if (uniquehash === '') return undefined
  return findAt(store, accounts, await store.get(keyOfUniquehash(uniquehash)))
}

/** The columns of an account that only one account may have, as claims name them. */
const CLAIMED: Readonly<Record<string, 'username' | 'email' | 'uniquehash'>> = {
  [callerKey.text[1]]: 'username',
  [emailKey.text[1]]: 'email',
  [uniquehashKey.text[1]]: 'uniquehash',
}

/** Why an account cannot have what another one holds. */
export const claimRefusal = ({ SK }: Key, id: number): ColumnProblem => ({
  code: 'taken',
  field: CLAIMED[SK] ?? 'username',
  values: { noun: 'account', id },
})

interface Replacement extends ChangeMoment {
  readonly conditions?: readonly Change[]
  /** Another account has given up the new name. */
  readonly isFormerName?: boolean
  /** The new name is the id of another account, as a dataset has it. */
  readonly isPair?: boolean
}

/**
 * The changes that replace an account and its copy under its name, and note its earlier values in its
 * history. `before` is the stored row, `after` has the present values. They fail when the account has changed
 * since it was read, or its name, email or uniquehash belongs to another account. Throws refused_row if its
 * history is full.
 */
export const accountReplaced = (
  before: WholeAccount | undefined,
  after: Imported<WholeCaller>,
  { now, dated, conditions = [], isFormerName = false, isPair = false }: Replacement,
): Change[] => {
  const isSameName = before?.username === after.username
  const takenNow = isFormerName ? now : undefined
  const name_since = isSameName ? before.name_since : takenNow
  return combined([
    ...changesOf(accounts, before, {
      ...after,
      history: undefined,
      ...(before && changedValues(before, after, { now, dated })),
      device_count: before?.device_count ?? 0,
      blocks: (before?.blocks ?? 0) + Number(after.blocked && before?.blocked === false),
      name_since,
      name_checked: isSameName ? before.name_checked : !isPair,
    }),
    ...(before && !isSameName ? [nameGivenUp(before, now)] : []),
    ...conditions,
  ])
}

/** Requires the password that was read, for a change that keeps the password. */
export const passwordStays = ({ username, password_hash }: Caller): Change => ({
  check: callerKey(username),
  when: { password_hash: is(password_hash) },
})
