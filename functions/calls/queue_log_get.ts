import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { textParam, timestamp } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { formatDateTime, periodOrToday } from '#lib/base/calendar.ts'
import { namesIn } from '#lib/base/collections.ts'
import type { DayListing } from '#lib/calls/day-list.ts'
import { listQueueLog, type QueueLogEntry, queueLogColumns } from '#lib/calls/queue-log.ts'
import { readFirstBatch, rowStream } from '#lib/xml/batches.ts'
import { element } from '#lib/xml/element.ts'
import { rowWriter } from '#lib/xml/row-writer.ts'

const contract = defineContract({
  name: 'queue_log_get',
  summary: "The entries of the telephony engine's queue log, in order of time.",
  callers: { allowed: ['admin'], anonymous: 'Access Denied' },
  params: {
    from: timestamp,
    till: timestamp,
    queuename: textParam,
    agent: textParam,
    event: textParam,
    callid: textParam,
    data1: textParam,
    data2: textParam,
    /** data3, data4 and data5 are additions to the documented parameters (wire.md queue_log_get). */
    data3: textParam,
    data4: textParam,
    data5: textParam,
  },
  hashOrders: [{ signs: [] }],
  errors: { not_available: 'Queue log is not available on this server', none: 'No data found' },
  envelope: 'page',
  access: 'read',
  streams: true,
})

export const method = defineMethod(contract, async ({ params, clock, settings, store, refuse }) => {
  if (!settings.Queue_Log_Enabled) throw refuse('not_available')
  const wanted = filtersIn(params)
  const listing = await listQueueLog(store, periodOrToday(params, clock(), settings.Timezone))
  const found = await readFirstBatch(matching(listing.pages, wanted))
  if (!found) throw refuse('none')

  const toRows = entryRows(settings.Timezone)
  return element('queues', rowStream(found.all, toRows, expectedBytes(listing, wanted)))
})

export const handler = lambda(method)

const FILTER_PARAMETERS = {
  queue_name: 'queuename',
  agent: 'agent',
  event: 'event',
  call_id: 'callid',
  data1: 'data1',
  data2: 'data2',
  data3: 'data3',
  data4: 'data4',
  data5: 'data5',
} as const

type Filter = readonly [column: keyof QueueLogEntry & keyof typeof FILTER_PARAMETERS, value: string]

/** Blank filters are ignored, since clients send every field of their form. */
const filtersIn = (params: RequestTo<typeof contract>['params']): Filter[] =>
  namesIn(FILTER_PARAMETERS).flatMap((column) => {
    const value = params[FILTER_PARAMETERS[column]]
    return value ? [[column, value] satisfies Filter] : []
  })

async function* matching(
  pages: AsyncIterable<QueueLogEntry[]>,
  filters: readonly Filter[],
): AsyncGenerator<QueueLogEntry[]> {
  for await (const page of pages) {
    yield page.filter((entry) => filters.every(([column, value]) => entry[column] === value))
  }
}

/** The approximate size of a row. */
const ENTRY_BYTES = 270

/** The number of filtered entries is unknown, but usually small: no size is expected of them. */
const expectedBytes = ({ about }: Pick<DayListing<unknown>, 'about'>, filters: readonly Filter[]): number =>
  filters.length > 0 ? 0 : about * ENTRY_BYTES

const writeEntries = rowWriter('queue', namesIn(queueLogColumns))

const entryRows = (zone: string) => (entries: readonly QueueLogEntry[]) =>
  writeEntries(entries.map((entry) => ({ ...entry, time: formatDateTime(entry.time, zone) })))
