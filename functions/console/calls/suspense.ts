import {
  droppedAnswer,
  retriedAnswer,
  retriedPageAnswer,
  type SuspendedRow,
  suspendedAnswer,
  suspenseAnswer,
} from '#lib/api/console/answers/suspense.ts'
import { ConsoleRefusal, invalidValue, unknownThing } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { plainText, sentText } from '#lib/api/console/values.ts'
import { OPERATORS } from '#lib/base/account-types.ts'
import { formatDateTime } from '#lib/base/calendar.ts'
import { cutText } from '#lib/base/text.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { retryEntries } from '#lib/cdrs/suspense/retry.ts'
import {
  findSuspended,
  firstSeen,
  placeOf,
  removeSuspended,
  type SuspendedCdr,
  suspendedAfter,
  suspendedText,
} from '#lib/cdrs/suspense/suspense.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { UnknownArchive } from '#lib/table/call-archive.ts'
import type { Store } from '#lib/table/store.ts'

/** The functions of the console cannot read the archive. */
function refuseArchived(error: unknown): never {
  if (!(error instanceof UnknownArchive)) throw error
  throw new ConsoleRefusal(
    'conflict',
    'The day of its call is archived: run npx tollgate suspense retry --table TABLE.',
  )
}

const PAGE_ENTRIES = 100

/** A larger text is cut: the page only shows it. */
const MOST_TEXT = 100_000

const one = { id: sentText }

const reasonPage = { reason: plainText, after: plainText }

export const resource = defineResource({
  name: 'suspense',
  access: 'suspense',
  operations: [
    operation('GET', '/suspense', {
      summary: 'Suspended CDRs, oldest first, and how many of the page there are for each reason.',
      callers: OPERATORS,
      params: reasonPage,
      answer: suspenseAnswer,
      run: async (request) => {
        const { found, entries, next } = await pageOf(request)
        return {
          entries: entries.map((entry) => rowOf(entry, request.settings)),
          reasons: [...Map.groupBy(found, (entry) => entry.reason)].map(([reason, those]) => ({
            reason,
            count: those.length,
          })),
          next,
        }
      },
    }),
    operation('GET', '/suspense/{id}', {
      summary: 'A suspended CDR with its text as the switch wrote it.',
      callers: OPERATORS,
      params: one,
      answer: suspendedAnswer,
      run: async ({ store, settings, params }) => {
        const entry = await entryNamed(store, params.id)
        const text = cutText(await suspendedText(store, entry), MOST_TEXT)
        return { entry: rowOf(entry, settings), format: entry.format, text }
      },
    }),
    operation('POST', '/suspense/{id}/retry', {
      summary:
        'Mediates a suspended CDR again. It stays suspended, with its present reason, if it cannot be stored.',
      callers: ['admin'],
      params: one,
      answer: retriedAnswer,
      run: async (request) => {
        const { store, clock, params } = request
        const entry = await entryNamed(store, params.id)
        const mediation = await openMediation(store, clock())
        const { stored } = await retryEntries(mediation, [entry]).catch(refuseArchived)
        const isStored = stored > 0
        await log(
          request,
          `retried the suspended CDR ${entry.id}: ${isStored ? 'stored' : 'still suspended'}`,
        )
        const left = isStored ? undefined : await findSuspended(store, entry.id)
        return { id: entry.id, isStored, reason: left?.reason ?? null, detail: left?.detail ?? null }
      },
    }),
    operation('POST', '/suspense/retry', {
      summary:
        'Mediates all suspended CDRs of a reason again, 100 of the list a page: send `next` as `after` until it is null.',
      callers: ['admin'],
      params: reasonPage,
      answer: retriedPageAnswer,
      run: retryPage,
    }),
    operation('DELETE', '/suspense/{id}', {
      summary: 'Drops a suspended CDR for good.',
      callers: ['admin'],
      params: one,
      answer: droppedAnswer,
      run: async (request) => {
        const entry = await entryNamed(request.store, request.params.id)
        await log(request, `dropped the suspended CDR ${entry.id} (${entry.reason})`)
        await removeSuspended(request.store, [entry])
        return { id: entry.id }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

/** A page of the list, and the entries of it that have the wanted reason. */
async function pageOf({ store, params }: ConsoleRequest<typeof reasonPage>) {
  const { after = '', reason } = params
  if (!/^(\d{12}#|$)/.test(after)) throw invalidValue(`after is "${after}": it is not a valid page key.`)
  const found = await suspendedAfter(store, after, PAGE_ENTRIES)
  const last = found.length < PAGE_ENTRIES ? undefined : found.at(-1)
  const entries = reason === undefined ? found : found.filter((entry) => entry.reason === reason)
  return { found, entries, next: last ? placeOf(last) : null }
}

async function retryPage(request: ConsoleRequest<typeof reasonPage>) {
  const { store, clock, params, logged } = request
  const { reason } = params
  const { entries, next } = await pageOf(request)
  if (reason === undefined) throw invalidValue('reason is missing: name the reason of the CDRs to retry.')
  const mediation = await openMediation(store, clock())
  const { stored, suspended } = await retryEntries(mediation, entries).catch(refuseArchived)
  const action = `retried ${entries.length} suspended CDRs (${reason}): ${stored} stored, ${suspended} still suspended`
  if (entries.length > 0) await store.transact([logged({ action })])
  return { stored, suspended, next }
}

async function entryNamed(store: Store, id: string): Promise<SuspendedCdr> {
  const entry = /^[0-9a-f]{24}$/.test(id) ? await findSuspended(store, id) : undefined
  if (!entry) throw unknownThing('suspended CDR', id)
  return entry
}

const log = ({ store, logged }: ConsoleRequest<typeof one>, action: string): Promise<void> =>
  store.transact([logged({ action })])

function rowOf(entry: SuspendedCdr, { Timezone }: Settings): SuspendedRow {
  const { id, source, reason, detail, tries, start, src, dst } = entry
  return {
    id,
    source,
    reason,
    detail,
    tries,
    since: formatDateTime(firstSeen(entry), Timezone),
    start: start === undefined ? null : formatDateTime(start, Timezone),
    from: src ?? null,
    to: dst ?? null,
  }
}
