import { isDeepStrictEqual } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { findKeysOf, keyChanges } from '#lib/accounts/named-key-stored.ts'
import { webhookKey } from '#lib/alerts/endpoint.ts'
import { idOfCall } from '#lib/api/console/call-rows.ts'
import { putSuspended } from '#lib/cdrs/suspense/suspense.ts'
import { noteFailedImport } from '#lib/settings/failed-import.ts'
import { keyIn } from '#lib/table/keys.ts'
import type { Meter } from '#lib/table/requests/meter.ts'
import {
  aConsoleClient,
  aSignedClient,
  type ConsoleClient,
  OPERATIONS,
} from '#test/console/console-client.ts'
import type { DumpedItem } from '#test/dump.ts'
import { estates, SECRET_OF_A_DEVICE } from '#test/examples/estates.ts'
import { aFailureOf } from '#test/failed-imports.ts'
import { aWorld, type World } from '#test/world.ts'

/**
 * The answer of each operation to each account, written by hand from the issue: an admin everything, an
 * accountant reads everything and acts by its permissions, resellers and partners their own customers, a
 * plain user itself. A number is the HTTP status; `✓ 10 20` means that the answer shows, or the action
 * changed, things of accounts 10 and 20. A cell is for the own customer's thing, a stranger's customer's, and
 * a missing one, a single one for all. Admin's things are those of account 10, the others' of 20 and 40.
 */
