import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { aServer } from '#test/server.ts'
import { awsFileStore } from './file-store.ts'

const PART = '{"type":"file_part"}'

/** The queue answers with the digest of the message. */
const ANSWERS: Readonly<Record<string, string>> = {
  GET: 'some bytes',
  POST: JSON.stringify({ MD5OfMessageBody: createHash('md5').update(PART).digest('hex') }),
}

/** The answer of S3 to a request with another ETag. */
const CHANGED = `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>PreconditionFailed</Code><Message>At least one of the pre-conditions you specified did not hold</Message></Error>`

test('requests to the bucket and to the queue are signed', async () => {
  const server = await aServer(({ method, headers }, response) => {
    const isGone = headers['if-match'] === '"old"'
    response.statusCode = isGone ? 412 : 200
    response.end(isGone ? CHANGED : (ANSWERS[method] ?? ''))
  })
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'key')
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', server.origin)
  const files = awsFileStore({
    AWS_LAMBDA_FUNCTION_NAME: 'ingest_files',
    AWS_REGION: 'eu-central-1',
    S3_ENDPOINT: server.origin,
    FILE_QUEUE_URL: `${server.origin}/123/files`,
  })
  const file = { bucket: 'b', key: 'records/a b/calls.csv', etag: 'etag' }

  expect((await buffer(await files.read(file, { from: 5, to: 10 }))).toString()).toBe('some bytes')
  await expect(files.read({ ...file, etag: 'old' })).rejects.toMatchObject({ code: 'object_changed' })
  await files.write('b', 'rejected/x.csv', 'id,reason\n')
  await files.enqueue({ type: 'file_part' })

  const authorization = expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=key\//)
  expect(server.arrived).toMatchObject([
    {
      method: 'GET',
      path: '/b/records/a%20b/calls.csv?x-id=GetObject',
      headers: { range: 'bytes=5-9', 'if-match': '"etag"', authorization },
    },
    { headers: { 'if-match': '"old"' } },
    {
      method: 'PUT',
      path: '/b/rejected/x.csv?x-id=PutObject',
      headers: { authorization, 'content-type': 'text/csv; charset=utf-8' },
      body: 'id,reason\n',
    },
    {
      method: 'POST',
      path: '/',
      headers: {
        authorization: expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=key\/\d+\/eu-central-1\/sqs\/aws4_request/,
        ),
        'x-amz-target': 'AmazonSQS.SendMessage',
      },
      body: JSON.stringify({ QueueUrl: `${server.origin}/123/files`, MessageBody: PART }),
    },
  ])
})
