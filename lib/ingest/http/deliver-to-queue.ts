import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import pMap from 'p-map'
import { attempts, functionConfig } from '#lib/store/requests/aws-config.ts'
import type { Deliver } from './intake-door.ts'

const MESSAGES_AT_ONCE = 4

/** Into the queue that RECORD_QUEUE_URL names. */
export function deliverToQueue(environment: NodeJS.ProcessEnv): Deliver {
  const queue = new SQSClient({ ...attempts, ...functionConfig(environment) })
  const QueueUrl = environment['RECORD_QUEUE_URL']
  const send = (MessageBody: string) => queue.send(new SendMessageCommand({ QueueUrl, MessageBody }))
  return async (messages) => void (await pMap(messages, send, { concurrency: MESSAGES_AT_ONCE }))
}
