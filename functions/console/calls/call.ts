import { callRowMaker, identityOfCall, idOfCall } from '#lib/api/console/call-rows.ts'
import { unknownThing } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { sentText } from '#lib/api/console/values.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { seesEveryone } from '#lib/base/scope.ts'
import { BLANK_CALL, type Call, type CallRow, findCalls, listCallsOfUserOn } from '#lib/calls/call.ts'
import { callScopesOf, isCallInScope } from '#lib/calls/call-scope.ts'
import { ratingOfStored } from '#lib/calls/rating/price-steps.ts'
import { isArchivedDay } from '#lib/calls/retention.ts'
import { deviceTitle } from '#lib/devices/device.ts'
import { findDevice } from '#lib/devices/device-stored.ts'
import { findProviders } from '#lib/rates/provider.ts'

const params = { id: sentText }

type CallRequest = ConsoleRequest<typeof params>

export const resource = defineResource({
  name: 'call',
  access: 'read',
  operations: [
    operation('GET', '/calls/{id}', {
      summary: 'A call with all of its columns, and its price step by step.',
      callers: ACCOUNT_TYPES,
      params,
      run: async (request) => {
        const { settings } = request
        const call = await visibleCall(request)
        const [toRow, equal, names, rating] = await Promise.all([
          callRowMaker(request, [call]),
          equalCalls(request, call),
          namesIn(request, call),
          ratingOfCall(request, call),
        ])
        const { uniqueid, source, duration, incoming } = call
        return {
          call: toRow(call),
          currency: settings.Default_Currency,
          uniqueid,
          source: source ?? null,
          duration,
          isIncoming: incoming,
          equal,
          ...names,
          prices: pricesFor(request, call),
          rating: rating ?? null,
        }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

async function visibleCall({ store, settings, caller, params }: CallRequest): Promise<Call> {
  const identity = identityOfCall(params.id)
  const [found] = identity ? await findCalls(store, [identity]) : []
  const call = found && !isArchivedDay(found.day, settings) ? found : undefined
  if (!call || !callScopesOf(caller).some((scope) => isCallInScope(scope, call)))
    throw unknownThing('call', identity?.uniqueid ?? params.id)
  return call
}

/** Equal calls: reported by two switches, or by one switch twice under two ids. */
async function equalCalls({ store, settings }: CallRequest, call: Call) {
  const period = { from: call.calldate, till: call.calldate }
  const wanted = { user: call.user_id, day: call.day, period }
  const found = await listCallsOfUserOn(store, wanted, settings)
  return found
    .filter((one) => idOfCall(one) !== idOfCall(call))
    .filter(({ src, dst, billsec }) => src === call.src && dst === call.dst && billsec === call.billsec)
    .map((one) => ({ id: idOfCall(one), uniqueid: one.uniqueid, source: one.source ?? null }))
}

async function namesIn({ store, caller }: CallRequest, { device_id, provider_id }: Call) {
  const [device, [provider]] = await Promise.all([
    device_id === undefined ? undefined : findDevice(store, device_id),
    provider_id === undefined || !seesEveryone(caller) ? [] : findProviders(store, [provider_id]),
  ])
  return {
    device: device ? { id: device.id, name: deviceTitle(device) } : null,
    provider: provider?.name ?? null,
  }
}

/** A call that came with a price has no steps: today's tariffs would explain another price. */
function ratingOfCall({ store, settings, caller }: CallRequest, call: Call) {
  if (!call.rated.split(' ').includes('user')) return undefined
  const row: CallRow = {
    ...BLANK_CALL,
    uniqueid: call.uniqueid,
    calldate: call.calldate,
    src: call.src,
    dst: call.dst,
    disposition: call.disposition,
    duration: call.duration,
    billsec: call.billsec,
    hangupcause: call.hangupcause,
    user_id: call.user_id,
    provider_id: call.provider_id,
    device_id: call.device_id,
    dialled_dst: call.dialled_dst,
    carrier_dst: call.carrier_dst,
    carrier_src: call.carrier_src,
  }
  return ratingOfStored(store, settings, row, caller)
}

function pricesFor({ caller }: CallRequest, call: Call) {
  return {
    customer: call.user_price ?? null,
    reseller: (caller.usertype === 'user' ? undefined : call.reseller_price) ?? null,
    provider: (seesEveryone(caller) ? call.provider_price : undefined) ?? null,
  }
}
