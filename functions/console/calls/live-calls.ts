import { findAccounts } from '#lib/accounts/account.ts'
import { nameIn } from '#lib/api/console/account-names.ts'
import { forbidden } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { formatDateTime, secondsOf } from '#lib/base/calendar.ts'
import { paired } from '#lib/base/collections.ts'
import { isOwnCustomerOrSelf, seesEveryone } from '#lib/base/scope.ts'
import type { ActiveCall } from '#lib/calls/live/active-call.ts'
import { countActiveCalls, listActiveCalls } from '#lib/calls/live/active-call-stored.ts'

/** The most calls of an answer, which counts all of them. */
const MOST_SHOWN = 100

/** Beyond these, the table counts everyone's calls without returning them; others' are read. */
const MOST_READ = 1000

export const resource = defineResource({
  name: 'live-calls',
  access: 'read',
  operations: [
    operation('GET', '/live-calls', {
      summary: 'The calls in progress, oldest first: 100 of them, and their number.',
      callers: ACCOUNT_TYPES,
      run: async (request) => {
        const { store, caller, clock, settings } = request
        if (caller.usertype === 'user' && !settings.Show_Active_Calls_for_Users)
          throw forbidden('The operator does not show calls in progress to customers')
        const [now, { shards }] = [clock(), settings]
        const first: ActiveCall[] = []
        let total = 0
        for await (const page of listActiveCalls(store, caller, now, shards)) {
          first.push(...page.slice(0, MOST_SHOWN - first.length))
          total += page.length
          if (total <= MOST_READ || !seesEveryone(caller)) continue
          total = (await countActiveCalls(store, caller, now, shards)).total
          break
        }
        return { calls: await shown(request, first), total }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

async function shown(request: ConsoleRequest, calls: readonly ActiveCall[]) {
  const { caller, clock, settings } = request
  const customerLink = await linkOwnCustomers(request, [
    ...new Set(calls.flatMap(({ user_id }) => user_id ?? [])),
  ])
  const now = secondsOf(clock())
  return calls.map(({ id, start_time, answer_time, src, localized_dst, user_id, ...call }) => ({
    id,
    start: formatDateTime(start_time, settings.Timezone),
    from: src,
    to: localized_dst,
    destination: call.destination_name || null,
    customer: user_id === undefined ? null : customerLink(user_id),
    provider: (seesEveryone(caller) && call.provider_name) || null,
    seconds: answer_time === undefined ? null : Math.max(0, now - answer_time),
  }))
}

/** The called side and its owner also see a call, but may not know whose customer calls. */
async function linkOwnCustomers({ store, link, caller }: ConsoleRequest, ids: readonly number[]) {
  if (seesEveryone(caller)) return link(ids)
  const accounts = paired(ids, await findAccounts(store, ids, 'eventual'))
  return (id: number) => {
    const account = accounts.get(id)
    return account && !isOwnCustomerOrSelf(caller, account) ? null : { id, name: nameIn(account, id) }
  }
}
