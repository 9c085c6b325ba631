import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { importPath } from '#lib/dataset/folder.ts'
import { esbuildOptions } from '#lib/local/bundles.ts'
import { demoDataset } from '#lib/local/data-folder.ts'
import { createTable, type Engine, startEngine } from '#lib/local/engine.ts'
import { root } from '#lib/local/function-files.ts'
import { createClient } from '#lib/store/client.ts'
import { createMeter } from '#lib/store/meter.ts'
import { createStore } from '#lib/store/store.ts'

const FOLDER = `${root}.build/cold-start`
const METHOD = 'functions/devices/devices_get'
const TABLE = 'cold-start'
const ROUNDS = 31

/** A Lambda that does nothing but have a client, built as ours are. */
const BARE = `import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
const client = new DynamoDBClient({})
export const handler = async () => ({ statusCode: 200, body: typeof client })`

const ONLY_IMPORT = 'require(process.env.BUNDLE); process.exit(0)'

const FIRST_ANSWER = `require(process.env.BUNDLE)
  .handler(require(process.env.EVENT), { awsRequestId: '1', getRemainingTimeInMillis: () => 28000 })
  .then(({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))`

/** What is measured, in milliseconds of a whole process. */
interface Measured {
  readonly nothing: number
  readonly bare: number
  readonly ours: number
  readonly importDefaults: number
  readonly importOurs: number
}

export interface ColdStart extends Measured {
  /** Our first answer over that of a bare Lambda; at most 1.3. */
  readonly overBare: number
  /** Our import over that of the same method bundled with esbuild's defaults; at most 0.6. */
  readonly overDefaults: number
}

/** Starts a process for each sample, the kinds in turn, and compares their medians. */
export async function run(): Promise<ColdStart> {
  const bundles = await buildBundles()
  const engine = await startEngine()
  try {
    await fillTable(engine)
    const measured = await measure(bundles, environmentFor(engine))
    return { ...measured, ...ratios(measured) }
  } finally {
    await engine.stop()
  }
}

const ratios = ({ nothing, bare, ours, importDefaults, importOurs }: Measured) => ({
  overBare: ours / bare,
  overDefaults: (importOurs - nothing) / (importDefaults - nothing),
})

type Bundles = Readonly<Record<'bare' | 'defaults' | 'ours', string>>

async function buildBundles(): Promise<Bundles> {
  await mkdir(FOLDER, { recursive: true })
  const method: BuildOptions = { entryPoints: [`${METHOD}.ts`] }
  const bare: BuildOptions = { stdin: { contents: BARE, resolveDir: root } }
  const defaults: BuildOptions = { bundle: true, platform: 'node' }
  return {
    bare: await bundle('bare', { ...esbuildOptions(), ...bare }),
    defaults: await bundle('defaults', { ...defaults, ...method }),
    ours: await bundle('ours', { ...esbuildOptions(), ...method }),
  }
}

async function bundle(name: string, options: BuildOptions): Promise<string> {
  const outfile = `${FOLDER}/${name}.cjs`
  await build({ ...options, absWorkingDir: root, outfile, logLevel: 'silent' })
  return outfile
}

async function fillTable({ endpoint }: Engine): Promise<void> {
  const client = createClient({ endpoint, tableName: TABLE })
  await createTable(client, TABLE)
  const store = createStore({ client, tableName: TABLE, meter: createMeter() })
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
  TABLE_NAME: TABLE,
  DYNAMODB_ENDPOINT: endpoint,
  EVENT: `${root}events/devices_get.json`,
})

async function measure(bundles: Bundles, environment: NodeJS.ProcessEnv): Promise<Measured> {
  const sample = (script: string, path = '') => timeOf(script, { ...environment, BUNDLE: path })
  const kinds: Readonly<Record<keyof Measured, () => Promise<number>>> = {
    nothing: () => sample(''),
    bare: () => sample(FIRST_ANSWER, bundles.bare),
    ours: () => sample(FIRST_ANSWER, bundles.ours),
    importDefaults: () => sample(ONLY_IMPORT, bundles.defaults),
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
  const [code] = await once(spawn(process.execPath, ['-e', script], { env, stdio: 'inherit' }), 'exit')
  if (code !== 0) throw new Error(`A cold start ended with ${code}: ${env['BUNDLE']}`)
  return performance.now() - start
}

const median = (times: readonly number[]): number =>
  [...times].sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0

/** Lines of bench/results.md. */
export function report(cold: ColdStart): string {
  const ms = (time: number) => `${time.toFixed(1)} ms`
  return [
    '| cold start, medians of one run | | |',
    '| --- | --- | --- |',
    `| node alone | ${ms(cold.nothing)} | |`,
    `| a bare Lambda with the DynamoDB client, to its first answer | ${ms(cold.bare)} | |`,
    `| devices_get, to its first answer | ${ms(cold.ours)} | ${cold.overBare.toFixed(2)} times the bare one (at most 1.3) |`,
    `| import of devices_get bundled with esbuild's defaults | ${ms(cold.importDefaults - cold.nothing)} | |`,
    `| import of devices_get as deployed | ${ms(cold.importOurs - cold.nothing)} | ${cold.overDefaults.toFixed(2)} times (at most 0.6) |`,
    '',
  ].join('\n')
}

async function main(): Promise<void> {
  const cold = await run()
  await writeFile(`${FOLDER}/result.json`, `${JSON.stringify(cold, null, 2)}\n`)
  process.stdout.write(report(cold))
  process.exitCode = cold.overBare <= 1.3 && cold.overDefaults <= 0.6 ? 0 : 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