const MATRIX = `
GET /session
  admin ✓ | accountant ✓ | reseller ✓ | partner ✓ | user ✓ | nobody 401
DELETE /session
  admin ✓ | accountant ✓ | reseller ✓ | partner ✓ | user ✓ | nobody 401
PUT /session/password
  admin 422 | accountant 422 | reseller 422 | partner 422 | user 422 | nobody 401
GET /session/second-factor
  admin ✓ | accountant ✓ | reseller ✓ | partner ✓ | user ✓ | nobody 401
PUT /session/second-factor
  admin 422 | accountant 422 | reseller 422 | partner 422 | user 403 | nobody 401
POST /session/second-factor/off
  admin 422 | accountant 422 | reseller 422 | partner 422 | user 422 | nobody 401
GET /customers
  admin ✓ 0 1 2 3 4 10 11 20 30 40 | accountant ✓ 0 1 2 3 4 10 11 20 30 40 | reseller ✓ 20 | partner ✓ 40 | user 403 | nobody 401
GET /customers/{id}
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, ✓ 20, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user ✓ 10, 404, 404 | nobody 401
GET /customers/{id}/charges
  admin ✓, ✓, 404 | accountant ✓, 403, 404 | reseller ✓, 404, 404 | partner ✓, 404, 404 | user ✓, 404, 404 | nobody 401
GET /customers/{id}/log
  admin ✓, ✓, 404 | accountant ✓, ✓, 404 | reseller ✓, 404, 404 | partner ✓, 404, 404 | user 403 | nobody 401
GET /customers/{id}/may-call
  admin ✓, ✓, 404 | accountant ✓, ✓, 404 | reseller ✓, 404, 404 | partner ✓, 404, 404 | user 403 | nobody 401
GET /customers/{id}/prices
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, ✓ 20, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /customers/{account}/password
  admin ✓, ✓, 404 | accountant 403 | reseller ✓, 404, 404 | partner ✓, 404, 404 | user 403 | nobody 401
POST /customers/{account}/second-factor/reset
  admin 409, 409, 404 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
POST /customers/{account}/holds/release
  admin 422, 422, 404 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
POST /customers/{account}/holds/recount
  admin 404 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
POST /customers/{account}/block
  admin ✓ 10, ✓ 20, 404 | accountant 403 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /customers/{account}/unblock
  admin ✓, ✓, 404 | accountant 403 | reseller ✓, 404, 404 | partner ✓, 404, 404 | user 403 | nobody 401
GET /calls
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, ✓ 20, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user ✓ 10, 404, 404 | nobody 401
GET /calls/{id}
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, ✓ 20, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user ✓ 10, 404, 404 | nobody 401
GET /search
  admin ✓ 10, ✓ 20, ✓ | accountant ✓ 10, ✓ 20, ✓ | reseller ✓ 20, ✓, ✓ | partner ✓ 40, ✓, ✓ | user ✓ 10, ✓, ✓ | nobody 401
GET /live-calls
  admin ✓ 0 1 2 3 4 10 20 30 40 | accountant ✓ 0 1 2 3 4 10 20 30 40 | reseller ✓ 2 20 | partner ✓ 4 40 | user ✓ 10 | nobody 401
GET /traffic
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, ✓ 20, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user ✓ 10, 404, 404 | nobody 401
GET /prices
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, ✓ 20, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user ✓ 10, 404, 404 | nobody 401
GET /documents
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, 404, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user ✓ 10, 404, 404 | nobody 401
GET /documents/invoices/{id}
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, 404, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user ✓ 10, 404, 404 | nobody 401
GET /documents/ageing
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, 404, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
GET /documents/statement
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, 404, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user ✓ 10, 404, 404 | nobody 401
GET /document-files
  admin ✓ | accountant ✓ | reseller ✓ | partner ✓ | user 403 | nobody 401
GET /document-files/statement
  admin ✓, ✓, 404 | accountant ✓, 404, 404 | reseller ✓, 404, 404 | partner ✓, 404, 404 | user ✓, 404, 404 | nobody 401
GET /document-files/ageing
  admin ✓, ✓, 404 | accountant ✓, 404, 404 | reseller ✓, 404, 404 | partner ✓, 404, 404 | user 403 | nobody 401
GET /document-files/draft
  admin 409, 409, 404 | accountant 409, 404, 404 | reseller 409, 404, 404 | partner 409, 404, 404 | user 403 | nobody 401
GET /document-files/invoices/{id}
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, 404, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user ✓ 10, 404, 404 | nobody 401
GET /document-files/credit-notes/{id}
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, 404, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user ✓ 10, 404, 404 | nobody 401
POST /payments
  admin ✓ 10, 404, 404 | accountant ✓ 10, 404, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /payments/{payment}/confirm
  admin ✓ 10, 404, 404 | accountant ✓ 10, 404, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /payments/{payment}/assign
  admin ✓ 10, 404, 404 | accountant ✓ 10, 404, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /payments/{payment}/unassign
  admin 409, 404, 404 | accountant 409, 404, 404 | reseller 409, 404, 404 | partner 409, 404, 404 | user 403 | nobody 401
POST /payments/{payment}/refund
  admin ✓ 10, 404, 404 | accountant ✓ 10, 404, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /documents/invoices/{invoice}/write-off
  admin ✓ 10, 404, 404 | accountant 403 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /documents/invoices/{invoice}/credit
  admin 409, 409, 404 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
POST /documents/invoices/{invoice}/send
  admin ✓ 10, 404, 404 | accountant ✓ 10, 404, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /documents/invoices/{invoice}/bounced
  admin 409, 404, 404 | accountant 409, 404, 404 | reseller 409, 404, 404 | partner 409, 404, 404 | user 403 | nobody 401
POST /documents/credit-notes/{note}/send
  admin ✓ 10, 404, 404 | accountant ✓ 10, 404, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /documents/credit-notes/{note}/assign
  admin ✓ 10, 404, 404 | accountant ✓ 10, 404, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /documents/credit-notes/{note}/unassign
  admin 409, 404, 404 | accountant 409, 404, 404 | reseller 409, 404, 404 | partner 409, 404, 404 | user 403 | nobody 401
POST /month/remind
  admin ✓, ✓, 404 | accountant ✓, ✓, 404 | reseller ✓, 404, 404 | partner ✓, 404, 404 | user 403 | nobody 401
POST /month/send
  admin ✓ | accountant ✓ | reseller ✓ | partner ✓ | user 403 | nobody 401
GET /documents/mails
  admin ✓ | accountant ✓ | reseller ✓ | partner ✓ | user 403 | nobody 401
POST /month/close
  admin ✓ | accountant ✓ | reseller ✓ | partner ✓ | user 403 | nobody 401
POST /payments/{payment}/take-back
  admin ✓ 10, 404, 404 | accountant ✓ 10, 404, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
GET /tariffs
  admin ✓ 0 1 2 3 4 10 20 30 40 | accountant ✓ 0 1 2 3 4 10 20 30 40 | reseller ✓ 2 20 | partner ✓ 4 40 | user 403 | nobody 401
GET /tariffs/{id}
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, ✓ 20, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
GET /tariffs/{id}/origins
  admin ✓, ✓, 404 | accountant ✓, ✓, 404 | reseller ✓, 404, 404 | partner ✓, 404, 404 | user 403 | nobody 401
POST /tariffs/{id}/origins
  admin 422, 422, 404 | accountant 403 | reseller 422, 404, 404 | partner 422, 404, 404 | user 403 | nobody 401
GET /tariffs/{id}/changes
  admin 404, 404, 404 | accountant 404, 404, 404 | reseller 404, 404, 404 | partner 404, 404, 404 | user 403 | nobody 401
POST /tariffs/{id}/rollback
  admin 409, 409, 404 | accountant 403 | reseller 409, 404, 404 | partner 409, 404, 404 | user 403 | nobody 401
GET /reratings
  admin ✓ | accountant ✓ | reseller 403 | partner 403 | user 403 | nobody 401
POST /reratings/preview
  admin 422 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
POST /reratings
  admin 422 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
POST /tariffs/{id}/markup
  admin 422, 422, 404 | accountant 403 | reseller 422, 404, 404 | partner 422, 404, 404 | user 403 | nobody 401
POST /payments/bank-file
  admin ✓ | accountant ✓ | reseller ✓ | partner ✓ | user 403 | nobody 401
POST /session/forgotten
  admin 409 | accountant 409 | reseller 409 | partner 409 | user 409 | nobody 409
POST /session/password
  admin 422 | accountant 422 | reseller 422 | partner 422 | user 422 | nobody 422
POST /customers/{account}/invite
  admin 409, 409, 404 | accountant 403 | reseller 409, 404, 404 | partner 409, 404, 404 | user 403 | nobody 401
POST /imports/{file}
  admin 422 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
POST /tariffs/{id}/sheet
  admin ✓, ✓, 404 | accountant 403 | reseller ✓, 404, 404 | partner ✓, 404, 404 | user 403 | nobody 401
GET /records/{kind}
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, ✓ 20, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
GET /records/{kind}/{id}
  admin ✓ 10, ✓ 20, 404 | accountant ✓ 10, ✓ 20, 404 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /records/{kind}
  admin ✓ 10, ✓ 20, 400 | accountant 403 | reseller ✓ 20, 400, 400 | partner ✓ 40, 400, 400 | user 403 | nobody 401
PUT /records/{kind}/{id}
  admin ✓ 10, ✓ 20, 404 | accountant 403 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
DELETE /records/{kind}/{id}
  admin ✓ 10, ✓ 20, 404 | accountant 403 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /tariffs/{id}/rates
  admin ✓, ✓, 404 | accountant 403 | reseller ✓, 404, 404 | partner ✓, 404, 404 | user 403 | nobody 401
POST /suspense/retry
  admin ✓ | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
POST /adjustments
  admin 409, 404, 404 | accountant 403 | reseller 409, 404, 404 | partner 409, 404, 404 | user 403 | nobody 401
GET /suspense
  admin ✓ | accountant ✓ | reseller 403 | partner 403 | user 403 | nobody 401
GET /suspense/{id}
  admin ✓, ✓, 404 | accountant ✓, ✓, 404 | reseller 403 | partner 403 | user 403 | nobody 401
POST /suspense/{id}/retry
  admin ✓, ✓, 404 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
DELETE /suspense/{id}
  admin ✓, ✓, 404 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
GET /failed-imports
  admin ✓ | accountant ✓ | reseller 403 | partner 403 | user 403 | nobody 401
DELETE /failed-imports/{id}
  admin ✓, ✓, 404 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
GET /month
  admin ✓ 2 3 4 10 11 | accountant ✓ 2 3 4 10 11 | reseller ✓ 2 20 | partner ✓ 4 40 | user 403 | nobody 401
GET /month/unbilled
  admin ✓ 11 | accountant ✓ 11 | reseller ✓ | partner ✓ | user 403 | nobody 401
GET /month/losses
  admin ✓ | accountant ✓ | reseller ✓ | partner ✓ | user 403 | nobody 401
GET /month/journal
  admin ✓ | accountant ✓ | reseller ✓ | partner ✓ | user 403 | nobody 401
POST /month/issue
  admin ✓ 10, 409, 404 | accountant 403 | reseller ✓ 2 20, 404, 404 | partner ✓ 4 40, 404, 404 | user 403 | nobody 401
GET /intakes
  admin ✓ | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
GET /intakes/clocks
  admin ✓ | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
POST /intakes
  admin 422 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
DELETE /intakes/{name}
  admin 404 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
GET /keys
  admin ✓ 10 20 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
POST /keys
  admin 422 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
POST /keys/{name}/rotate
  admin ✓ 10, ✓ 20, 404 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
DELETE /keys/{name}
  admin ✓ 10, ✓ 20, 404 | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
GET /webhooks
  admin ✓ 10 | accountant 403 | reseller ✓ 20 | partner ✓ 40 | user 403 | nobody 401
POST /webhooks
  admin ✓ | accountant 403 | reseller ✓ | partner ✓ | user 403 | nobody 401
GET /webhooks/{id}/deliveries
  admin ✓ 10, 404, 404 | accountant 403 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /webhooks/{id}/test
  admin ✓ 10, 404, 404 | accountant 403 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /webhooks/{id}/enable
  admin ✓ 10, 404, 404 | accountant 403 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /webhooks/{id}/disable
  admin ✓ 10, 404, 404 | accountant 403 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /webhooks/{id}/rotate
  admin ✓ 10, 404, 404 | accountant 403 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
POST /webhooks/{id}/resend
  admin 404 | accountant 403 | reseller 404 | partner 404 | user 403 | nobody 401
DELETE /webhooks/{id}
  admin ✓ 10, 404, 404 | accountant 403 | reseller ✓ 20, 404, 404 | partner ✓ 40, 404, 404 | user 403 | nobody 401
GET /brand
  admin ✓ | accountant ✓ | reseller ✓ | partner ✓ | user ✓ | nobody ✓
GET /own/month
  admin 403 | accountant 403 | reseller 403 | partner 403 | user ✓ | nobody 401
GET /own/months
  admin 403 | accountant 403 | reseller 403 | partner 403 | user ✓ | nobody 401
GET /own/dues
  admin 403 | accountant 403 | reseller 403 | partner 403 | user ✓ 10 | nobody 401
POST /own/invoices/{id}/pay
  admin 403 | accountant 403 | reseller 404 | partner 404 | user 409, 404, 404 | nobody 401
GET /own/rates
  admin 403 | accountant 403 | reseller 403 | partner 403 | user ✓ 10 | nobody 401
GET /own/devices
  admin 403 | accountant 403 | reseller 403 | partner 403 | user ✓ 10 | nobody 401
GET /own/devices/{id}/secret
  admin 403 | accountant 403 | reseller 403 | partner 403 | user ✓, 404, 404 | nobody 401
GET /settings
  admin ✓ | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
PUT /settings
  admin ✓ | accountant 403 | reseller 403 | partner 403 | user 403 | nobody 401
PUT /brand
  admin ✓ | accountant 403 | reseller ✓ | partner ✓ | user 403 | nobody 401
GET /own/brand
  admin ✓ | accountant 403 | reseller ✓ | partner ✓ | user 403 | nobody 401
GET /own/details
  admin 403 | accountant 403 | reseller ✓ 2 | partner ✓ 4 | user ✓ | nobody 401
PUT /own/details
  admin 403 | accountant 403 | reseller ✓ 2 | partner ✓ 4 | user ✓ 10 | nobody 401
GET /document-files/sample
  admin ✓ | accountant 403 | reseller ✓ 2 | partner ✓ 4 | user 403 | nobody 401
`

