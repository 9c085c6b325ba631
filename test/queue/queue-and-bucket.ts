import { readFileSync } from 'node:fs'
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { buildApp } from 'fauxqs'
import { onTestFinished, vi } from 'vitest'
import { parse } from 'yaml'
import {
  consumeAll,
  consumeBatch,
  type EventSource,
  type HandledBatch,
  type QueueHandler,
} from '#test/queue/event-source.ts'
import { root } from '#tools/machine/program.ts'

const readTemplate = (name: string) =>
  parse(readFileSync(`${root}infra/${name}.yml`, 'utf8'), { merge: true })

/** The queues and the bucket of the template, under their logical names. */
const { Resources } = readTemplate('ingest')
const functions = readTemplate('ingest-functions')
const queues = Object.keys(Resources).filter((name) => Resources[name].Type === 'AWS::SQS::Queue')

const BUCKET = 'imports'

const REGION = 'eu-central-1'
const ACCOUNT = '000000000000'

/** In bytes. The limit of older queues: newer ones take 1 MiB. */
const MAX_MESSAGE_BYTES = 262_144

/** A message becomes visible again this number of times faster than in AWS: after 50 ms instead of 360 s. */
const SPEED_UP = 7200

/** The queues and the bucket of infra/ingest.yml in this process. The queues have their logical names. */
export interface QueueAndBucket {
  /** The environment of a function of infra/ingest-functions.yml. */
  environment(functionName: string): NodeJS.ProcessEnv
  /** Calls the handler as the event source mapping of the function does, until its queue is empty. */
  consume(functionName: string, handler: QueueHandler): Promise<HandledBatch[]>
  /** Calls the handler with one batch, if there is one. */
  consumeBatch(functionName: string, handler: QueueHandler): Promise<HandledBatch[]>
  send(queue: string, ...bodies: readonly string[]): Promise<void>
  /** The texts of the messages in a queue, visible or in flight. The queue stays as it is. */
  messagesIn(queue: string): Promise<string[]>
  /** Moves every message of a dead-letter queue into a queue, as new messages: like StartMessageMoveTask. */
  redrive(deadLetters: string, queue: string): Promise<void>
  /** Returns when the notification is in its queue. */
  put(key: string, body: string | Uint8Array): Promise<void>
  /** The keys that begin with a prefix. */
  keys(prefix: string): Promise<string[]>
  /** The text of an object. */
  read(key: string): Promise<string>
}

interface Options {
  /** Smaller where several consumers work at once: a message stays invisible while one of them has it. */
  readonly speedUp?: number
}

/** Starts on a free port of 127.0.0.1 and stops with the test. */
export async function aQueueAndBucket({ speedUp = SPEED_UP }: Options = {}): Promise<QueueAndBucket> {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'key')
  const services = await startServices()
  const { origin } = services
  await createAll(services)
  const source = (functionName: string) => eventSource(services, functionName, speedUp)
  return {
    environment: (functionName) => environmentOf(origin, functionName),
    consume: (functionName, handler) => consumeAll(source(functionName), handler),
    consumeBatch: (functionName, handler) => consumeBatch(source(functionName), handler),
    send: async (queue, ...bodies) => {
      for (const body of bodies) await sendMessage(services, queue, body)
    },
    messagesIn: (queue) => inspect(origin, queue),
    redrive: (deadLetters, queue) => redrive(services, deadLetters, queue),
    ...objectsOf(services),
  }
}

interface LocalServices {
  readonly origin: string
  readonly sqs: SQSClient
  readonly s3: S3Client
  /** The notifications so far, of which the last may still be on their way. */
  readonly notified: readonly Promise<void>[]
}

const urlOf = (origin: string, queue: string): string => `${origin}/${ACCOUNT}/${queue}`

const arnOf = (queue: string): string => `arn:aws:sqs:${REGION}:${ACCOUNT}:${queue}`

/** `startFauxqs` listens on all addresses of the machine, so this starts the server of `buildApp` itself. */
async function startServices(): Promise<LocalServices> {
  const app = buildApp({ logger: false })
  const notified: Promise<void>[] = []
  // Synchronous: with an answer that waits, fauxqs answers twice.
  app.addHook('onSend', ({ method, url, headers }, reply, _payload, done) => {
    const key = reply.statusCode === 200 && method === 'PUT' ? keyIn(url) : ''
    const size = Number(headers['x-amz-decoded-content-length'] ?? headers['content-length'])
    if (key !== '') notified.push(notify(services, { key, size, etag: String(reply.getHeader('etag')) }))
    done()
  })
  app.addHook('preHandler', async ({ body }) => renameQueue(body))
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' })
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', endpoint)
  const services = {
    origin: endpoint,
    sqs: new SQSClient({ region: REGION, endpoint }),
    s3: new S3Client({ region: REGION, endpoint, forcePathStyle: true }),
    notified,
  }
  onTestFinished(async () => {
    services.sqs.destroy()
    services.s3.destroy()
    await app.close()
  })
  return services
}

/**
 * fauxqs knows a queue by a URL under `sqs.<region>.localhost`, a name that not every machine resolves. AWS
 * reads only the path of a queue's URL.
 */
function renameQueue(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('QueueUrl' in body)) return
  const { port, pathname } = new URL(String(body.QueueUrl))
  body.QueueUrl = `http://sqs.${REGION}.localhost:${port}${pathname}`
}

const { QueueConfigurations: notifications } = Resources.ImportBucket.Properties.NotificationConfiguration

