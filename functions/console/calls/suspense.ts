import { actOperation } from '#lib/api/console/act-operation.ts'
import type { SuspendedRow } from '#lib/api/console/answers/calls.ts'
import { invalidValue } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { plainText, sentText } from '#lib/api/console/values.ts'
import { OPERATORS } from '#lib/base/account-types.ts'
import { formatDateTime } from '#lib/base/calendar.ts'
import { cutText } from '#lib/base/text.ts'
import { dropSuspendedCdrs, retrySuspendedCdrs, suspendedNamed } from '#lib/cdrs/pipeline/suspense-acts.ts'
import {
  findSuspended,
  firstSeen,
  placeOf,
  type SuspendedCdr,
  suspendedAfter,
  suspendedText,
} from '#lib/cdrs/suspense/suspense.ts'
import type { Settings } from '#lib/settings/settings.ts'

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
      run: async ({ store, settings, params }) => {
        const entry = await suspendedNamed({ store }, params.id)
        const text = cutText(await suspendedText(store, entry), MOST_TEXT)
        return { entry: rowOf(entry, settings), format: entry.format, text }
      },
    }),
    actOperation('POST', '/suspense/{id}/retry', retrySuspendedCdrs, {
      show: async ({ store, params }, { stored }) => {
        const id = String(params['id'])
        const left = stored > 0 ? undefined : await findSuspended(store, id)
        return { id, isStored: stored > 0, reason: left?.reason ?? null, detail: left?.detail ?? null }
      },
    }),
    actOperation('POST', '/suspense/retry', retrySuspendedCdrs),
    actOperation('DELETE', '/suspense/{id}', dropSuspendedCdrs, {
      agreed: { yes: 'yes' },
      show: (_request, { id }) => ({ id: id ?? '' }),
    }),
  ],
})

export const handler = consoleLambda(resource)

/** A page of the list, and the entries of it that have the wanted reason. */
async function pageOf({ store, params }: ConsoleRequest<typeof reasonPage>) {
  const { after = '', reason } = params
  if (!/^(\d{12}#|$)/.test(after)) throw invalidValue(`after is "${after}": it is not a valid page key`)
  const found = await suspendedAfter(store, after, PAGE_ENTRIES)
  const last = found.length < PAGE_ENTRIES ? undefined : found.at(-1)
  const entries = reason === undefined ? found : found.filter((entry) => entry.reason === reason)
  return { found, entries, next: last ? placeOf(last) : null }
}

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
