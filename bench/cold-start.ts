import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createServer } from 'node:tls'
import { type BuildOptions, build } from 'esbuild'
import { importPath } from '#lib/dataset/import/folder.ts'
import type { Store } from '#lib/table/store.ts'
import { demoDataset } from '#tools/machine/data-folder.ts'
import { root } from '#tools/machine/program.ts'
import { esbuildOptions } from '#tools/server/program-build.ts'
import { limitCustomer } from './call-control.ts'
import { openBench } from './installation.ts'
import { median } from './measure.ts'
import type { BenchmarkTable } from './report.ts'

const FOLDER = `${root}.build/cold-start`
const METHOD = 'functions/devices/devices_get'
const AUTHORIZE = 'functions/ingest/authorize_call'

/** A Lambda that only loads the AWS client, and one that reads the table; both built like the methods. */
const BARE = `import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
const client = new DynamoDBClient({})
export const handler = async () => ({ statusCode: 200, body: typeof client })`

const asking = (times: number) => `import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
const client = new DynamoDBClient({})
const Key = { PK: { S: 'SETTINGS' }, SK: { S: 'SETTINGS' } }
export const handler = async () => {
  const items = []
  while (items.length < ${times}) items.push(await client.send(new GetItemCommand({ TableName: process.env.TABLE_NAME, Key })))
  return { statusCode: items.every(({ Item }) => Item) ? 200 : 500 }
}`