const CALLERS = {
  admin: { username: 'admin', own: 10, foreign: 20 },
  accountant: { username: 'alice', own: 10, foreign: 20 },
  reseller: { username: 'rick', own: 20, foreign: 30 },
  partner: { username: 'pat', own: 40, foreign: 20 },
  user: { username: 'bob', own: 10, foreign: 20 },
  nobody: { username: '', own: 10, foreign: 20 },
} as const

type CallerName = keyof typeof CALLERS

const MISSING = 99

const SUSPENDED = '0123456789abcdef01234567'

/** The path and the values of a request about the thing of an account. */
function requestFor(path: string, account: number) {
  const values = {
    amount: '1',
    url: 'https://example.com/',
    events: 'payment.recorded',
    as: account,
    methods: 'all',
    password: 'a new password',
    message: 'msg_none',
    month: '2026-02',
    reason: 'unreadable',
    why: 'goodwill',
    ...(path.startsWith('/documents/') ? { to: 'x@y.example' } : {}),
    number: '37060012345',
    language: 'de',
    ...(/^\/(payments|documents\/credit-notes)\//.test(path)
      ? { invoices: `INV-of-${account}`, invoice: `INV-of-${account}` }
      : {}),
    ...(path === '/search' ? { text: `call-of-${account}` } : {}),
    value: account === MISSING ? 'x' : '5',
    ...(account === 0 ? {} : { customer: account }),
    ...(path === '/calls' || path === '/traffic' ? { from: '2026-03-10', till: '2026-03-10' } : {}),
  }
  const own: Readonly<Record<string, Record<string, string>>> = {
    '/settings': { Device_Limit: '5' },
    '/own/details': { city: 'Berlin' },
    '/brand': { footer: 'HRB 1' },
  }
  if (own[path]) return { path, values: own[path] }
  const ids: Readonly<Record<string, string>> = {
    '/customers/{id}': `${account}`,
    '/customers/{account}': `${account}`,
    '/calls/{id}': idOfCall({ uniqueid: `call-of-${account}` }),
    '/documents/invoices/{id}': `${7000 + account}`,
    '/document-files/invoices/{id}': `${7000 + account}`,
    '/document-files/credit-notes/{id}': `${7000 + account}`,
    '/payments/{payment}': `${7000 + account}`,
    '/documents/invoices/{invoice}': `${7000 + account}`,
    '/documents/credit-notes/{note}': `${7000 + account}`,
    '/tariffs/{id}': `${3000 + account}`,
    '/own/devices/{id}': `${1000 + account}`,
    '/own/invoices/{id}': `${7000 + account}`,
    '/suspense/{id}': account === MISSING ? '0'.repeat(24) : SUSPENDED,
    '/failed-imports/{id}': Buffer.from(`${account}.csv`).toString('base64url'),
    '/webhooks/{id}': `webhook-of-${account}`,
    '/keys/{name}': `key-of-${account}`,
  }
  const [prefix = '', id = ''] = Object.entries(ids).find(([template]) => path.startsWith(template)) ?? []
  return { path: path.replace(prefix, prefix.replace(/\{\w+\}/, id)), values }
}

