import { creditOf } from '#lib/accounts/limits.ts'
import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import type { PortalRate } from '#lib/api/console/answers/portal.ts'
import { callMoneyOf } from '#lib/api/console/call-money.ts'
import { brandOf } from '#lib/api/console/portal.ts'
import { unknownThing } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { shownLedger } from '#lib/api/console/shown-ledger.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { priceRow } from '#lib/api/console/tariff-rows.ts'
import { pathId, plainText, wholeNumber } from '#lib/api/console/values.ts'
import { BILLED } from '#lib/base/account-types.ts'
import { totalOf } from '#lib/base/balance.ts'
import {
  type Day,
  type Days,
  dayOf,
  firstOfMonth,
  formatDateTime,
  monthOf,
  secondsOf,
  today,
} from '#lib/base/calendar.ts'
import { add, fixed, isZero, niceDigits, ZERO } from '#lib/base/money.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { findBalances } from '#lib/billing/balance.ts'
import { charges, periodOfCharge } from '#lib/billing/charges/charge.ts'
import { newestDocuments } from '#lib/billing/document.ts'
import { dueDayOf, findInvoices, newestInvoices } from '#lib/billing/invoice.ts'
import { openAmount } from '#lib/billing/invoice-payment.ts'
import { checkoutAddress, takesCard } from '#lib/billing/stripe/checkout.ts'
import { listDaysOfCalls } from '#lib/calls/counters/call-stats.ts'
import { hasFurtherSums } from '#lib/calls/retention.ts'
import { findDevice, firstDevicesOf, type ListedDevice } from '#lib/devices/device-stored.ts'
import { inMinorUnits } from '#lib/invoicing/amounts.ts'
import { transferCode } from '#lib/invoicing/documents/transfer-code.ts'
import { remindersOf } from '#lib/invoicing/mailing.ts'
import { sellerOf } from '#lib/invoicing/parties.ts'
import { isBlocked, type Rate } from '#lib/rates/rating.ts'
import { findTariff, searchRates } from '#lib/rates/tariff.ts'
import type { Settings } from '#lib/settings/settings.ts'

const OWN = ['user'] as const

const searched = { search: plainText, after: plainText }
/** A part of a price list or of the devices. */
const PAGE_ROWS = 100

/** A unit each. A text is looked for in several thousand rates. */
const MOST_PAGES = 8

/** The fees of a year: more subscriptions than anybody has. */
const MOST_FEES = 500

const SHOWN_MONTHS = 12

