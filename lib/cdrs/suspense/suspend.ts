import { notifyMarked } from '#lib/alerts/event.ts'
import { HOUR_SECONDS } from '#lib/base/calendar.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { cutText } from '#lib/base/text.ts'
import { writingOf } from '#lib/settings/intake.ts'
import type { Cdr, Found, Problem } from '../formats/cdr.ts'
import type { CdrDocument } from '../formats/formats.ts'
import { entryIdOf, MAX_NUMBER_CHARACTERS, type MediationContext, type Refused } from '../mediation.ts'
import { type NewSuspendedCdr, putSuspended } from './suspense.ts'

type SuspenseAccess = Pick<MediationContext, 'store' | 'order'>

/** Suspends CDRs with their whole text. A CDR has one entry, even if it comes again or in another format. */
export const suspendParts = (access: SuspenseAccess, refused: readonly Refused[]): Promise<void> =>
  putSuspended(
    access.store,
    refused.map((one) => suspenseEntry(access, one)),
  )

/** Tells admins of suspended CDRs, at most once an hour, with the counts of the hour's first batch. */
export function notifySuspended(
  { store, settings, now }: MediationContext,
  refused: readonly Refused[],
): Promise<void> {
  const reasons: Record<string, number> = {}
  for (const { problem } of refused) reasons[problem.reason] = (reasons[problem.reason] ?? 0) + 1
  const hour = Math.floor(now / HOUR_SECONDS)
  const event = {
    type: 'suspense.grown',
    owner: ADMIN_ACCOUNT,
    at: new Date(now * 1000),
    subject: String(hour),
    data: { count: refused.length, reasons },
  } as const
  return notifyMarked(store, settings, { subject: 'suspense', mark: 'grown_hour', value: hour, event })
}

/** Suspends a whole document without parsing it. */
export const suspendDocument = (
  access: SuspenseAccess,
  document: CdrDocument,
  problem: Problem,
): Promise<void> =>
  suspendParts(access, [
    { part: { document, found: { kind: 'problem', ...problem }, text: () => document.text }, problem },
  ])

/** In UTF-8 bytes. Suspense keeps texts up to this size; of a larger one it keeps the place (`object`). */
export const MAX_SUSPENDED_BYTES = 4_000_000

const MAX_DETAIL_CHARACTERS = 1000

/** The entry of a CDR with its whole text. */
export function suspenseEntry(
  { order }: Pick<MediationContext, 'order'>,
  { part, problem: { reason, detail } }: Refused,
): NewSuspendedCdr {
  const { format, source, object } = part.document
  const text = part.text()
  const bytes = Buffer.byteLength(text)
  const isTooLarge = bytes > MAX_SUSPENDED_BYTES
  return {
    id: entryIdOf(part),
    format,
    source,
    ...writingOf(part.document),
    ...(part.asksLengths && { lengths: 'ask' as const }),
    ...callColumnsOf(part.found),
    reason,
    detail: cutText(detail, MAX_DETAIL_CHARACTERS),
    order: part.order ?? order,
    bytes,
    text: isTooLarge ? '' : text.toWellFormed(),
    object: isTooLarge || text === '' ? object : undefined,
  }
}

function callColumnsOf(found: Found): Partial<Pick<NewSuspendedCdr, 'start' | 'src' | 'dst'>> {
  if (found.kind === 'cdr' || found.kind === 'leg') return numbersOf(found.cdr.start, found.cdr)
  return found.kind === 'dialog_event' ? numbersOf(found.event.at, found.event) : {}
}

const numbersOf = (start: number, { src, dst }: Pick<Cdr, 'src' | 'dst'>) => ({
  start,
  src: cutText(src, MAX_NUMBER_CHARACTERS),
  dst: cutText(dst, MAX_NUMBER_CHARACTERS),
})
