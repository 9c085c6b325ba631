import { accountIn } from '#lib/api/loads.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { idParam, textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { formatDateTime, formatOffset, type Period, periodOrToday, timestampOf } from '#lib/base/calendar.ts'
import { isOwnCustomerOrSelf, widestScope } from '#lib/base/scope.ts'
import { requiredCallOwner } from '#lib/calls/call-scope.ts'
import type { DayListing } from '#lib/calls/day-list.ts'
import { type ListedCall, type LocalCall, listLocalCalls, underOwner } from '#lib/calls/local-call.ts'
import { readFirstBatch, rowStream } from '#lib/xml/batches.ts'
import { element } from '#lib/xml/element.ts'
import { cellsWriter, rowWriter } from '#lib/xml/row-writer.ts'

const contract = defineContract({
  name: 'local_calls_get',
  summary: 'The internal calls of a period, between extensions, in order of time.',
  callers: { allowed: ['admin', 'reseller', 'accountant', 'user'], anonymous: 'Access Denied' },
  /** Deployed clients send s_user instead of s_userid (wire.md local_calls_get). */
  params: { from: textParam, till: textParam, s_userid: idParam, s_user: idParam },
  hashOrders: [
    { signs: ['u'], unless: { u: 'admin' } },
    { signs: [], when: { u: 'admin' } },
    /** Signed by deployed clients (wire.md local_calls_get). */
    { signs: ['from', 'till', 's_user'], sent: ['from', 'till', 's_user'] },
  ],
  errors: {
    from: 'From must be valid timestamp',
    till: 'Till must be valid timestamp',
    period: 'Date from is greater than date till',
    no_user: 'User was not found',
    none: 'No calls...',
  },
  envelope: 'page',
  access: 'read',
  loads: { account: accountIn('s_userid', 's_user') },
  streams: true,
})

type LocalCallsRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const listing = await findCalls(request, periodIn(request))
  const found = await readFirstBatch(listing.pages)
  if (!found) throw request.refuse('none')

  const toRows = callRows(request.settings.Timezone)
  return element('local_calls', rowStream(found.all, toRows, listing.about * CALL_BYTES))
})

export const handler = lambda(method)

/** The approximate size of a row. */
const CALL_BYTES = 480

/** A blank or missing end is that of today. */
function periodIn({ params, clock, settings, refuse }: LocalCallsRequest): Period {
  const [from, till] = [timestampOf(params.from ?? ''), timestampOf(params.till ?? '')]
  if (params.from?.trim() && from === undefined) throw refuse('from')
  if (params.till?.trim() && till === undefined) throw refuse('till')
  const period = periodOrToday({ from, till }, clock(), settings.Timezone)
  if (period.from > period.till) throw refuse('period')
  return period
}

/**
 * Admins and accountants see all calls, a reseller its own and its customers', a plain user its own (wire.md
 * local_calls_get). A foreign account is refused before any read: the time of a refusal reveals nothing.
 */
async function findCalls(
  { caller, params, store, loaded, refuse }: LocalCallsRequest,
  period: Period,
): Promise<DayListing<ListedCall>> {
  const userId = caller.usertype === 'user' ? undefined : (params.s_userid ?? params.s_user)
  if (userId === undefined) return listLocalCalls(store, widestScope(caller), period)
  const { account } = loaded
  if (!account || !isOwnCustomerOrSelf(caller, account)) throw refuse('no_user')
  const listing = await listLocalCalls(store, { user: userId }, period)
  const owner = requiredCallOwner(caller, userId)
  return owner === undefined ? listing : { ...listing, pages: underOwner(listing.pages, owner) }
}

const writeCalls = rowWriter('call', [
  'calldate',
  'originator_device',
  'originator_caller_id',
  'orignator_ip',
  'orignator_channel',
  'terminator_user',
  'terminator_device',
  'terminator_ip',
])

const writeMoment = cellsWriter(['date', 'timezone'])

const callRows = (zone: string) => (page: readonly LocalCall[]) =>
  writeCalls(page.map((call) => ({ ...call, calldate: momentOf(call, zone) })))

const momentOf = ({ calldate }: LocalCall, zone: string) =>
  writeMoment({ date: formatDateTime(calldate, zone), timezone: formatOffset(calldate, zone) })
