import { type Account, firstAccountsOf } from '#lib/accounts/account.ts'
import { customerRowMaker, ownersSeenBy } from '#lib/api/console/customer-rows.ts'
import { type FoundCustomers, searchCustomers } from '#lib/api/console/customer-search.ts'
import { invalidValue } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { oneWord, plainText } from '#lib/api/console/values.ts'
import { MANAGERS } from '#lib/base/account-types.ts'

/** The rows of a page by owner and id. */
const PAGE_ROWS = 50

const params = { search: plainText, order: oneWord('id', 'name'), after: plainText }

export const resource = defineResource({
  name: 'customers',
  access: 'read',
  operations: [
    operation('GET', '/customers', {
      summary:
        'The customers, by owner and id, or by name; found by the beginning of any word of their names, by whole id, or by the name or number of a device.',
      callers: MANAGERS,
      params,
      run: async (request) => {
        const { search, order } = request.params
        const isListed = search === undefined && order !== 'name'
        const { found, next } = await (isListed ? listed(request) : searchCustomers(request, request.params))
        return { customers: found.map(await customerRowMaker(request, found)), next }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

type CustomersRequest = ConsoleRequest<typeof params>

/** Reads only the page: its key is the owner and the id of the last account. */
async function listed({ params, store, caller }: CustomersRequest): Promise<FoundCustomers> {
  const [owner = 0, after] = positionIn(params.after)
  const owners = (await ownersSeenBy(store, caller)).filter((one) => one >= owner)
  const found: Account[] = []
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
  if (!/^\d{1,15}\.\d{1,15}$/.test(after))
    throw invalidValue(`after is "${after}": it is not a valid page key`)
  return after.split('.').map(Number)
}
