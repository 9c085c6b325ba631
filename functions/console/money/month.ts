import pMap from 'p-map'
import { valueAt } from '#lib/accounts/account-history.ts'
import { findWholeAccounts, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { actOperation } from '#lib/api/console/act-operation.ts'
import { remindedAnswer } from '#lib/api/console/answers/billing.ts'
import { documentFileAnswer } from '#lib/api/console/answers/document-files.ts'
import {
  closedMonthAnswer,
  lossesAnswer,
  monthAnswer,
  SELLER_PARTS,
  sentMonthAnswer,
  unbilledAnswer,
} from '#lib/api/console/answers/month.ts'
import { fileContent } from '#lib/api/console/file-content.ts'
import { invalidValue } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { oneWord, plainText, wholeNumber, wholeNumbers } from '#lib/api/console/values.ts'
import { companyOrPerson, MANAGERS, OWNERS } from '#lib/base/account-types.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { add, isPositive, subtract, ZERO } from '#lib/base/money.ts'
import { isRefusal, Refusal } from '#lib/base/refusal.ts'
import { refusalForPeople } from '#lib/base/refusals/refusal-sentences.ts'
import { actsFor } from '#lib/base/scope.ts'
import { isUncharged } from '#lib/billing/charges/charge-rules.ts'
import { listServicesOf } from '#lib/billing/service.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { suspendedByCustomer } from '#lib/cdrs/suspense/suspended-customers.ts'
import { inMinorUnits } from '#lib/invoicing/amounts.ts'
import { type BilledCustomer, billMonth, issueLogged } from '#lib/invoicing/bill-month.ts'
import { chargesToIssue, chargesToPreview } from '#lib/invoicing/charges-of.ts'
import { unfitFormat } from '#lib/invoicing/documents/e-invoice.ts'
import { closeMonth } from '#lib/invoicing/journal/close-month.ts'
import { JOURNAL_FORMATS, journalFile, journalFileName } from '#lib/invoicing/journal/journal-file.ts'
import { remind } from '#lib/invoicing/mails/reminders.ts'
import { sendMonth } from '#lib/invoicing/mails/send-acts.ts'
import { isMonth, type Month, periodOfMonth } from '#lib/invoicing/month.ts'
import { billedAccounts, openMonth } from '#lib/invoicing/month-customers.ts'
import { type Party, sellerOf } from '#lib/invoicing/parties.ts'
import { unbilledOf } from '#lib/invoicing/unbilled.ts'
import type { Store } from '#lib/table/store.ts'

const PAGE_CUSTOMERS = 50
const LOOKED_AT_ONCE = 4

const params = {
  month: plainText,
  after: wholeNumber,
  /** The only customers, or all but these. */
  only: wholeNumbers,
  except: wholeNumbers,
  'despite-suspense': oneWord('yes', 'no'),
  /** Also what is older than Late_Months. */
  late: oneWord('yes', 'no'),
}

type MonthRequest = ConsoleRequest<typeof params>

export const resource = defineResource({
  name: 'month',
  access: 'write',
  operations: [
    operation('GET', '/month', {
      summary:
        "What the month of each of the account's customers would bill, or has billed: 50 customers a page, by id.",
      callers: MANAGERS,
      params,
      answer: monthAnswer,
      run: (request) => billPage(request, 'preview'),
    }),
    operation('GET', '/month/unbilled', {
      summary:
        "The account's customers that need a look: without a tariff, whose documents cannot be written as they want them, or with what no invoice bills, which are changes older than Late_Months, and subscriptions that nothing charges. 50 customers are looked at a page, by id.",
      callers: MANAGERS,
      params: { after: wholeNumber },
      answer: unbilledAnswer,
      run: unbilledPage,
    }),
    operation('GET', '/month/losses', {
      summary:
        "The account's services that have a price and are never charged; while Payments_With_VAT is off, those of its first 50 customers with a VAT percent, whose VAT becomes credit.",
      callers: MANAGERS,
      params: {},
      answer: lossesAnswer,
      run: lossesOf,
    }),
    operation('GET', '/month/journal', {
      summary: 'The documents and payments of a month as postings: CSV, or a batch of postings for DATEV.',
      callers: MANAGERS,
      params: { month: plainText, format: oneWord(...JOURNAL_FORMATS) },
      answer: documentFileAnswer,
      run: journalContent,
    }),
    actOperation('POST', '/month/close', closeMonth, {
      answer: closedMonthAnswer,
      show: async (_request, closed) => closed,
    }),
    actOperation('POST', '/month/remind', remind, {
      answer: remindedAnswer,
      show: async (_request, reminded) => reminded,
    }),
    actOperation('POST', '/month/send', sendMonth, {
      answer: sentMonthAnswer,
      show: async (_request, sent) => sent,
    }),
    operation('POST', '/month/issue', {
      summary:
        "Issues the documents of a month to the account's customers, 50 a page, by id. A document that was issued before stays.",
      callers: OWNERS,
      params,
      answer: monthAnswer,
      run: (request) => billPage(request, 'issue'),
    }),
  ],
})

export const handler = consoleLambda(resource)

async function billPage(request: MonthRequest, what: 'preview' | 'issue') {
  const { store, settings, params, caller, clock } = request
  const month = monthIn(params)
  const now = clock()
  const owner_id = actsFor(caller) ?? caller.id
  const mediation = await openMediation(store, now)
  const suspended = await suspendedByCustomer(mediation, periodOfMonth(month, settings.Timezone))
  const isDespiteSuspense = params['despite-suspense'] === 'yes'
  const chargesOf = what === 'issue' ? chargesToIssue : chargesToPreview
  const isLate = params.late === 'yes'
  const wanted = { month, owner_id, now, suspended, isDespiteSuspense, isLate, chargesOf }
  const run = await openMonth(store, wanted)
  const { page, next } = await pageOfCustomers(store, owner_id, params)
  const months = what === 'issue' ? issueLogged(run, page, caller.username) : billMonth(run, page, 'preview')
  const customers = await Array.fromAsync(months).catch(refuseArchived(wanted.month))
  return { seller: shownSeller(run.seller), customers: customers.map(rowOf), next }
}

function shownSeller({ name, address, vat_number, bank }: Party) {
  const parts = { name, address, 'VAT number': vat_number, bank }
  return { name, missing: SELLER_PARTS.filter((part) => parts[part].trim() === '') }
}

async function unbilledPage({
  store,
  settings,
  params,
  caller,
  clock,
}: ConsoleRequest<{ after: typeof wholeNumber }>) {
  const owner = actsFor(caller) ?? caller.id
  const { page, next } = await pageOfCustomers(store, owner, params)
  const [selling, ...accounts] = await findWholeAccounts(store, [owner, ...page])
  const seller = sellerOf(settings, selling)
  const look = async (account: WholeAccount) => ({
    customer: { id: account.id, name: companyOrPerson(account) },
    hasTariff: valueAt(account, 'tariff_id', secondsOf(clock())) !== undefined,
    unfit: sentenceOf(unfitFormat(settings, seller, account)),
    ...(await unbilledOf({ store, settings, now: clock() }, account)),
  })
  const found = await pMap(
    accounts.filter((account) => account !== undefined),
    look,
    { concurrency: LOOKED_AT_ONCE },
  )
  const customers = found.filter(
    ({ hasTariff, unfit, months, subscriptions }) =>
      !hasTariff || unfit !== null || months.length + subscriptions.length > 0,
  )
  return { currency: settings.Default_Currency, customers, next }
}

async function lossesOf({ store, settings, caller, clock }: ConsoleRequest) {
  const owner = actsFor(caller) ?? caller.id
  const services = (await listServicesOf(store, owner)).filter(isUncharged)
  const isOff = settings.Charged_From !== '' && !settings.Payments_With_VAT
  const { page, next } = isOff ? await pageOfCustomers(store, owner, {}) : { page: [], next: null }
  const at = secondsOf(clock())
  const taxed = (await findWholeAccounts(store, page))
    .filter((account) => account !== undefined)
    .filter((account) => isPositive(valueAt(account, 'vat_percent', at) ?? ZERO))
  return {
    services: services.map(({ id, name, price }) => ({ id, name, price })),
    taxed: taxed.map((account) => ({ id: account.id, name: companyOrPerson(account) })),
    next,
  }
}

function monthIn({ month = '' }: { readonly month?: string | undefined }): Month {
  if (isMonth(month)) return month
  throw invalidValue(`month is "${month}": it takes a month such as 2026-05.`)
}

async function journalContent(request: ConsoleRequest<{ month: typeof plainText; format: JournalParam }>) {
  const { caller, params, clock } = request
  const { format = 'csv' } = params
  const { store, settings } = request
  const seller = actsFor(caller) ?? caller.id
  const wanted = { seller, format, month: monthIn(params), now: clock() }
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'text/csv; charset=windows-1252'
  const tooLarge = new Refusal('journal_too_large', { month: wanted.month })
  const content = await fileContent(journalFile({ store, settings }, wanted), tooLarge)
  return { name: journalFileName(wanted), type, content }
}

type JournalParam = ReturnType<typeof oneWord<(typeof JOURNAL_FORMATS)[number]>>

interface Wish {
  readonly after?: number | undefined
  readonly only?: readonly number[] | undefined
  readonly except?: readonly number[] | undefined
}

async function pageOfCustomers(store: Store, owner: number, { after = -1, only, except = [] }: Wish) {
  const chosen = only?.filter((id) => id > after).sort((one, other) => one - other)
  const ids = await Array.fromAsync(
    firstOf(chosen ?? billedAccounts(store, owner, after), PAGE_CUSTOMERS + 1),
  )
  const page = ids.slice(0, PAGE_CUSTOMERS)
  return {
    page: page.filter((id) => !except.includes(id)),
    next: ids.length > page.length ? String(page.at(-1)) : null,
  }
}

async function* firstOf(
  ids: AsyncIterable<number> | Iterable<number>,
  count: number,
): AsyncGenerator<number> {
  let left = count
  for await (const id of ids) {
    yield id
    left -= 1
    if (left === 0) return
  }
}

const refuseArchived =
  (month: Month) =>
  (error: unknown): never => {
    throw isRefusal(error, 'unknown_archive') ? new Refusal('archived_month', { month }) : error
  }

const sentenceOf = (refusal: Refusal | undefined): string | null =>
  refusal ? refusalForPeople(refusal).message : null

/** Why a month is not billed, with what a person can do about it. */
function reasonOf({ reason }: BilledCustomer) {
  if (!reason) return { reason: null, remedy: null }
  const { message, remedy } = refusalForPeople(reason)
  return { reason: message, remedy: remedy ?? null }
}

/** The net by purpose: rows with a time are calls, the rest charges and minimums; negative rows give back. */
function partsOf({ products, net }: BilledCustomer) {
  const sumOf = (isOf: (row: (typeof products)[number]) => boolean) =>
    add(ZERO, ...products.filter(isOf).map(({ sum }) => sum))
  const credits = sumOf(({ sum }) => sum.startsWith('-'))
  const calls = sumOf(({ sum, time }) => time !== '' && !sum.startsWith('-'))
  return { calls, credits, fees: subtract(subtract(net, credits), calls) }
}

const rowOf = (billed: BilledCustomer) => {
  const { account, currency, outcome, suspended } = billed
  const { calls, fees, credits } = partsOf(billed)
  return {
    customer: { id: account.id, name: companyOrPerson(account) },
    outcome,
    number: billed.number || null,
    currency,
    calls: inMinorUnits(calls, currency),
    fees: inMinorUnits(fees, currency),
    credits: inMinorUnits(credits, currency),
    net: inMinorUnits(billed.net, currency),
    vat: inMinorUnits(billed.vat, currency),
    gross: inMinorUnits(billed.gross, currency),
    rows: billed.products.length,
    suspended,
    ...reasonOf(billed),
  }
}
