import type { Caller } from '#lib/accounts/account.ts'
import { accounts, readWholeColumns } from '#lib/accounts/whole-account.ts'
import { type Load, rowIn } from '#lib/api/loads.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { idParam, textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { ACCOUNT_TYPES, type Actor } from '#lib/base/account-types.ts'
import { totalOf, UNLIMITED_CREDIT } from '#lib/base/balance.ts'
import { fixed, fullPrecision, niceDigits } from '#lib/base/money.ts'
import { seesAccount } from '#lib/base/scope.ts'
import { balancesOfAccounts } from '#lib/billing/balance.ts'
import { callerKey } from '#lib/table/keys.ts'
import { type Element, element } from '#lib/xml/element.ts'

/** The copy of an account under its name has its profile, too. */
const accountByName: Load<DetailedAccount | undefined> = {
  key: ({ username }) => (username === undefined ? undefined : callerKey(username)),
  read: (item) => item && readWholeColumns(item),
}

const contract = defineContract({
  name: 'user_details_get',
  aliases: ['user_details'],
  summary: 'The details of an account: balance, names, agreement and address.',
  callers: { allowed: ACCOUNT_TYPES, anonymous: 'Access Denied' },
  params: { user_id: idParam, username: textParam },
  hashOrders: [{ signs: ['user_id', 'username'] }],
  errors: { no_user: 'User was not found' },
  envelope: 'rootStatus',
  access: 'read',
  loads: { byId: rowIn(accounts, 'user_id'), byName: accountByName },
})

type DetailsRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const { caller, refuse } = request
  const account = namedAccount(request)
  if (!account || !maySee(caller, account)) throw refuse('no_user')
  return [
    element('pagename', 'Personal_details'),
    element('language', 'en'),
    element('userid', account.id),
    element('details', ...(await detailsOf(request, account))),
  ]
})

export const handler = lambda(method)

type DetailedAccount = ReturnType<typeof readWholeColumns>

/** An id and a name together have to name one account. */
function namedAccount({ params, loaded: { byId, byName } }: DetailsRequest): DetailedAccount | undefined {
  if (params.user_id === undefined) return byName
  return params.username === undefined || byName?.id === byId?.id ? byId : undefined
}

/** Accountants see everyone but admins. */
const maySee = (caller: Caller, account: Actor): boolean =>
  !(caller.usertype === 'accountant' && account.usertype === 'admin') && seesAccount(caller, account)

async function detailsOf(request: DetailsRequest, account: DetailedAccount): Promise<Element[]> {
  return [
    element('main_detail', ...(await mainDetails(request, account))),
    element('other_details', ...rowElements(otherDetails(account))),
    element('registration', ...rowElements(addressOf(account))),
  ]
}

/** Columns that are not plain text are blank if they are not stored. PBX pools are not stored. */
async function mainDetails(request: DetailsRequest, account: DetailedAccount): Promise<Element[]> {
  const { caller, settings } = request
  const digits = niceDigits(settings)
  const balance = await printedBalance(request, account)
  const currency = settings.Default_Currency
  const isPlainUser = caller.usertype === 'user'
  const limit = account.daily_balance_limit
  return rowElements({
    account: account.postpaid ? 'Postpaid' : 'Prepaid',
    balance: balance === '' ? '' : `${balance} ${currency}`,
    balance_number: balance,
    balance_currency: currency,
    daily_balance_limit: limit === undefined ? '' : fixed(limit, digits),
    credit: account.credit === UNLIMITED_CREDIT ? 'Unlimited' : fixed(account.credit, digits),
    ...(!isPlainUser && { pbx_pool_id: '' }),
    blocked: Number(account.blocked),
    hidden: Number(account.hidden),
    ...(!isPlainUser && { tariff_id: account.tariff_id ?? '' }),
  })
}

/** Blank while no balances are kept. */
async function printedBalance(
  { settings, store }: DetailsRequest,
  account: DetailedAccount,
): Promise<string> {
  if (settings.Balance_From === '') return ''
  const [balance] = await balancesOfAccounts(store, [account])
  return balance ? fixed(totalOf(balance), niceDigits(settings)) : ''
}

type Row = Readonly<Record<string, string | number>>

const otherDetails = (account: DetailedAccount): Row => ({
  username: account.username,
  first_name: account.first_name,
  surname: account.last_name,
  company_name: account.company_name,
  personalid: account.clientid,
  agreement_number: account.agreement_number,
  agreement_date: account.agreement_date ?? '',
  taxation_country: account.taxation_country,
  vat_reg_number: account.vat_number,
  vat_percent: account.vat_percent === undefined ? '' : fullPrecision(account.vat_percent),
})

/** The original calls a country a direction, and derives the county from its name (user_details_get). */
const addressOf = (account: DetailedAccount): Row => ({
  reg_address: account.address,
  reg_postcode: account.postcode,
  reg_city: account.city,
  reg_country: account.county,
  reg_state: account.state,
  reg_direction: account.country_id ?? '',
  reg_phone: account.phone,
  reg_mobile: account.mob_phone,
  reg_fax: account.fax,
  reg_email: account.email,
})

const rowElements = (row: Row): Element[] => Object.entries(row).map(([tag, value]) => element(tag, value))