/** Writes the processor time of a process to its descriptor 3 when it ends, in microseconds. */
const TELL_PROCESSOR_TIME = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  require('node:fs').writeSync(3, String(user + system))
})
`

const FIRST_ANSWER = `const event = require(process.env.EVENT)
event.headers['Accept-Encoding'] = 'gzip'
require(process.env.BUNDLE)
  .handler(event, { awsRequestId: '1', getRemainingTimeInMillis: () => 28000 })
  .then(({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))`

/** The started processes, each with its expected answer. */
const KINDS = {
  asking: 'a bare Lambda over AWS’s client that asks the table once',
  askingAsOften: 'the same that asks three times, as devices_get does',
  askingSixTimes: 'the same that asks six times, as a first authorisation does',
  nothing: 'node alone',
  bare: 'a bare Lambda that only creates the client',
  ours: 'devices_get, which asks twice after opening the table (budget 1.2)',
  defaults: 'devices_get with esbuild’s defaults',
  authorize: 'authorize_call, which holds money for a call (budget 1.15 of the one that asks six times)',
} as const

type Kind = keyof typeof KINDS

/** The costs of a whole process: its duration in milliseconds, and its processor time in microseconds. */
interface Costs {
  readonly time: number
  readonly processor: number
}

type Samples = Record<Kind, Costs[]>

/** Starts a process for each sample, alternating between the kinds, and compares the medians. */
export async function benchColdStart(rounds: number): Promise<BenchmarkTable> {
  const bundles = await buildBundles()
  const clock = () => new Date()
  const { endpoint, tableName, store, stop } = await openBench(clock)
  const front = await startTlsFront(endpoint)
  try {
    await importPath({ store, clock }, demoDataset)
    const event = await writeAuthorizeEvent(store)
    return toTable(await measure(bundles, environmentFor(front, tableName), { rounds, event }))
  } finally {
    front.stop()
    await stop()
  }
}

const toTable = (samples: Samples): BenchmarkTable => ({
  title: `Cold start: whole processes of Node ${process.versions.node.split('.')[0]} to the first answer, the table over TLS`,
  rows: kinds.map((kind) => [
    KINDS[kind],
    `time ${ratio(samples, kind, 'time')}, processor ${ratio(samples, kind, 'processor')}`,
  ]),
})

/** Against the bare Lambda that asks once. */
const ratio = (samples: Samples, kind: Kind, cost: keyof Costs): string =>
  (median(samples[kind].map((one) => one[cost])) / median(samples.asking.map((one) => one[cost]))).toFixed(2)

const kinds = Object.keys(KINDS) as Kind[]

type Bundles = Readonly<Record<Exclude<Kind, 'nothing'>, string>>

async function buildBundles(): Promise<Bundles> {
  await mkdir(FOLDER, { recursive: true })
  const method: BuildOptions = { entryPoints: [`${METHOD}.ts`] }
  const written = (contents: string): BuildOptions => ({ stdin: { contents, resolveDir: root } })
  return {
    bare: await bundle('bare', { ...esbuildOptions(), ...written(BARE) }),
    asking: await bundle('asking', { ...esbuildOptions(), ...written(asking(1)) }),
    askingAsOften: await bundle('asking-as-often', { ...esbuildOptions(), ...written(asking(3)) }),
    askingSixTimes: await bundle('asking-six-times', { ...esbuildOptions(), ...written(asking(6)) }),
    ours: await bundle('ours', { ...esbuildOptions(), ...method }),
    authorize: await bundle('authorize', { ...esbuildOptions(), entryPoints: [`${AUTHORIZE}.ts`] }),
    defaults: await bundle('defaults', { bundle: true, platform: 'node', ...method }),
  }
}

async function bundle(name: string, options: BuildOptions): Promise<string> {
  const outfile = `${FOLDER}/${name}.cjs`
  await build({ ...options, absWorkingDir: root, outfile, logLevel: 'silent' })
  return outfile
}

/** A Lambda also opens the table while the function initialises. */
const environmentFor = ({ endpoint, certificate, accessKey }: TlsFront, tableName: string) => ({
  NODE_EXTRA_CA_CERTS: certificate,
  PATH: process.env['PATH'],
  AWS_LAMBDA_FUNCTION_NAME: 'devices_get',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: accessKey,
  AWS_SECRET_ACCESS_KEY: 'local',
  TABLE_NAME: tableName,
  // AWS's own variable: the client then signs its requests, as it does in AWS.
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  // Without this, an endpoint in the environment is looked for in files first. In AWS a function has neither.
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'false',
  EVENT: `${root}events/devices_get.json`,
})

/** Writes a switch's request for a limited customer: the first process holds money, others find the hold. */
async function writeAuthorizeEvent(store: Store): Promise<string> {
  const eventOf = await limitCustomer(store)
  const file = `${FOLDER}/authorize.json`
  await writeFile(file, JSON.stringify(eventOf('authorize', 'cold')))
  return file
}

async function measure(
  bundles: Bundles,
  environment: NodeJS.ProcessEnv,
  { rounds, event }: { readonly rounds: number; readonly event: string },
): Promise<Samples> {
  const take = (kind: Kind) =>
    kind === 'nothing'
      ? costsOf('', environment)
      : costsOf(FIRST_ANSWER, {
          ...environment,
          BUNDLE: bundles[kind],
          ...(kind === 'authorize' && { EVENT: event }),
        })
  const samples = Object.fromEntries(kinds.map((kind): [Kind, Costs[]] => [kind, []])) as Samples
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of kinds) samples[kind].push(await take(kind))
  }
  return samples
}

async function costsOf(script: string, env: NodeJS.ProcessEnv): Promise<Costs> {
  const start = performance.now()
  const child = spawn(process.execPath, ['-e', TELL_PROCESSOR_TIME + script], {
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const told = text(child.stdio[3] as Readable)
  const [code] = await once(child, 'exit')
  const time = performance.now() - start
  if (code !== 0) throw new Error(`A cold start ended with ${code}: ${env['BUNDLE']}`)
  return { time, processor: Number(await told) }
}

/** TLS in front of a local server, as DynamoDB has it in AWS. */
interface TlsFront {
  readonly endpoint: string
  /** The certificate, a file for NODE_EXTRA_CA_CERTS. */
  readonly certificate: string
  /** The engine admits no other one. */
  readonly accessKey: string
  stop(): void
}

const SUBJECT = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']

/** Forwards TLS connections to `endpoint` (http://host:port). Throws an error without openssl. */
async function startTlsFront(endpoint: string): Promise<TlsFront> {
  const { hostname, port, username: accessKey } = new URL(endpoint)
  const { key, certificate } = makeCertificate()
  const options = { key: readFileSync(key), cert: readFileSync(certificate) }
  const server = createServer(options, (client) => {
    const behind = connect(Number(port), hostname)
    client.pipe(behind).pipe(client)
    for (const socket of [client, behind]) socket.setNoDelay().on('error', () => {})
  }).listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  const own = typeof address === 'object' && address ? address.port : 0
  return { endpoint: `https://localhost:${own}`, certificate, accessKey, stop: () => server.close() }
}

/** openssl writes a certificate for localhost next to the bundles. */
function makeCertificate(): { key: string; certificate: string } {
  const [key, certificate] = [`${FOLDER}/key.pem`, `${FOLDER}/certificate.pem`]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const files = ['-keyout', key, '-out', certificate]
  execFileSync('openssl', ['req', ...kind, ...SUBJECT, ...files], { stdio: 'ignore' })
  return { key, certificate }
}