/** Devices stand for all kinds: functions/console/customers/records.test.ts has the others. */
const recordRequest = (path: string, account: number, verb: string) =>
  path.endsWith('/rates')
    ? { path: path.replace('{id}', `${3000 + account}`), values: { prefix: '370', tariff_rate: '0.2' } }
    : {
        path: path.replace('{kind}', 'devices').replace('{id}', `${1000 + account}`),
        values: RECORD_VALUES[verb]?.(account) ?? {},
      }

const RECORD_VALUES: Readonly<
  Record<string, (account: number) => Readonly<Record<string, number | string>>>
> = {
  GET: (account) => ({ of: account }),
  POST: (account) => ({ user_id: account }),
  PUT: () => ({ username: 'another' }),
}

/** A key of an integration, named after its account. */
async function giveKeyTo(account: number): Promise<void> {
  const added_at = '2026-03-10T12:00:00.000Z'
  const name = `key-of-${account}`
  const key = { name, secret: 'a-secret', methods: ['devices_get'], from: '', v2_only: false, added_at }
  await world.store.transact(keyChanges(await findKeysOf(world.store, account), name, key))
}

let world: World
let before: ReadonlyMap<string, DumpedItem>
/** The meters of the last request. */
const meters = new Set<Meter>()
const clients = new Map<CallerName, ConsoleClient>()

