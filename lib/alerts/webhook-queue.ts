import { ChangeMessageVisibilityCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs'
import { slices } from '#lib/base/collections.ts'
import { attempts, functionConfig } from '#lib/table/requests/aws-config.ts'
import type { SendMessages } from './relay.ts'
import type { HideMessage } from './sender.ts'

/** SQS's limit. */
const MESSAGES_IN_ONE_REQUEST = 10

/**
 * The queue that WEBHOOK_QUEUE_URL names. The groups of its messages are the owners of the endpoints: while
 * one of them keeps the senders busy, SQS hands out the messages of the others first (SQS fair queues).
 */
export function webhookQueue(environment: NodeJS.ProcessEnv) {
  const queue = new SQSClient({ ...attempts, ...functionConfig(environment) })
  const QueueUrl = environment['WEBHOOK_QUEUE_URL']
  const send: SendMessages = async (messages) => {
    for (const some of slices(messages, MESSAGES_IN_ONE_REQUEST)) {
      const Entries = some.map((message, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify(message),
        MessageGroupId: `owner-${message.owner}`,
      }))
      const { Failed = [] } = await queue.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
      if (Failed.length > 0)
        throw new Error(`the queue refused ${Failed.length} messages: ${Failed[0]?.Code}`)
    }
  }
  const hide: HideMessage = (ReceiptHandle, VisibilityTimeout) =>
    queue.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }))
  return { send, hide }
}
