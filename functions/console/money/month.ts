import pMap from 'p-map'
import { valueAt } from '#lib/accounts/account-history.ts'
import { findWholeAccounts, type WholeAccount } from '#lib/accounts/whole-account.ts'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { actOperation, contextHere, paramsOf } from '#lib/api/console/act-operation.ts'
import { SELLER_PARTS } from '#lib/api/console/answers/billing.ts'
import { fileContent } from '#lib/api/console/file-content.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { neededMonth, oneWord, wholeNumber } from '#lib/api/console/values.ts'
import { companyOrPerson, MANAGERS } from '#lib/base/account-types.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { add, isPositive, subtract, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { refusalForPeople } from '#lib/base/refusals/refusal-sentences.ts'
import { actsFor } from '#lib/base/scope.ts'
import { isUncharged } from '#lib/billing/charges/charge-rules.ts'
import { listServicesOf } from '#lib/billing/service.ts'
import { issueMonth, type MonthOfCustomers, previewMonth } from '#lib/cdrs/pipeline/issue-month.ts'
import { inMinorUnits } from '#lib/invoicing/amounts.ts'
import type { BilledCustomer } from '#lib/invoicing/bill-month.ts'
import { unfitFormat } from '#lib/invoicing/documents/e-invoice.ts'
import { closeMonth } from '#lib/invoicing/journal/close-month.ts'
import { JOURNAL_FORMATS, journalFile, journalFileName } from '#lib/invoicing/journal/journal-file.ts'
import { remind } from '#lib/invoicing/mails/reminders.ts'
import { sendMonth } from '#lib/invoicing/mails/send-acts.ts'
import { pageOfCustomers } from '#lib/invoicing/month-customers.ts'
import { type Party, sellerOf } from '#lib/invoicing/parties.ts'
import { unbilledOf } from '#lib/invoicing/unbilled.ts'
import { refusingArchived } from '#lib/table/call-archive.ts'

const LOOKED_AT_ONCE = 4

export const resource = defineResource({
  name: 'month',
  access: 'write',
  operations: [
    operation('GET', '/month', {
      summary:
        "What the month of each of the account's customers would bill, or has billed: 50 customers a page, by id.",
      callers: MANAGERS,
      params: paramsOf(issueMonth.input),
      run: async (request) =>
        shownMonth(await previewMonth(contextHere(request), request.params).catch(archived(request.params))),
    }),
    operation('GET', '/month/unbilled', {
      summary:
        "The account's customers that need a look: without a tariff, whose documents cannot be written as they want them, or with what no invoice bills, which are changes older than Late_Months, and subscriptions that nothing charges. 50 customers are looked at a page, by id.",
      callers: MANAGERS,
      params: { after: wholeNumber },
      run: unbilledPage,
    }),
    operation('GET', '/month/losses', {
      summary:
        "The account's services that have a price and are never charged; while Payments_With_VAT is off, those of its first 50 customers with a VAT percent, whose VAT becomes credit.",
      callers: MANAGERS,
      params: {},
      run: lossesOf,
    }),
    operation('GET', '/month/journal', {
      summary: 'The documents and payments of a month as postings: CSV, or a batch of postings for DATEV.',
      callers: MANAGERS,
      params: { month: neededMonth, format: oneWord(...JOURNAL_FORMATS) },
      run: journalContent,
    }),
    actOperation('POST', '/month/close', closeMonth),
    actOperation('POST', '/month/remind', remind),
    actOperation('POST', '/month/send', sendMonth),
    actOperation('POST', '/month/issue', issueMonth, {
      show: (_request, issued) => shownMonth(issued),
      refuse: archived,
    }),
  ],
})

export const handler = consoleLambda(resource)

function archived({ month = '' }: GivenTexts) {
  return refusingArchived(new Refusal('archived_month', { month }))
}

const shownMonth = ({ seller, customers, next }: MonthOfCustomers) => ({
  ...{ seller: shownSeller(seller), customers: customers.map(rowOf), next },
})

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

async function journalContent(request: ConsoleRequest<{ month: typeof neededMonth; format: JournalParam }>) {
  const { caller, params, clock } = request
  const { format = 'csv' } = params
  const { store, settings } = request
  const seller = actsFor(caller) ?? caller.id
  const wanted = { seller, format, month: params.month, now: clock() }
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'text/csv; charset=windows-1252'
  const tooLarge = new Refusal('journal_too_large', { month: wanted.month })
  const content = await fileContent(journalFile({ store, settings }, wanted), tooLarge)
  return { name: journalFileName(wanted), type, content }
}

type JournalParam = ReturnType<typeof oneWord<(typeof JOURNAL_FORMATS)[number]>>

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
