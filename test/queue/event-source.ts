import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'

/** A queue that Lambda polls for a function. */
export interface EventSource {
  readonly client: SQSClient
  readonly queueUrl: string
  readonly queueArn: string
  readonly batchSize: number
  /** May be a fraction. */
  readonly visibilitySeconds: number
}

export type QueueHandler = (event: SQSEvent) => Promise<SQSBatchResponse>

/** A batch that a handler was given. */
export interface HandledBatch {
  readonly records: readonly SQSRecord[]
  /** The ids of the messages that stay in the queue. */
  readonly kept: readonly string[]
  /** The error that the handler threw. */
  readonly error?: unknown
}

/** SQS hands out no more messages at once. */
const MESSAGES_PER_REQUEST = 10

/** A request of the poller waits so long for a message. A message that becomes visible ends the wait. */
const WAIT_SECONDS = 0.2

/**
 * Calls the handler as Lambda's event source mapping does, until no message is left in the queue: neither a
 * visible one nor one in flight. The redrive policy of the queue ends this for messages that always fail.
 */
export async function consumeAll(source: EventSource, handler: QueueHandler): Promise<HandledBatch[]> {
  const invocations: HandledBatch[] = []
  while (await holdsMessages(source)) invocations.push(...(await consumeBatch(source, handler)))
  return invocations
}

/** Calls the handler with one batch. The result is empty if no message came in time. */
export async function consumeBatch(source: EventSource, handler: QueueHandler): Promise<HandledBatch[]> {
  const records = (await receiveBatch(source)).map((message) => recordOf(message, source))
  if (records.length === 0) return []
  const invocation = await invoke(records, handler)
  const { client, queueUrl } = source
  for (const { messageId, receiptHandle } of records) {
    const request = { QueueUrl: queueUrl, ReceiptHandle: receiptHandle }
    if (!invocation.kept.includes(messageId)) await client.send(new DeleteMessageCommand(request))
  }
  return [invocation]
}

async function invoke(records: SQSRecord[], handler: QueueHandler): Promise<HandledBatch> {
  const all = records.map(({ messageId }) => messageId)
  try {
    const { batchItemFailures } = await handler({ Records: records })
    const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
    // For Lambda an id that is not in the batch means that the whole batch has failed.
    return { records, kept: failed.every((id) => all.includes(id)) ? failed : all }
  } catch (error) {
    return { records, kept: all, error }
  }
}

/** The first request waits for a message. */
async function receiveBatch({
  client,
  queueUrl,
  visibilitySeconds,
  batchSize,
}: EventSource): Promise<Message[]> {
  const messages: Message[] = []
  for (let asked = 0; messages.length === asked && asked < batchSize; asked += MESSAGES_PER_REQUEST) {
    const request = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: Math.min(batchSize - asked, MESSAGES_PER_REQUEST),
      MessageSystemAttributeNames: ['All'],
      VisibilityTimeout: visibilitySeconds,
      WaitTimeSeconds: asked === 0 ? WAIT_SECONDS : 0,
    })
    messages.push(...((await client.send(request)).Messages ?? []))
  }
  return messages
}

const recordOf = (
  { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '', Attributes = {} }: Message,
  { queueArn }: EventSource,
): SQSRecord => ({
  messageId: MessageId,
  receiptHandle: ReceiptHandle,
  body: Body,
  md5OfBody: MD5OfBody,
  attributes: Attributes as unknown as SQSRecord['attributes'],
  messageAttributes: {},
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn,
  awsRegion: queueArn.split(':')[3] ?? '',
})

async function holdsMessages({ client, queueUrl }: EventSource): Promise<boolean> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
  )
  const { ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible } = Attributes
  return Number(ApproximateNumberOfMessages) + Number(ApproximateNumberOfMessagesNotVisible) > 0
}