export const resource = defineResource({
  name: 'portal',
  access: 'write',
  operations: [
    operation('GET', '/brand', {
      summary: 'The name, logo and colour of a seller, for its customers: by default of the operator.',
      callers: 'anyone',
      params: { seller: wholeNumber },
      run: async ({ store, settings, params }) => brandOf(store, settings, params.seller ?? ADMIN_ACCOUNT),
    }),
    operation('GET', '/own/month', {
      summary:
        'The spend of a customer in the present month, its balance, and the amount held for its calls.',
      callers: OWN,
      run: presentMonth,
    }),
    operation('GET', '/own/months', {
      summary:
        'The spend of a customer in each of the last twelve months. A year of daily calls is about 10 units.',
      callers: OWN,
      run: monthsOf,
    }),
    operation('GET', '/own/dues', {
      summary:
        'The invoices that a customer has to pay, with the bank of the seller and codes for transfers.',
      callers: OWN,
      run: duesOf,
    }),
    operation('POST', '/own/invoices/{id}/pay', {
      summary: 'Begins to pay what is open of an own invoice by card: the address of a page of Stripe.',
      callers: BILLED,
      params: { id: pathId },
      run: async ({ store, settings, caller, params, clock }) => {
        const [[invoice], account] = await Promise.all([
          findInvoices(store, [params.id]),
          findWholeAccount(store, caller.id),
        ])
        if (invoice?.user_id !== caller.id) throw unknownThing('invoice', params.id)
        const { email = '' } = account ?? {}
        return { url: await checkoutAddress(settings, invoice, { email, now: clock() }) }
      },
    }),
    operation('GET', '/own/rates', {
      summary:
        'The price list of a customer: 100 rates whose prefix begins with digits, or whose destination has a word that begins with a text. A text may need several pages.',
      callers: OWN,
      params: searched,
      run: async (request) => ratesOf(request),
    }),
    operation('GET', '/own/devices', {
      summary:
        'The devices of a customer with their SIP settings, without their secrets. Hidden ones are left out.',
      callers: OWN,
      params: { after: wholeNumber },
      run: async ({ store, settings, caller, params }) => {
        const found = await firstDevicesOf(store, caller.id, PAGE_ROWS, params.after)
        const next = found.length < PAGE_ROWS ? undefined : found.at(-1)?.id
        return {
          server: settings.Server_IP,
          devices: found.filter(({ hidden }) => !hidden).map(deviceRow),
          next: next === undefined ? null : String(next),
        }
      },
    }),
    operation('GET', '/own/devices/{id}/secret', {
      summary: 'The secret of a device of a customer.',
      callers: OWN,
      params: { id: pathId },
      run: async ({ store, caller, params }) => {
        const device = await findDevice(store, params.id)
        if (device?.user_id !== caller.id || device.hidden) throw unknownThing('device', params.id)
        return { secret: device.secret }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

/** The cost of calls and subscriptions since the first day of a month, by month; the earliest first. */
async function spentSince({ store, settings, caller }: ConsoleRequest, { from, till }: Days) {
  const scope = { user: caller.id }
  const [counted, fees] = await Promise.all([
    listDaysOfCalls(store, scope, { from, till }, settings.shards),
    newestDocuments(store, charges, { scope, from, count: MOST_FEES }),
  ])
  const amount = (...sums: string[]) => fixed(add(...sums), niceDigits(settings))
  const spentIn = (first: Day) => {
    const month = monthOf(first)
    const days = counted.filter(({ day }) => monthOf(day) === month)
    const isCounted = days.every(({ day }) => hasFurtherSums(day, settings))
    return {
      month,
      days,
      spent: isCounted ? amount(...days.map(({ further }) => further.charged)) : null,
      fees: amount(...fees.filter((fee) => monthOf(periodOfCharge(fee)) === month).map((fee) => fee.amount)),
    }
  }
  const months: ReturnType<typeof spentIn>[] = []
  for (let first = from; first <= till; first = firstOfMonth(first, 1)) months.push(spentIn(first))
  return months
}

async function monthsOf(request: ConsoleRequest) {
  const { settings, clock } = request
  const till = today(clock(), settings.Timezone)
  const months = await spentSince(request, { from: firstOfMonth(till, 1 - SHOWN_MONTHS), till })
  return {
    currency: settings.Default_Currency,
    months: months.map(({ month, spent, fees }) => ({ month, spent, fees })),
  }
}

async function presentMonth(request: ConsoleRequest) {
  const { store, settings, caller, clock } = request
  const till = today(clock(), settings.Timezone)
  const [[found], ledger, [present]] = await Promise.all([
    findBalances(store, [caller.id], 'eventual'),
    shownLedger(request, caller.id),
    spentSince(request, { from: firstOfMonth(till), till }),
  ])
  const { month, days = [], spent = null, fees = ZERO } = present ?? {}
  const amount = (money: string) => fixed(money, niceDigits(settings))
  return {
    month: month ?? monthOf(till),
    currency: settings.Default_Currency,
    calls: days.reduce((sum, { tally }) => sum + tally.answered, 0),
    seconds: days.reduce((sum, { tally }) => sum + tally.billsec, 0),
    ...{ spent, fees },
    balance: found && settings.Balance_From !== '' ? amount(totalOf(found.balance)) : null,
    credit: (found && creditOf(found.account)) ?? null,
    ledger,
    callMoney: found ? await callMoneyOf(request, found.account) : null,
  }
}

/** Those of four years of months: an open invoice is looked for among them. */
const LAST_INVOICES = 50

async function duesOf({ store, settings, caller }: ConsoleRequest) {
  const [last, owner, mails] = await Promise.all([
    newestInvoices(store, { scope: { user: caller.id }, count: LAST_INVOICES }),
    findWholeAccount(store, caller.owner_id),
    remindersOf(store, caller.id, caller.owner_id),
  ])
  const { name, bank } = sellerOf(settings, owner)
  const open = last.filter((invoice) => !isZero(openAmount(invoice))).reverse()
  const invoices = open.map((invoice) => {
    const { id, number } = invoice
    const currency = invoice.currency || settings.Default_Currency
    const amount = openAmount(invoice)
    const code = transferCode({ name, bank }, currency, amount, number) ?? null
    const open = inMinorUnits(amount, currency)
    return { id, number, due: dueDayOf(invoice), open, currency, code, byCard: takesCard(settings, invoice) }
  })
  const reminders = mails.map(({ at, level, to, number: numbers }) => {
    return { day: dayOf(secondsOf(new Date(at)), settings.Timezone), level, to, numbers }
  })
  return { seller: { name, bank }, invoices, reminders }
}

async function ratesOf({ store, settings, caller, params }: ConsoleRequest<typeof searched>) {
  const tariff = caller.tariff_id === undefined ? undefined : await findTariff(store, caller.tariff_id)
  const currency = tariff?.currency || settings.Default_Currency
  if (!tariff) return { rates: [], currency, next: null }
  const { rates, next } = await searchRates(store, tariff, wantedRates(params))
  return { rates: rates.map((rate) => portalRate(rate, settings)), currency, next }
}

/** Digits are the beginning of prefixes, other text that of a word of a destination. */
function wantedRates({ search = '', after }: ConsoleRequest<typeof searched>['params']) {
  const text = search.toLowerCase()
  const prefix = /^[\d\s+()/.-]+$/.test(search) ? search.replace(/\D/g, '').replace(/^00/, '') : ''
  return {
    prefix,
    from: after ?? prefix,
    count: PAGE_ROWS,
    mostPages: MOST_PAGES,
    // The price of a number tells the prices of other callers.
    matches: ({ destination, origin }: Rate) =>
      origin === '' && (prefix !== '' || ` ${destination.toLowerCase()}`.includes(` ${text}`)),
  }
}

const portalRate = (rate: Rate, { Timezone }: Settings): PortalRate => ({
  ...priceRow(rate),
  days: rate.daytype,
  from: rate.start_time,
  till: rate.end_time,
  since: rate.effective_from === undefined ? null : formatDateTime(rate.effective_from, Timezone),
  until: rate.ends_at === undefined ? null : formatDateTime(rate.ends_at, Timezone),
  isBlocked: isBlocked(rate),
})

const deviceRow = ({ id, device_type, username, port, ipaddr, secret, primary_device }: ListedDevice) => ({
  id,
  type: device_type,
  username,
  port,
  address: ipaddr || null,
  hasSecret: secret !== '',
  isPrimary: primary_device === 'yes',
})
