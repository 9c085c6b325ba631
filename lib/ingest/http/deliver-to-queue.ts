import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import pMap from 'p-map'
import { secondsOf } from '#lib/domain/calendar.ts'
import type { CdrDocument } from '#lib/mediation/formats/cdr.ts'
import { cutDocument } from '#lib/mediation/parse.ts'
import { suspendDocument } from '#lib/mediation/suspend.ts'
import { attempts, functionConfig } from '#lib/store/requests/aws-config.ts'
import type { Deliver } from './intake-door.ts'

const MESSAGES_AT_ONCE = 4

/** Bytes of a message: every queue of SQS takes 262,144. */
const LARGEST_MESSAGE = 262_144

/** UTF-8 bytes of a document in a message: as JSON it grows, mostly by its quotes. */
const LARGEST_DOCUMENT = 180_000

/** Below that it is not worth cutting a document further. */
const SMALLEST_DOCUMENT = 20_000

/** Into the queue that RECORD_QUEUE_URL names. */
export function deliverToQueue(environment: NodeJS.ProcessEnv): Deliver {
  const queue = new SQSClient({ ...attempts, ...functionConfig(environment) })
  const QueueUrl = environment['RECORD_QUEUE_URL']
  const send = (MessageBody: string) => queue.send(new SendMessageCommand({ QueueUrl, MessageBody }))
  return deliverAsMessages((messages) => pMap(messages, send, { concurrency: MESSAGES_AT_ONCE }))
}

/**
 * Sends a document as messages, cut between its CDRs where it is large. A document that is to be suspended, or a CDR too
 * large for a message, goes to suspense without a detour.
 */
export const deliverAsMessages =
  (send: (messages: readonly string[]) => Promise<unknown>): Deliver =>
  async ({ store, now, document, problem }) => {
    const suspense = { store, now: secondsOf(now) }
    if (problem) return suspendDocument(suspense, document, problem)
    const pieces = fittingPieces(document, LARGEST_DOCUMENT)
    for (const { piece, message } of pieces) {
      if (message === undefined) await suspendDocument(suspense, piece, TOO_LARGE)
    }
    await send(pieces.flatMap(({ message }) => message ?? []))
  }

const TOO_LARGE = { reason: 'too_large', detail: 'it is too large for a message of the queue' } as const

/** A piece of a document and its message; `undefined` if the piece is too large for one. */
interface QueuedPiece {
  readonly piece: CdrDocument
  readonly message: string | undefined
}

/** A document of many quotes or control characters is cut finer: as JSON each of them takes up to six bytes. */
const fittingPieces = (document: CdrDocument, mostBytes: number): QueuedPiece[] =>
  cutDocument(document, mostBytes).flatMap((piece) => {
    const message = messageOf(piece)
    if (Buffer.byteLength(message) <= LARGEST_MESSAGE) return [{ piece, message }]
    return mostBytes < SMALLEST_DOCUMENT
      ? [{ piece, message: undefined }]
      : fittingPieces(piece, mostBytes / 4)
  })

/** The message `switch_record` of a document: a message has no lists or objects in it. */
function messageOf({ format, source, zone, columns, mapping, text }: CdrDocument): string {
  return jsonOf({
    type: 'switch_record',
    format,
    source,
    document: text,
    ...(zone !== '' && { zone }),
    ...(columns && { columns: JSON.stringify(columns) }),
    ...(mapping && { mapping: JSON.stringify(mapping) }),
  })
}

/** SQS takes no message with one of these two characters, not even in well-formed UTF-8. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(value).replace(/[\uFFFE\uFFFF]/g, (character) =>
    character === '\uFFFE' ? '\\ufffe' : '\\uffff',
  )
