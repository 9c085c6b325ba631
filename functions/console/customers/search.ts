import type { Account } from '#lib/accounts/account.ts'
import { maySeeDocument } from '#lib/api/console/billed-rows.ts'
import { idOfCall } from '#lib/api/console/call-rows.ts'
import { searchCustomers } from '#lib/api/console/customer-search.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { plainText } from '#lib/api/console/values.ts'
import { ACCOUNT_TYPES, companyOrPerson } from '#lib/base/account-types.ts'
import { formatDateTime } from '#lib/base/calendar.ts'
import { findInvoicesOfNumber } from '#lib/billing/invoice.ts'
import { type Call, listCallsWithId } from '#lib/calls/call.ts'
import { callScopesOf, isCallInScope } from '#lib/calls/call-scope.ts'
import { isArchivedDay } from '#lib/calls/retention.ts'

const params = { text: plainText }

type SearchRequest = ConsoleRequest<typeof params>

/** Switches write one unique id a few times at most. */
const MOST_FOUND = 20

export const resource = defineResource({
  name: 'search',
  access: 'read',
  operations: [
    operation('GET', '/search', {
      summary:
        'The customers that the text finds, eight of them, the invoices with this number, and the calls with this unique id.',
      callers: ACCOUNT_TYPES,
      params,
      run: async (request) => {
        const { text = '' } = request.params
        if (text === '') return { customers: [], invoices: [], calls: [] }
        const [customers, invoices, calls] = await Promise.all([
          customersOf(request, text),
          findInvoicesOfNumber(request.store, text),
          visibleCalls(request, text),
        ])
        const visible = invoices.filter((invoice) => maySeeDocument(request.caller, invoice))
        const linkOf = await request.link([...visible, ...calls].map(({ user_id }) => user_id))
        return {
          customers: customers.map((account) => ({
            id: account.id,
            name: companyOrPerson(account),
            username: account.username,
          })),
          invoices: visible.map(({ id, number, user_id }) => ({ id, number, customer: linkOf(user_id) })),
          calls: calls.map((call) => ({
            id: idOfCall(call),
            uniqueid: call.uniqueid,
            at: formatDateTime(call.calldate, request.settings.Timezone),
            customer: linkOf(call.user_id),
          })),
        }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

const MOST_CUSTOMERS = 8

async function customersOf(request: SearchRequest, search: string): Promise<readonly Account[]> {
  if (request.caller.usertype === 'user') return []
  const { found } = await searchCustomers(request, { search, after: undefined })
  return found.slice(0, MOST_CUSTOMERS)
}

async function visibleCalls({ store, settings, caller }: SearchRequest, uniqueid: string): Promise<Call[]> {
  const scopes = callScopesOf(caller)
  const found = await listCallsWithId(store, uniqueid)
  return found
    .filter((call) => !isArchivedDay(call.day, settings) && scopes.some((one) => isCallInScope(one, call)))
    .slice(0, MOST_FOUND)
}
