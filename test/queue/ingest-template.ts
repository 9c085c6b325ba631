import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { memoize } from '#lib/domain/collections.ts'
import { root } from '#tools/machine/location.ts'

interface Resources {
  readonly Resources: Readonly<Record<string, Resource>>
}

interface Resource {
  readonly Type: string
  readonly Properties: unknown
}

interface QueueProperties {
  readonly VisibilityTimeout?: number
  readonly MessageRetentionPeriod: number
  readonly RedrivePolicy?: { readonly deadLetterTargetArn: ArnOf; readonly maxReceiveCount: number }
}

interface BucketProperties {
  readonly NotificationConfiguration: { readonly QueueConfigurations: readonly QueueConfiguration[] }
}

interface QueueConfiguration {
  readonly Event: string
  readonly Queue: ArnOf
  readonly Filter: { readonly S3Key: { readonly Rules: readonly [{ Name: 'prefix'; Value: string }] } }
}

interface IngestFunction {
  readonly environment?: Readonly<Record<string, string | { readonly Ref: string }>>
  readonly events: readonly { readonly sqs?: { readonly arn: ArnOf; readonly batchSize: number } }[]
}

interface ArnOf {
  readonly 'Fn::GetAtt': readonly [name: string, attribute: 'Arn']
}

/** A queue under its logical name, which `deadLetters` is as well. */
export interface TemplateQueue {
  readonly name: string
  readonly visibilitySeconds?: number
  readonly retentionSeconds: number
  readonly redrive?: { readonly deadLetters: string; readonly maxReceiveCount: number }
}

/** The event source mapping of a function. */
export interface TemplateSource {
  readonly queue: string
  readonly batchSize: number
}

const read = memoize((file: string): unknown =>
  parse(readFileSync(`${root}infra/${file}`, 'utf8'), { merge: true }),
)

const nameIn = ({ 'Fn::GetAtt': [name] }: ArnOf): string => name

const resources = (type: string): [name: string, properties: unknown][] =>
  Object.entries((read('ingest.yml') as Resources).Resources).flatMap(([name, resource]) =>
    resource.Type === type ? [[name, resource.Properties]] : [],
  )

/** The queues of infra/ingest.yml. */
export const templateQueues = (): TemplateQueue[] =>
  resources('AWS::SQS::Queue').map(([name, properties]) => {
    const { VisibilityTimeout, MessageRetentionPeriod, RedrivePolicy } = properties as QueueProperties
    return {
      name,
      retentionSeconds: MessageRetentionPeriod,
      ...(VisibilityTimeout !== undefined && { visibilitySeconds: VisibilityTimeout }),
      ...(RedrivePolicy && {
        redrive: {
          deadLetters: nameIn(RedrivePolicy.deadLetterTargetArn),
          maxReceiveCount: RedrivePolicy.maxReceiveCount,
        },
      }),
    }
  })

/** The queue that the bucket of infra/ingest.yml tells about new objects, by the prefix of their keys. */
export const templateNotifications = (): { readonly prefix: string; readonly queue: string }[] =>
  resources('AWS::S3::Bucket').flatMap(([, properties]) =>
    (properties as BucketProperties).NotificationConfiguration.QueueConfigurations.map(
      ({ Queue, Filter }) => ({
        prefix: Filter.S3Key.Rules[0].Value,
        queue: nameIn(Queue),
      }),
    ),
  )

const functionNamed = (name: string): IngestFunction => {
  const found = (read('ingest-functions.yml') as Readonly<Record<string, IngestFunction>>)[name]
  if (!found) throw new Error(`infra/ingest-functions.yml has no function ${name}`)
  return found
}

/** The queue that a function of infra/ingest-functions.yml consumes. */
export function templateSource(functionName: string): TemplateSource {
  const [source] = functionNamed(functionName).events.flatMap(({ sqs }) => (sqs ? [sqs] : []))
  if (!source) throw new Error(`${functionName} consumes no queue`)
  return { queue: nameIn(source.arn), batchSize: source.batchSize }
}

/** The environment variables of a function that name a queue, with its logical name. */
export const templateQueueVariables = (functionName: string): [variable: string, queue: string][] =>
  Object.entries(functionNamed(functionName).environment ?? {}).flatMap(([variable, value]) =>
    typeof value === 'object' ? [[variable, value.Ref]] : [],
  )
