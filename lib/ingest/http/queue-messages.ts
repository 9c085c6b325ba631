import type { QueuedDocument } from '#lib/ingest/switch-records.ts'
import type { Delivery } from '#lib/ingest/switches/delivery.ts'
import { LONGEST_KEPT } from '#lib/ingest/switches/suspending.ts'
import type { Problem } from '#lib/intake/check.ts'
import { FORMATS } from '#lib/intake/formats.ts'

/** Bytes of a message, with room for what stands around them: every queue of SQS takes 262,144. */
const LARGEST_MESSAGE = 256_000

/** Bytes of one record as JSON, with room for how it was delivered. */
const LARGEST_RECORD = 200_000

/**
 * The texts of the messages that bring a document to the queue. A large one is split into its records, as many to a message
 * as fit; a record that fits into none goes to suspense, cut. With a `problem` the document is not read at all.
 */
export function messagesOf(delivery: Delivery, document: string, problem?: Problem): string[] {
  const whole = { ...cameAs(delivery), document, ...problem }
  if (sizeOf(document) <= LARGEST_RECORD) return [messageOf([whole])]
  if (problem) return [messageOf([cutDown(whole)])]
  const pieces = FORMATS[delivery.format](document, inAnyZone(delivery.origin))
  return packed(pieces.map((piece) => fitting({ ...cameAs(delivery), document: piece.document })))
}

/** The times are read again behind the queue. Here any zone serves, and a blank one is none. */
const inAnyZone = (origin: Delivery['origin']): Delivery['origin'] => ({
  ...origin,
  zone: origin.zone || 'UTC',
})

function cameAs({
  format,
  origin: { source, zone, columns, mapping },
}: Delivery): Omit<QueuedDocument, 'document'> {
  return {
    format,
    source,
    ...(zone !== '' && { zone }),
    ...(columns && { columns: JSON.stringify(columns) }),
    ...(mapping && { mapping: JSON.stringify(mapping) }),
  }
}

function fitting(record: QueuedDocument): QueuedDocument {
  const bytes = sizeOf(record.document)
  if (bytes <= LARGEST_RECORD) return record
  const detail = `its ${bytes} bytes are more than ${LARGEST_RECORD}`
  return cutDown({ ...record, reason: 'too large', detail })
}

/** No more than suspense keeps of it, and than fits. */
function cutDown(record: QueuedDocument): QueuedDocument {
  let document = record.document.slice(0, LONGEST_KEPT + 1)
  while (sizeOf(document) > LARGEST_RECORD) document = document.slice(0, document.length / 2)
  return { ...record, document }
}

function packed(records: readonly QueuedDocument[]): string[] {
  const messages: QueuedDocument[][] = []
  let left = 0
  for (const record of records) {
    const bytes = sizeOf(record)
    if (bytes > left) {
      messages.push([])
      left = LARGEST_MESSAGE
    }
    messages.at(-1)?.push(record)
    left -= bytes + 1
  }
  return messages.map(messageOf)
}

const messageOf = (records: readonly QueuedDocument[]): string => jsonOf({ type: 'switch_records', records })

const sizeOf = (value: unknown): number => Buffer.byteLength(jsonOf(value))

/** SQS takes no message with one of these two characters, not even in UTF-8 that is well formed. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(value).replace(/[\uFFFE\uFFFF]/g, (character) =>
    character === '\uFFFE' ? '\\ufffe' : '\\uffff',
  )
