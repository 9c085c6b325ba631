import type { Account } from '#lib/accounts/account.ts'
import { creditOf, type PayerAccount } from '#lib/accounts/limits.ts'
import {
  blockAccount,
  mayChangeAccount,
  resetSecondFactor,
  setPassword,
  unblockAccount,
} from '#lib/acts/accounts/account-acts.ts'
import { actOperation } from '#lib/api/console/act-operation.ts'
import { callMoneyOf } from '#lib/api/console/call-money.ts'
import { customerRowMaker } from '#lib/api/console/customer-rows.ts'
import { visibleCustomer } from '#lib/api/console/customer-scope.ts'
import { forbidden } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { shownLedger } from '#lib/api/console/shown-ledger.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { pathId } from '#lib/api/console/values.ts'
import type { Actor } from '#lib/base/account-types.ts'
import { ACCOUNT_TYPES, MANAGERS } from '#lib/base/account-types.ts'
import { DAY_MS, formatIso } from '#lib/base/calendar.ts'
import { fixed, niceDigits } from '#lib/base/money.ts'
import { isOwnCustomer, seesEveryone } from '#lib/base/scope.ts'
import { charges } from '#lib/billing/charges/charge.ts'
import type { NewCharge } from '#lib/billing/charges/charge-plan.ts'
import { dueChargesOf } from '#lib/billing/charges/charge-run.ts'
import { newestDocuments } from '#lib/billing/document.ts'
import { recountHolds, releaseHolds } from '#lib/control/hold-acts.ts'
import { firstDevicesOf } from '#lib/devices/device-stored.ts'
import { inviteAccount } from '#lib/invoicing/mails/password-acts.ts'
import { type LoggedAccountChange, listNewestLogEntries } from '#lib/settings/audit-log.ts'

const params = { id: pathId }

/** The log of the installation is one list. This many entries are about 10 read units. */
const MOST_LOG_ENTRIES = 500

/** The number that the page of a customer shows. */
const MOST_DEVICES = 500

export const resource = defineResource({
  name: 'customer',
  access: 'write',
  operations: [
    operation('GET', '/customers/{id}', {
      summary: 'A customer with its balance, its devices, and what it owes by documents in each currency.',
      callers: ACCOUNT_TYPES,
      params,
      run: async (request) => {
        const { store, caller, params } = request
        const account = await visibleCustomer(request, params.id)
        const [toRow, found, ledger, callMoney] = await Promise.all([
          customerRowMaker(request, [account]),
          firstDevicesOf(store, account.id, MOST_DEVICES),
          maySeeDocuments(caller, account) ? shownLedger(request, account.id) : null,
          callMoneyOf(request, account),
        ])
        const devices = found.filter(({ hidden }) => caller.usertype !== 'user' || !hidden)
        return {
          customer: toRow(account),
          limits: limitsOf(account),
          callMoney,
          agreement: account.agreement_number || null,
          clientId: account.clientid || null,
          devices: devices.map(({ id, username, device_type, ipaddr, primary_device }) => ({
            id,
            name: username,
            type: device_type,
            address: ipaddr || null,
            isPrimary: primary_device === 'yes',
          })),
          deviceCount: account.device_count,
          ledger,
          mayBlock: account.id !== caller.id && mayChangeAccount(caller, account),
        }
      },
    }),
    operation('GET', '/customers/{id}/charges', {
      summary: 'The last charges of the subscriptions of a customer, and what comes next.',
      callers: ACCOUNT_TYPES,
      params,
      run: async (request) => {
        const account = await visibleCustomer(request, request.params.id)
        if (!maySeeDocuments(request.caller, account))
          throw forbidden('The charges of this account are for its owner')
        return chargesOf(request, account)
      },
    }),
    operation('GET', '/customers/{id}/log', {
      summary:
        'The acts of operators on an account, from the last 500 entries of the log of the installation.',
      callers: MANAGERS,
      params,
      run: async (request) => {
        const { id, username } = await visibleCustomer(request, request.params.id)
        const { Timezone } = request.settings
        const entries = await listNewestLogEntries(request.store, MOST_LOG_ENTRIES)
        const log = entries.flatMap((entry) =>
          'account' in entry && isAbout(entry, id, username, request.caller)
            ? [{ at: formatIso(entry.at, Timezone), who: entry.who, change: entry.did }]
            : [],
        )
        const first = entries.length < MOST_LOG_ENTRIES ? undefined : entries.at(-1)
        return { log, readFrom: first ? formatIso(first.at, Timezone) : null }
      },
    }),
    actOperation('POST', '/customers/{account}/block', blockAccount),
    actOperation('POST', '/customers/{account}/unblock', unblockAccount),
    actOperation('POST', '/customers/{account}/invite', inviteAccount, {
      show: (_request, { to }) => ({ to }),
    }),
    actOperation('POST', '/customers/{account}/holds/release', releaseHolds),
    actOperation('POST', '/customers/{account}/holds/recount', recountHolds),
    actOperation('POST', '/customers/{account}/second-factor/reset', resetSecondFactor),
    actOperation('POST', '/customers/{account}/password', setPassword),
  ],
})

export const handler = consoleLambda(resource)

/** The name of an earlier entry may have been that of another account, which only the operator may know. */
const isAbout = (entry: LoggedAccountChange, id: number, username: string, caller: Actor): boolean =>
  entry.account_id === undefined
    ? entry.account === username && seesEveryone(caller)
    : entry.account_id === id

/** A reseller or partner is billed by its owner and sees no documents of its own here (wire.md 5.1). */
const maySeeDocuments = (caller: Actor, account: Account): boolean =>
  caller.usertype === 'user' || caller.usertype === 'admin' || isOwnCustomer(caller, account)

const limitsOf = (account: PayerAccount) => ({
  postpaid: account.postpaid,
  credit: creditOf(account) ?? null,
  day: account.daily_balance_limit ?? null,
  calls: account.calls_limit ?? null,
  rate: account.dearest_rate ?? null,
  reserveSeconds: account.reserve_seconds ?? null,
})

const MOST_CHARGES = 50

/** The next charge of a month is due within this number of days. */
const NEXT_DAYS = 32

async function chargesOf({ store, settings, clock }: ConsoleRequest<typeof params>, { id }: Account) {
  const later = new Date(clock().getTime() + NEXT_DAYS * DAY_MS)
  const [made, due] = await Promise.all([
    newestDocuments(store, charges, { scope: { user: id }, count: MOST_CHARGES }),
    dueChargesOf({ store, settings, now: later }, id),
  ])
  const next = [...Map.groupBy(due.charges, ({ subscription_id }) => subscription_id).values()]
  const toRow = ({ subscription_id, memo, date, from, till, quantity, net, currency }: NewCharge) => ({
    subscription: subscription_id,
    service: memo,
    date,
    from,
    till,
    quantity,
    net: fixed(net, niceDigits(settings)),
    currency: currency || settings.Default_Currency,
  })
  return {
    isOn: settings.Charges_From !== '',
    charges: made.map(toRow),
    next: next.flatMap(([first]) => (first ? [toRow(first)] : [])),
    uncharged: [...due.uncharged, ...due.refused],
  }
}
