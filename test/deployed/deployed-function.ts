import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { memoize } from '#lib/base/collections.ts'
import { type Arrived, aServer } from '#test/server.ts'
import { buildBundles } from '#tools/deployment/bundles.ts'
import { root } from '#tools/machine/program.ts'
import { NODE_OF_LAMBDA, RUNTIME_CLIENT } from './runtime-client.ts'

const PRELOAD = fileURLToPath(new URL('runtime-preload.cjs', import.meta.url))

/** The path of a function's bundle, which is built once. */
const bundlePath = memoize(async (name: string) => {
  const [bundle] = await buildBundles([name])
  if (!bundle) throw new Error(`There is no function ${name}`)
  const folder = `${root}.build/deployed`
  await mkdir(folder, { recursive: true })
  const path = `${folder}/${name}.cjs`
  await writeFile(path, bundle.code)
  return path
})

const EVERY_LAMBDA = {
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/tollgate',
  AWS_LAMBDA_LOG_STREAM_NAME: 'stream',
  AWS_LAMBDA_LOG_FORMAT: 'JSON',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'key',
  LANG: 'en_US.UTF-8',
  TZ: ':UTC',
}

/** A packaged function in its own process, with a Lambda's environment and nothing of this one. */
export interface DeployedFunction {
  /** Its answer, or `errorType` and `errorMessage` if it throws. */
  invoke(event: unknown): Promise<RuntimeAnswer>
}

/**
 * Starts the function in AWS's runtime interface client, with further variables of its environment and a
 * stopped clock. It ends with the test.
 */
export async function deployedFunction(
  name: string,
  environment: NodeJS.ProcessEnv,
  moment: Date,
): Promise<DeployedFunction> {
  const bundle = parse(await bundlePath(name))
  const { address, invoke } = await aRuntimeApi(moment)
  const child = spawn(NODE_OF_LAMBDA, ['--require', PRELOAD, RUNTIME_CLIENT], {
    env: {
      ...EVERY_LAMBDA,
      AWS_LAMBDA_FUNCTION_NAME: name,
      ...environment,
      LAMBDA_TASK_ROOT: bundle.dir,
      _HANDLER: `${bundle.name}.handler`,
      AWS_LAMBDA_RUNTIME_API: address,
      // The client asks for events over Node's own HTTP, not through its compiled part.
      AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1: 'true',
      MOMENT: moment.toISOString(),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  return { invoke: (event) => Promise.race([invoke(event), endOf(child)]) }
}

async function endOf(child: ChildProcess): Promise<never> {
  await once(child, 'exit')
  throw new Error('The process of the function has ended')
}

/** The answer of a function. */
type RuntimeAnswer = Readonly<Record<string, unknown>>

interface Pending {
  readonly event: unknown
  readonly answer: (answer: RuntimeAnswer) => void
}

const TIMEOUT_MS = 28_000

/**
 * AWS's Runtime API for one function: its client asks for the next event and posts the answer. It stops with
 * the test. https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
async function aRuntimeApi(moment: Date) {
  const events: Pending[] = []
  const begun = new Map<string, Pending>()
  let asked: ServerResponse | undefined
  const deliver = () => {
    const next = asked && events.shift()
    if (!asked || !next) return
    const id = `request-${begun.size + 1}`
    begun.set(id, next)
    asked.writeHead(200, headersOf(id, moment)).end(JSON.stringify(next.event))
    asked = undefined
  }
  const { origin } = await aServer((request, response) => {
    const [, id = '', kind = ''] = /invocation\/([^/]+)\/?(\w*)$/.exec(request.path) ?? []
    if (id === 'next') {
      asked = response
      return deliver()
    }
    response.writeHead(202).end()
    begun.get(id)?.answer(answerIn(request, kind))
  })
  return {
    address: new URL(origin).host,
    invoke: (event: unknown): Promise<RuntimeAnswer> =>
      new Promise((answer) => {
        events.push({ event, answer })
        deliver()
      }),
  }
}

const headersOf = (id: string, moment: Date) => ({
  'Content-Type': 'application/json',
  'Lambda-Runtime-Aws-Request-Id': id,
  'Lambda-Runtime-Deadline-Ms': String(moment.getTime() + TIMEOUT_MS),
  'Lambda-Runtime-Invoked-Function-Arn': 'arn:aws:lambda:eu-central-1:000000000000:function:tollgate',
})

/** A streamed answer has its head before eight zero bytes. */
function answerIn({ headers, body }: Arrived, kind: string): RuntimeAnswer {
  const isStreamed = headers['lambda-runtime-function-response-mode'] === 'streaming'
  if (!isStreamed || kind !== 'response') return JSON.parse(body)
  const [head = '{}', ...rest] = body.split('\0'.repeat(8))
  return { ...JSON.parse(head), body: rest.join(''), streamed: true }
}
