import { oncePerObject } from '#lib/domain/collections.ts'
import { cutText } from '#lib/domain/text.ts'
import { type NewSuspendedCdr, putSuspended } from '#lib/store/calls/suspense.ts'
import type { Cdr, CdrDocument, DialogEvent, Found, Problem } from './formats/cdr.ts'
import { contentDigest, hexDigest, identityOf, type Mediation, type Part } from './mediation.ts'

/** A CDR that cannot be stored, and since when that is so where it was suspended earlier. */
export interface Refused {
  readonly part: Part
  readonly problem: Problem
  readonly first_seen?: number | undefined
}

type Suspense = Pick<Mediation, 'store' | 'now'>

/** Suspends CDRs with their whole text. One CDR has one entry, however often and in whatever format it comes. */
export const suspendParts = ({ store, now }: Suspense, refused: readonly Refused[]): Promise<void> =>
  putSuspended(
    store,
    refused.map((one) => entryOf(one, now)),
  )

/** Suspends a document as a whole, unread. */
export const suspendDocument = (suspense: Suspense, document: CdrDocument, problem: Problem): Promise<void> =>
  suspendParts(suspense, [
    { part: { document, found: { kind: 'problem', ...problem }, text: () => document.text }, problem },
  ])

/** The id of a CDR in suspense: made of identity and content where it can be read, otherwise of its text. */
export const entryIdOf = oncePerObject(
  ({ document: { source, format, object }, found, text }: Part): string =>
    hexDigest(nameOf(found, source) ?? `${source}\0${format}\0${text() || object}`).slice(0, 24),
)

function nameOf(found: Found, source: string): string | undefined {
  if (found.kind === 'cdr') {
    const content = contentDigest(found.cdr)
    const { uniqueid, source_part = '' } = identityOf(source, found.cdr, content)
    return JSON.stringify(['cdr', source, uniqueid, source_part, content])
  }
  if (found.kind !== 'dialog_event') return undefined
  const { callId, tags } = found.event
  return JSON.stringify(['dialog_event', source, callId, tags.toSorted(), placeOfEvent(found.event)])
}

/** The same for one event of a dialog, however often it is reported. */
export const placeOfEvent = ({ tells, at, sipStatus }: DialogEvent): string => `${tells}#${at}#${sipStatus}`

/** UTF-8 bytes of a text that suspense keeps. A larger one is named by where it is. */
export const LARGEST_SUSPENDED = 4_000_000

const LONGEST_DETAIL = 1000

function entryOf({ part, problem: { reason, detail }, first_seen }: Refused, now: number): NewSuspendedCdr {
  const { format, source, zone, columns, mapping, object } = part.document
  const text = part.text()
  const bytes = Buffer.byteLength(text)
  const isTooLarge = bytes > LARGEST_SUSPENDED
  return {
    id: entryIdOf(part),
    ...{ format, source, zone, columns, mapping },
    ...callIn(part.found),
    reason,
    detail: cutText(detail, LONGEST_DETAIL),
    first_seen,
    order: part.order,
    last_tried: now,
    bytes,
    text: isTooLarge ? '' : text.toWellFormed(),
    object: isTooLarge || text === '' ? object : undefined,
  }
}

function callIn(found: Found): Partial<Pick<NewSuspendedCdr, 'start' | 'src' | 'dst'>> {
  if (found.kind === 'cdr') return numbersOf(found.cdr.start, found.cdr)
  return found.kind === 'dialog_event' ? numbersOf(found.event.at, found.event) : {}
}

const LONGEST_NUMBER = 80

const numbersOf = (start: number, { src, dst }: Pick<Cdr, 'src' | 'dst'>) => ({
  start,
  src: cutText(src, LONGEST_NUMBER),
  dst: cutText(dst, LONGEST_NUMBER),
})
