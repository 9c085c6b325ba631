import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import pMap from 'p-map'
import type { Problem } from '#lib/cdrs/formats/cdr.ts'
import type { CdrDocument } from '#lib/cdrs/formats/formats.ts'
import { cutDocument } from '#lib/cdrs/formats/parse.ts'
import { arrivalOrder } from '#lib/cdrs/mediation.ts'
import { suspendDocument } from '#lib/cdrs/suspense/suspend.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import { attempts, functionConfig } from '#lib/table/requests/aws-config.ts'
import type { Deliver } from './intake-endpoint.ts'

const MESSAGES_AT_ONCE = 4

/** Every queue of SQS accepts messages of this size. */
const MAX_MESSAGE_BYTES = 262_144

/** In UTF-8. The document grows as JSON, mostly because its quotes are escaped. */
const MAX_DOCUMENT_BYTES = 180_000

/** A document is not cut into smaller pieces than this. */
const MIN_PIECE_BYTES = 20_000

/** Delivers to the queue that RECORD_QUEUE_URL names. */
export function deliverToQueue(environment: NodeJS.ProcessEnv): Deliver {
  const queue = new SQSClient({ ...attempts, ...functionConfig(environment) })
  const QueueUrl = environment['RECORD_QUEUE_URL']
  const send = (MessageBody: string) => queue.send(new SendMessageCommand({ QueueUrl, MessageBody }))
  return deliverAsMessages((messages) => pMap(messages, send, { concurrency: MESSAGES_AT_ONCE }))
}

/**
 * Sends a document as messages; a large one is cut between its CDRs. A document with a problem, and a CDR too
 * large for a message, are suspended directly.
 */
export const deliverAsMessages =
  (send: (messages: readonly string[]) => Promise<unknown>): Deliver =>
  async (store, now, document, problem) => {
    const suspend = async (one: CdrDocument, why: Problem): Promise<void> => {
      // Throws over a table of another format.
      await findSettings(store)
      await suspendDocument({ store, order: arrivalOrder(now) }, one, why)
    }
    if (problem) return suspend(document, problem)
    const pieces = fittingPieces(document, MAX_DOCUMENT_BYTES)
    for (const { piece, message } of pieces) {
      if (message === undefined) await suspend(piece, TOO_LARGE)
    }
    await send(pieces.flatMap(({ message }) => message ?? []))
  }

const TOO_LARGE = { reason: 'too_large', detail: 'it is too large for a message of the queue' } as const

/**
 * The pieces of a document and their messages; `undefined` for a piece that is too large for one. A document
 * with many quotes or control characters is cut finer: as JSON each of them takes up to six bytes.
 */
const fittingPieces = (
  document: CdrDocument,
  maxBytes: number,
): { readonly piece: CdrDocument; readonly message: string | undefined }[] =>
  cutDocument(document, maxBytes).flatMap((piece) => {
    const message = messageOf(piece)
    if (Buffer.byteLength(message) <= MAX_MESSAGE_BYTES) return [{ piece, message }]
    return maxBytes < MIN_PIECE_BYTES ? [{ piece, message: undefined }] : fittingPieces(piece, maxBytes / 4)
  })

/** The message `switch_record` of a document. Messages are flat, so lists and objects are JSON texts. */
function messageOf({
  format,
  source,
  zone,
  columns,
  mapping,
  where,
  dates,
  lengths,
  codes,
  text,
}: CdrDocument): string {
  return jsonOf({
    type: 'switch_record',
    format,
    source,
    document: text,
    ...(zone !== '' && { zone }),
    ...(columns && { columns: JSON.stringify(columns) }),
    ...(mapping && { mapping: JSON.stringify(mapping) }),
    ...(where && { where: JSON.stringify(where) }),
    ...(dates && { dates }),
    ...(lengths && { lengths }),
    ...(codes && { codes }),
  })
}

/** SQS refuses U+FFFE and U+FFFF, so they are escaped. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(value).replaceAll('\uFFFE', '\\ufffe').replaceAll('\uFFFF', '\\uffff')
