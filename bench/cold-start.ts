import '#lib/local/quiet-sdk.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { importPath } from '#lib/dataset/import/folder.ts'
import { demoDataset } from '#lib/local/data-folder.ts'
import { esbuildOptions } from '#lib/local/deployment/bundles.ts'
import { root } from '#lib/local/root.ts'
import { createTable, type Engine, startEngine } from '#lib/local/server/engine.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { type Table, toMarkdown } from './report.ts'

const FOLDER = `${root}.build/cold-start`
const METHOD = 'functions/devices/devices_get'
const TABLE_NAME = 'cold-start'
const ROUNDS = 31

/** A Lambda that does nothing but have AWS's client, and one that asks the table once; both built as ours are. */
const BARE = `import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
const client = new DynamoDBClient({})
export const handler = async () => ({ statusCode: 200, body: typeof client })`

const ASKING = `import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
const client = new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT })
const Key = { PK: { S: 'SETTINGS' }, SK: { S: 'SETTINGS' } }
export const handler = async () => {
  const { Item } = await client.send(new GetItemCommand({ TableName: process.env.TABLE_NAME, Key }))
  return { statusCode: Item ? 200 : 500 }
}`

/** What a function would be that nobody has thought about: AWS's client in the place of ours. */
const OVER_AWS_CLIENT = { '#lib/store/requests/client.ts': './bench/aws-client.ts' }

const ONLY_IMPORT = 'require(process.env.BUNDLE); process.exit(0)'

const FIRST_ANSWER = `require(process.env.BUNDLE)
  .handler(require(process.env.EVENT), { awsRequestId: '1', getRemainingTimeInMillis: () => 28000 })
  .then(({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))`

/** What is measured, in milliseconds of a whole process. */
interface Measured {
  readonly nothing: number
  readonly bare: number
  readonly asking: number
  readonly ours: number
  readonly importDefaults: number
  readonly importUnminified: number
  readonly importOurs: number
}

/** Starts a process for each sample, the kinds in turn, and compares their medians. */
export async function benchColdStart(): Promise<Table> {
  const bundles = await buildBundles()
  const engine = await startEngine()
  try {
    await fillTable(engine)
    return toTable(await measure(bundles, environmentFor(engine)))
  } finally {
    await engine.stop()
  }
}

function toTable(measured: Measured): Table {
  const { nothing, bare, asking, ours, importDefaults, importUnminified, importOurs } = measured
  const times = (time: number, of: number) => `time ${(time / of).toFixed(2)}`
  return {
    title: 'Cold start: whole processes, to the first answer of devices_get',
    rows: [
      ['a bare Lambda that only creates the DynamoDB client', times(bare, bare)],
      ['node alone', times(nothing, bare)],
      ['a bare Lambda that asks the table once', times(asking, bare)],
      ['devices_get, which asks it three times (budget 1.3)', times(ours, bare)],
      [
        'its import, against the same method over AWS’s client with esbuild’s defaults (budget 0.6)',
        times(importOurs - nothing, importDefaults - nothing),
      ],
      [
        'its import, against the same sources with esbuild’s defaults',
        times(importOurs - nothing, importUnminified - nothing),
      ],
    ],
  }
}

type Bundles = Readonly<Record<'bare' | 'asking' | 'defaults' | 'unminified' | 'ours', string>>

async function buildBundles(): Promise<Bundles> {
  await mkdir(FOLDER, { recursive: true })
  const method: BuildOptions = { entryPoints: [`${METHOD}.ts`] }
  const written = (contents: string): BuildOptions => ({ stdin: { contents, resolveDir: root } })
  const defaults: BuildOptions = { bundle: true, platform: 'node' }
  return {
    bare: await bundle('bare', { ...esbuildOptions(), ...written(BARE) }),
    asking: await bundle('asking', { ...esbuildOptions(), ...written(ASKING) }),
    defaults: await bundle('defaults', { ...defaults, ...method, alias: OVER_AWS_CLIENT }),
    unminified: await bundle('unminified', { ...defaults, ...method }),
    ours: await bundle('ours', { ...esbuildOptions(), ...method }),
  }
}

async function bundle(name: string, options: BuildOptions): Promise<string> {
  const outfile = `${FOLDER}/${name}.cjs`
  await build({ ...options, absWorkingDir: root, outfile, logLevel: 'silent' })
  return outfile
}

async function fillTable({ endpoint }: Engine): Promise<void> {
  const client = createClient({ endpoint, tableName: TABLE_NAME })
  await createTable(client, TABLE_NAME)
  const store = createStore({ client, tableName: TABLE_NAME, meter: createMeter() })
  await importPath({ store, clock: () => new Date() }, demoDataset)
  client.destroy()
}

/** As in a Lambda, where the table is opened while the function initialises. */
const environmentFor = ({ endpoint }: Engine) => ({
  PATH: process.env['PATH'],
  AWS_LAMBDA_FUNCTION_NAME: 'devices_get',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  TABLE_NAME,
  DYNAMODB_ENDPOINT: endpoint,
  EVENT: `${root}events/devices_get.json`,
})

async function measure(bundles: Bundles, environment: NodeJS.ProcessEnv): Promise<Measured> {
  const sample = (script: string, path = '') => timeOf(script, { ...environment, BUNDLE: path })
  const kinds: Readonly<Record<keyof Measured, () => Promise<number>>> = {
    nothing: () => sample(''),
    bare: () => sample(FIRST_ANSWER, bundles.bare),
    asking: () => sample(FIRST_ANSWER, bundles.asking),
    ours: () => sample(FIRST_ANSWER, bundles.ours),
    importDefaults: () => sample(ONLY_IMPORT, bundles.defaults),
    importUnminified: () => sample(ONLY_IMPORT, bundles.unminified),
    importOurs: () => sample(ONLY_IMPORT, bundles.ours),
  }
  const samples = Object.entries(kinds).map(([name, take]) => ({ name, take, times: [] as number[] }))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { take, times } of samples) times.push(await take())
  }
  return Object.fromEntries(samples.map(({ name, times }) => [name, median(times)])) as unknown as Measured
}

async function timeOf(script: string, env: NodeJS.ProcessEnv): Promise<number> {
  const start = performance.now()
  const [code] = await once(spawn(process.execPath, ['-e', script], { env, stdio: 'ignore' }), 'exit')
  if (code !== 0) throw new Error(`A cold start ended with ${code}: ${env['BUNDLE']}`)
  return performance.now() - start
}

const median = (times: readonly number[]): number =>
  [...times].sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(toMarkdown(await benchColdStart()))
}
