import { findAccounts } from '#lib/accounts/account.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { displayName } from '#lib/base/account-types.ts'
import { formatTime } from '#lib/base/calendar.ts'
import { isAdmin, seesEveryone } from '#lib/base/scope.ts'
import { type ActiveCall, formatDuration } from '#lib/calls/live/active-call.ts'
import { listActiveCalls } from '#lib/calls/live/active-call-stored.ts'
import { deviceTitle } from '#lib/devices/device.ts'
import { findDevices } from '#lib/devices/device-stored.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import type { Store } from '#lib/table/store.ts'
import { readFirstBatch, rowStream } from '#lib/xml/batches.ts'
import { element } from '#lib/xml/element.ts'
import { rowWriter } from '#lib/xml/row-writer.ts'

const NOT_AUTHORIZED = 'You are not authorized to use this functionality'

const contract = defineContract({
  name: 'active_calls_get',
  summary: 'The calls in progress that the caller may see, oldest first.',
  callers: {
    allowed: ['admin', 'reseller', 'accountant', 'user'],
    anonymous: 'Access Denied',
    others: NOT_AUTHORIZED,
  },
  params: {},
  hashOrders: [{ signs: ['u'] }],
  errors: { not_authorized: NOT_AUTHORIZED },
  envelope: 'page',
  access: 'read',
  streams: true,
})

type ActiveCallsRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const { caller, clock, settings, store, refuse } = request
  if (caller.usertype === 'user' && !settings.Show_Active_Calls_for_Users) throw refuse('not_authorized')
  const now = clock()
  const found = await readFirstBatch(listActiveCalls(store, caller, now, settings.shards))
  if (!found) return element('message', 'No_data_found')

  // An answer can carry more calls than run at once, so no further page is expected.
  return rowStream(found.all, activeCallRows(request, now))
})

export const handler = lambda(method)

function activeCallRows({ caller, settings, store }: ActiveCallsRequest, now: Date) {
  const write = rowWriter('active_call', fieldsFor(caller))
  const namesIn = createNames(store)
  const time = timesIn(settings.Timezone, now)
  return async (calls: readonly ActiveCall[]) => {
    const names = await namesIn(calls)
    return write(calls.map((call) => ({ ...call, ...time(call), ...names(call) })))
  }
}

const FIELDS = [
  'id',
  'status',
  'answer_time',
  'duration',
  'src',
  'user',
  'device_name',
  'localized_dst',
  'dst_user',
  'dst_device_name',
  'destination_name',
] as const

/** The carrier is the operator's business, the channel the administrator's (wire.md active_calls_get). */
function fieldsFor(caller: ActiveCallsRequest['caller']) {
  if (isAdmin(caller)) return [...FIELDS, 'provider_name', 'channel'] as const
  return seesEveryone(caller) ? ([...FIELDS, 'provider_name'] as const) : FIELDS
}

const timesIn =
  (zone: string, now: Date) =>
  ({ answer_time }: ActiveCall) =>
    answer_time === undefined
      ? { status: 'Ringing', answer_time: '', duration: formatDuration(0) }
      : {
          status: 'Answered',
          answer_time: formatTime(answer_time, zone),
          duration: formatDuration(now.getTime() / 1000 - answer_time),
        }

/** One read for every distinct account and device. One that was deleted during the call has an empty name. */
function createNames(store: Store) {
  const accountsOf = batchedLookup((ids) => findAccounts(store, ids))
  const devicesOf = batchedLookup((ids) => findDevices(store, ids))

  return async (calls: readonly ActiveCall[]) => {
    const [accounts, devices] = await Promise.all([
      accountsOf(calls.flatMap(({ user_id, dst_user_id }) => [user_id, dst_user_id])),
      devicesOf(calls.flatMap(({ device_id, dst_device_id }) => [device_id, dst_device_id])),
    ])
    const user = named(accounts, displayName)
    const device = named(devices, deviceTitle)
    return (call: ActiveCall) => ({
      user: user(call.user_id),
      dst_user: user(call.dst_user_id),
      device_name: device(call.device_id),
      dst_device_name: device(call.dst_device_id),
    })
  }
}

const named =
  <T>(known: ReadonlyMap<number, T>, nameOf: (thing: T) => string) =>
  (id: number | undefined): string => {
    const thing = id === undefined ? undefined : known.get(id)
    return thing === undefined ? '' : nameOf(thing)
  }
