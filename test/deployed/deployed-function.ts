import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { parse } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { memoize } from '#lib/domain/collections.ts'
import { buildBundles } from '#tools/deployment/bundles.ts'
import { root } from '#tools/machine/location.ts'
import { aRuntimeApi } from './runtime-api.ts'

const PROCESS = fileURLToPath(new URL('lambda-process.cjs', import.meta.url))
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
  LAMBDA_TASK_ROOT: '/var/task',
  TZ: ':UTC',
}

/** A packaged function in a process of its own, with the environment of a Lambda and nothing of this process. */
export interface DeployedFunction {
  /** Its answer, or `errorType` and `errorMessage` if it throws. */
  invoke(event: unknown): Promise<Readonly<Record<string, unknown>>>
}

/** AWS's runtime interface client, if infra/runtime-client.sh has brought it. CI has it. */
const RUNTIME_CLIENT = `${root}.build/runtime-client/package/index.mjs`

const hasClient = existsSync(RUNTIME_CLIENT) || Boolean(process.env['TOLLGATE_NEEDS_RUNTIME_CLIENT'])

/**
 * Starts the function with further variables of its environment and a stopped clock: in AWS's runtime interface client, otherwise
 * in our own imitation of it. It ends with the test.
 */
export async function deployedFunction(
  name: string,
  environment: NodeJS.ProcessEnv,
  moment: Date,
): Promise<DeployedFunction> {
  const env = {
    ...EVERY_LAMBDA,
    AWS_LAMBDA_FUNCTION_NAME: name,
    ...environment,
    BUNDLE: await bundlePath(name),
    MOMENT: moment.toISOString(),
  }
  return hasClient ? inClient(env, moment) : inImitation(env)
}

async function inClient(
  env: Readonly<Record<string, string | undefined>>,
  moment: Date,
): Promise<DeployedFunction> {
  const { address, invoke } = await aRuntimeApi(moment)
  const { dir, name } = parse(env['BUNDLE'] ?? '')
  const runtime = {
    LAMBDA_TASK_ROOT: dir,
    _HANDLER: `${name}.handler`,
    AWS_LAMBDA_RUNTIME_API: address,
    // It asks for events over Node's own HTTP, not through its compiled part.
    AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1: 'true',
  }
  const child = spawn(process.execPath, ['--require', PRELOAD, RUNTIME_CLIENT], {
    env: { ...env, ...runtime },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  return { invoke: (event) => Promise.race([invoke(event), endOf(child)]) }
}

async function endOf(child: ChildProcess): Promise<never> {
  await once(child, 'exit')
  throw new Error('The process of the function has ended')
}

function inImitation(env: Readonly<Record<string, string | undefined>>): DeployedFunction {
  const child = spawn(process.execPath, [PROCESS], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    invoke: async (event) => {
      child.stdin.write(`${JSON.stringify(event)}\n`)
      return nextAnswer(lines)
    },
  }
}

/** The other lines are those of the log. */
async function nextAnswer(lines: AsyncIterator<string>): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const { value, done } = await lines.next()
    if (done) throw new Error('The process of the function has ended')
    if (value.startsWith('ANSWER ')) return JSON.parse(value.slice('ANSWER '.length))
  }
}
