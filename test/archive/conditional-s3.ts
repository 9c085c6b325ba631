import type { IncomingHttpHeaders } from 'node:http'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { buildApp } from 'fauxqs'
import { onTestFinished } from 'vitest'

export const ARCHIVE_BUCKET = 'archive'

/** A server with the protocol of S3 that has an empty bucket. It stops with the test. */
export interface LocalS3 {
  readonly client: S3Client
}

/** The client of a server, whose bucket is made. */
export async function archiveClient(endpoint: string): Promise<S3Client> {
  const credentials = { accessKeyId: 'key', secretAccessKey: 'key' }
  const client = new S3Client({ region: 'eu-central-1', endpoint, forcePathStyle: true, credentials })
  onTestFinished(() => client.destroy())
  await client.send(new CreateBucketCommand({ Bucket: ARCHIVE_BUCKET }))
  return client
}

/**
 * S3 in this process. fauxqs ignores the conditions of a PutObject, so a hook keeps them as S3 does:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
 */
export async function aConditionalS3(): Promise<LocalS3 & { readonly conflict: () => void }> {
  const app = buildApp({ logger: false })
  let isBusy = false
  const etagOf = async (url: string) => {
    const { statusCode, headers } = await app.inject({ method: 'HEAD', url: url.replace(/\?.*/, '') })
    return statusCode === 200 ? String(headers['etag']) : undefined
  }
  app.addHook('preHandler', async ({ method, url, headers }, reply) => {
    if (method !== 'PUT') return
    const refusal = isBusy ? CONFLICT : refusalOf(headers, await etagOf(url))
    if (refusal) await reply.status(refusal.status).type('application/xml').send(errorOf(refusal.code))
  })
  const client = await archiveClient(await app.listen({ port: 0, host: '127.0.0.1' }))
  onTestFinished(() => app.close())
  return {
    client,
    conflict: () => {
      isBusy = true
    },
  }
}

const CONFLICT = { status: 409, code: 'ConditionalRequestConflict' }
const FAILED = { status: 412, code: 'PreconditionFailed' }

/** The refusal of a write whose condition does not hold. */
function refusalOf(
  { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: IncomingHttpHeaders,
  etag: string | undefined,
): typeof FAILED | undefined {
  if (ifMatch !== undefined && etag === undefined) return { status: 404, code: 'NoSuchKey' }
  if (ifMatch !== undefined && ifMatch !== etag) return FAILED
  return ifNoneMatch === '*' && etag !== undefined ? FAILED : undefined
}

const errorOf = (code: string): string => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`