const nameOf = ({ PK, SK }: DumpedItem): string => `${PK} ${SK}`

const itemsOfTheTable = async (): Promise<ReadonlyMap<string, DumpedItem>> =>
  new Map((await world.dump()).map((item) => [nameOf(item), item]))

beforeAll(async () => {
  world = await aWorld(estates)
  await world.set({
    Mail_From: 'x@y.example',
    Reminder_Days: '7',
    Invoices_From: '2026-02-01',
    Show_Active_Calls_for_Users: '1',
  })
  await putSuspended(world.store, [
    {
      id: SUSPENDED,
      order: '001773140400#000',
      format: 'asterisk-csv',
      source: 'pbx',
      zone: 'UTC',
      reason: 'unreadable',
      detail: 'no columns',
      text: 'x',
    },
  ])
  for (const account of [10, 20]) {
    await giveKeyTo(account)
    await noteFailedImport(world.store, aFailureOf(`${account}.csv`))
  }
  for (const [account, owner] of [
    [10, 0],
    [20, 2],
    [30, 3],
    [40, 4],
  ] as const) {
    const id = `webhook-of-${account}`
    const endpoint = {
      id,
      owner,
      url: 'https://example.com/',
      events: [],
      secret: 's',
      added_at: '2026-03-10T12:00:00.000Z',
    }
    const item = { ...webhookKey(owner, id), ...endpoint, version: 1 }
    await world.store.putBatch([item])
  }
  const openStore = (meter: Meter) => {
    meters.add(meter)
    return world.services.openStore(meter)
  }
  const metered = { ...world, services: { ...world.services, openStore } }
  for (const [name, { username }] of Object.entries(CALLERS))
    clients.set(
      name as CallerName,
      username ? await aSignedClient(metered, username) : aConsoleClient(metered),
    )
  before = await itemsOfTheTable()
})

