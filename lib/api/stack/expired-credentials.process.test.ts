import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { marshall } from '@aws-sdk/util-dynamodb'
import { expect, test } from 'vitest'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { faultyEndpoint } from '#test/faults/faulty-endpoint.ts'
import { newStamp } from '#tools/command-line/migration-progress.ts'
import { root } from '#tools/machine/program.ts'

/** Starts a process like Lambda's and makes one call. Returns its exit code and its output. */
async function run(endpoint: string) {
  const call = `const { handler } = await import('./functions/devices/devices_get.ts')
    const context = { getRemainingTimeInMillis: () => 30_000 }
    const identity = { sourceIp: '192.0.2.1' }
    const answer = await handler({ httpMethod: 'POST', headers: {}, requestContext: { identity } }, context)
    console.log('answered', answer.statusCode)`
  const environment = {
    AWS_LAMBDA_FUNCTION_NAME: 'devices_get',
    TABLE_NAME: 'any',
    DYNAMODB_ENDPOINT: endpoint,
  }
  const child = spawn(process.execPath, ['--input-type=module', '-e', call], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { code, output }
}

const STAMPED = { ...marshall(settingsKey), ...marshall(newStamp) }

test.each([
  ['while it initialises', 0],
  ['in a call', 1],
])('a Lambda whose credentials have expired ends its process: %s', async (_when, before) => {
  let requests = 0
  const { origin } = await faultyEndpoint(() =>
    requests++ < before
      ? { answer: { Responses: { any: [STAMPED] } } }
      : { refusal: 'ExpiredTokenException' },
  )

  expect(await run(origin)).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^\{"level":"ERROR",[^{}]*"error":"The credentials have expired: [^"]*"\}\n$/,
    ),
  })
})
