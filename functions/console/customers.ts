import { customersAnswer } from '#lib/api/console/answers/customers.ts'
import { customerRows, everyCustomer, matchesSearch, ownersSeenBy } from '#lib/api/console/customer-rows.ts'
import { invalidValue } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, MANAGERS, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { oneWord, plainText } from '#lib/api/console/values.ts'
import { displayName } from '#lib/domain/accounts/account.ts'
import { maySeeCallsOf } from '#lib/domain/calls/call-scope.ts'
import { findAccounts, firstAccountsOf, type StoredAccount } from '#lib/store/accounts/account.ts'
import { findDevices } from '#lib/store/devices/device.ts'
import { findHolders } from '#lib/store/devices/dialled.ts'

/** The rows of a page. */
const PAGE_ROWS = 50

const params = { search: plainText, order: oneWord('id', 'name'), after: plainText }

export const resource = defineResource({
  name: 'customers',
  access: 'read',
  operations: [
    operation({
      verb: 'GET',
      path: '/customers',
      summary:
        'The customers, by owner and id, or by name; found by the beginning of any word of their names, by id, or by the name or extension of a device.',
      callers: MANAGERS,
      params,
      answer: customersAnswer,
      run: async (request) => {
        const { params } = request
        const isListed = params.search === undefined && params.order !== 'name'
        const { found, next } = await (isListed ? listed(request) : searched(request))
        return { customers: await customerRows(request, found), next }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

type CustomersRequest = ConsoleRequest<typeof params>

interface Found {
  readonly found: StoredAccount[]
  readonly next: string | null
}

/** Reads only the page: its key is the owner and the id of the last account. */
async function listed({ params, store, caller }: CustomersRequest): Promise<Found> {
  const [owner = 0, after] = positionIn(params.after)
  const owners = (await ownersSeenBy(store, caller)).filter((one) => one >= owner)
  const found: StoredAccount[] = []
  for (const one of owners) {
    if (found.length >= PAGE_ROWS) break
    const wanted = { after: one === owner ? after : undefined, pageSize: PAGE_ROWS - found.length }
    found.push(...(await firstAccountsOf(store, one, wanted)))
  }
  const last = found.length >= PAGE_ROWS ? found.at(-1) : undefined
  return { found, next: last ? `${last.owner_id}.${last.id}` : null }
}

function positionIn(after: string | undefined): (number | undefined)[] {
  if (after === undefined) return []
  if (!/^\d{1,15}\.\d{1,15}$/.test(after)) throw invalidValue(`after is "${after}": it is no key of a page.`)
  return after.split('.').map(Number)
}

/** Reads every customer, since a name may be anywhere: at 10,000 customers some 500 units. */
async function searched(request: CustomersRequest): Promise<Found> {
  const { params, store, caller } = request
  const { search = '' } = params
  const all = await everyCustomer(store, caller)
  const matching = all.filter((account) => matchesSearch(account, search))
  const ofDevice = matching.length > 0 ? [] : await ownersOfDevice(request, search)
  const sorted = [...matching, ...ofDevice].sort((one, other) =>
    displayName(one).localeCompare(displayName(other), 'en'),
  )
  const from = Number(params.after ?? 0)
  const found = sorted.slice(from, from + PAGE_ROWS)
  return { found, next: from + PAGE_ROWS < sorted.length ? String(from + PAGE_ROWS) : null }
}

/** The account whose device has this name or extension. */
async function ownersOfDevice({ store, caller }: CustomersRequest, word: string): Promise<StoredAccount[]> {
  const [holder] = word === '' ? [] : await findHolders(store, [word])
  const [device] = holder ? await findDevices(store, [holder.id]) : []
  const [account] = device ? await findAccounts(store, [device.user_id]) : []
  return account && maySeeCallsOf(caller, account) ? [account] : []
}