/** A part of the template with the names and addresses of queues in place of references. */
const resolved = (part: object, origin: string) =>
  JSON.parse(JSON.stringify(part), (_name, value) => {
    if (value?.['Fn::GetAtt']) return arnOf(value['Fn::GetAtt'][0])
    return value?.Ref ? urlOf(origin, value.Ref) : value
  })

async function createAll(services: LocalServices): Promise<void> {
  for (const queue of queues) await createQueue(services, queue)
  await services.s3.send(new CreateBucketCommand({ Bucket: BUCKET }))
  const test = JSON.stringify({ Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: BUCKET })
  for (const { Queue } of notifications) await sendMessage(services, queueOf(Queue), test)
}

const queueOf = (arn: Readonly<Record<'Fn::GetAtt', readonly [string, 'Arn']>>): string =>
  arn['Fn::GetAtt'][0]

async function createQueue({ origin, sqs }: LocalServices, name: string): Promise<void> {
  const { VisibilityTimeout, MessageRetentionPeriod, RedrivePolicy } = resolved(
    Resources[name].Properties,
    origin,
  )
  const Attributes = {
    MaximumMessageSize: String(MAX_MESSAGE_BYTES),
    MessageRetentionPeriod: String(MessageRetentionPeriod),
    ...(VisibilityTimeout && { VisibilityTimeout: String(VisibilityTimeout) }),
    ...(RedrivePolicy && { RedrivePolicy: JSON.stringify(RedrivePolicy) }),
  }
  await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes }))
}

/** A queue takes whole seconds and a receive takes fractions, so the speed-up is the poller's. */
function eventSource({ origin, sqs }: LocalServices, functionName: string, speedUp: number): EventSource {
  const { arn, batchSize } = functions[functionName].events[0].sqs
  const name = queueOf(arn)
  return {
    client: sqs,
    queueUrl: urlOf(origin, name),
    queueArn: arnOf(name),
    batchSize,
    visibilitySeconds: Resources[name].Properties.VisibilityTimeout / speedUp,
  }
}

function environmentOf(origin: string, functionName: string): NodeJS.ProcessEnv {
  const references = Object.entries<object | string>(functions[functionName].environment ?? {}).filter(
    ([, value]) => typeof value === 'object',
  )
  return {
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_REGION: REGION,
    S3_ENDPOINT: origin,
    ...resolved(Object.fromEntries(references), origin),
  }
}

async function sendMessage({ origin, sqs }: LocalServices, queue: string, body: string): Promise<void> {
  await sqs.send(new SendMessageCommand({ QueueUrl: urlOf(origin, queue), MessageBody: body }))
}

/** An address of fauxqs itself: SQS has no request that looks at a message and leaves its receive count. */
async function inspect(origin: string, queue: string): Promise<string[]> {
  const response = await fetch(`${origin}/_fauxqs/queues/${queue}`)
  const { messages } = (await response.json()) as Inspected
  return [...messages.ready, ...messages.inflight.map(({ message }) => message)].map(({ body }) => body)
}

interface Inspected {
  readonly messages: {
    readonly ready: readonly { readonly body: string }[]
    readonly inflight: readonly { readonly message: { readonly body: string } }[]
  }
}

/** fauxqs has no StartMessageMoveTask. */
async function redrive(services: LocalServices, deadLetters: string, queue: string): Promise<void> {
  const { origin, sqs } = services
  const QueueUrl = urlOf(origin, deadLetters)
  const count = (await inspect(origin, deadLetters)).length
  for (let moved = 0; moved < count; moved += 1) {
    const { Messages: [message] = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }))
    await sendMessage(services, queue, message?.Body ?? '')
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }))
  }
}

const objectsOf = ({ s3, notified }: LocalServices): Pick<QueueAndBucket, 'put' | 'keys' | 'read'> => ({
  put: async (key, body) => {
    await s3.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: body }))
    await Promise.all(notified)
  },
  keys: async (prefix) => {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: prefix }))
    return Contents.map(({ Key = '' }) => Key)
  },
  read: async (key) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }))
    return (await Body?.transformToString()) ?? ''
  },
})

/** An object that was put. The ETag has quotes. */
interface PutObject {
  readonly key: string
  readonly size: number
  readonly etag: string
}

/** The key in the path of a request; blank for a request about the bucket. */
const keyIn = (url: string): string => decodeURIComponent(/^\/[^/?]+\/([^?]*)/.exec(url)?.[1] ?? '')

/** fauxqs has no notifications. */
async function notify(services: LocalServices, object: PutObject): Promise<void> {
  for (const { Queue, Filter } of notifications) {
    const isTold = object.key.startsWith(Filter.S3Key.Rules[0].Value)
    if (isTold) await sendMessage(services, queueOf(Queue), JSON.stringify(createdEvent(object)))
  }
}

/** In the shape of S3's event version 2.1. */
const createdEvent = ({ key, size, etag }: PutObject): object => ({
  Records: [
    {
      eventVersion: '2.1',
      eventSource: 'aws:s3',
      awsRegion: REGION,
      eventTime: '2026-03-10T12:00:00.000Z',
      eventName: 'ObjectCreated:Put',
      s3: {
        s3SchemaVersion: '1.0',
        bucket: { name: BUCKET, arn: `arn:aws:s3:::${BUCKET}` },
        object: { key: encodedKey(key), size, eTag: etag.replaceAll('"', '') },
      },
    },
  ],
})

/** S3 encodes a key as in a form and leaves the slashes. */
const encodedKey = (key: string): string =>
  encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/')