/**
 * The keys of what an action changed. The table is restored, also the session that a sign-out ended. A
 * request that spent no write unit changed nothing.
 */
async function undone(): Promise<string[]> {
  const hasWritten = [...meters].some(({ spent }) => spent.write > 0)
  meters.clear()
  if (!hasWritten) return []
  const after = await itemsOfTheTable()
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => !isDeepStrictEqual(before.get(name), after.get(name)),
  )
  const changes = changed.flatMap((name) => {
    const was = before.get(name)
    const now = after.get(name)
    return was ? { put: was } : (now && { remove: keyIn(now) }) || []
  })
  if (changes.length > 0) await world.store.transact(changes)
  return changed
}

/** Links from a thing to other accounts, and the tariffs of a price. */
const BESIDE_THE_THING = new Set(['owner', 'issuer', 'tariff', 'steps'])

/** The accounts whose things are in an answer, or were changed. */
function accountsOf(path: string, body: object, changed: readonly string[]): number[] {
  const thing =
    path.startsWith('/tariffs/') && 'tariff' in body ? { ...(body.tariff as object), owner: '' } : body
  const text = JSON.stringify(thing, (key, value) => (BESIDE_THE_THING.has(key) ? undefined : value))
  const named = [...text.matchAll(/\bof-(\d+)/g), ...changed.join(' ').matchAll(/\bUSER#(\d+) /g)]
  return [...new Set(named.map(([, id]) => Number(id)))].sort((one, other) => one - other)
}

/** Operations whose things belong to no account, the traffic, which names nobody, and a file that asks. */
const ABOUT_NOBODY = /session|brand|secret|suspense|failed-imports|settings|rollback|rates|traffic|bank-file/

interface Case {
  readonly verb: string
  readonly path: string
  readonly caller: CallerName
  readonly cells: readonly string[]
}

const CASES: readonly Case[] = [...MATRIX.matchAll(/^(\w+) (\S+)\n(.*)$/gm)].flatMap(
  ([, verb = '', path = '', row = '']) =>
    row.split('|').map((cell) => {
      const [, caller = '', cells = ''] = /^\s*(\w+) (.*?)\s*$/.exec(cell) ?? []
      return { verb, path, caller: caller as CallerName, cells: cells.split(', ') }
    }),
)

test('the matrix has every operation but the sign-in, with every kind of account', () => {
  const operations = OPERATIONS.map(({ verb, path }) => `${verb} ${path}`).filter(
    (one) => one !== 'POST /session',
  )
  const listed = [...MATRIX.matchAll(/^(\w+ \S+)\n/gm)].map(([, one]) => one)

  expect([...listed].sort()).toEqual(operations.sort())
  expect(new Set(CASES.map(({ caller }) => caller))).toEqual(new Set(Object.keys(CALLERS)))
  expect(CASES).toHaveLength(operations.length * Object.keys(CALLERS).length)
})

/** A list is asked once, without an account; everything else about each of the accounts of the cells. */
const targetsOf = ({ verb, caller, cells }: Case): readonly number[] =>
  cells.length === 1 && verb === 'GET' ? [0] : [CALLERS[caller].own, CALLERS[caller].foreign, MISSING]

/** The outcome in the words of the matrix, and the keys of what it changed. */
async function outcomeOf({ verb, path, caller }: Case, account: number) {
  const client = clients.get(caller) as ConsoleClient
  const { path: asked, values } = (/^.records|rates$/.test(path) ? recordRequest : requestFor)(
    path,
    account,
    verb,
  )
  const { cookie } = client
  const { status, body } = await client.send(verb as 'GET', asked, values)
  client.cookie = cookie
  const changed = await undone()
  if (caller === 'accountant') expect(JSON.stringify(body)).not.toMatch(SECRET_OF_A_DEVICE)
  const whose = ABOUT_NOBODY.test(path) ? [] : accountsOf(path, body, changed)
  return { changed, outcome: status === 200 ? ['✓', ...whose].join(' ') : String(status) }
}

const expectedIn = ({ path, cells }: Case, index: number): string => {
  const cell = cells[index] ?? cells[0] ?? ''
  return ABOUT_NOBODY.test(path) ? cell.replace(/✓.*/, '✓') : cell
}

/** Whether an action that changed something is in the audit log. A sign-out changes only the session. */
const isAudited = ({ path }: Case, changed: readonly string[]): boolean =>
  path === '/session' || changed.length === 0 || changed.some((name) => name.startsWith('SETTINGS LOG#'))

test.each(CASES.map((one) => [`${one.verb} ${one.path}`, one.caller, one] as const))(
  '%s as %s',
  async (_name, _caller, one) => {
    for (const [index, account] of targetsOf(one).entries()) {
      const { outcome, changed } = await outcomeOf(one, account)

      expect([account, outcome]).toEqual([account, expectedIn(one, index)])
      expect(one.verb === 'GET' || !outcome.startsWith('✓') ? changed : []).toEqual([])
      expect(isAudited(one, changed)).toBe(true)
    }
  },
)

test('the traffic of an account is that of its own calls', async () => {
  const wanted = { from: '2026-03-10', till: '2026-03-10' }
  const secondsOf = async (caller: CallerName) => {
    const { body } = await (clients.get(caller) as ConsoleClient).get('/traffic', wanted)
    return (body['days'] as { seconds: number }[]).map(({ seconds }) => seconds)
  }

  // Each account has one call, whose length is a power of two: see estates.ts.
  expect(await secondsOf('user')).toEqual([2 ** 5])
  expect(await secondsOf('reseller')).toEqual([2 ** 6])
  expect(await secondsOf('partner')).toEqual([2 ** 8])
  expect(await secondsOf('admin')).toEqual([2 ** 9 - 1])
})
