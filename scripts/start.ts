import '#lib/local/quiet-sdk.ts'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { demoDataset, shown } from '#lib/local/data-folder.ts'
import { EngineError } from '#lib/local/engine.ts'
import { Failure } from '#lib/local/failure.ts'
import { type Installation, type InstallationOptions, startInstallation } from '#lib/local/installation.ts'

const HELP = `Runs Tollgate on this machine: an embedded DynamoDB, the dataset on first start, and the API.

  npm start [-- options]

  --port N          where the API listens (3000)
  --data <folder>   another dataset than data/demo; its data is kept apart from the demo's
  --fresh           forgets what is stored and loads the dataset anew
  --help            this text

DYNAMODB_ENDPOINT names a DynamoDB to use instead of the embedded one, TABLE_NAME the table in it (tollgate).
`

const say = (text: string) => process.stdout.write(`${text}\n`)

function readOptions(): InstallationOptions | undefined {
  const options = { port: { type: 'string' }, data: { type: 'string' }, fresh: { type: 'boolean' } } as const
  const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } })
  if (values.help) return undefined
  const port = Number(values.port ?? 3000)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Failure('--port takes a number from 1 to 65535.')
  const dataset = values.data === undefined ? demoDataset : resolve(values.data)
  if (!existsSync(dataset)) throw new Failure(`There is no dataset at ${shown(dataset)}.`)
  return { port, dataset, fresh: values.fresh ?? false }
}

async function start(options: InstallationOptions): Promise<void> {
  const installation = await startInstallation(options)
  const from = installation.loaded ? `, just loaded from ${shown(options.dataset)}` : ''
  say(
    `Tollgate listens on ${installation.url}/api/<method>. Data: ${installation.data}${from}. Ctrl-C stops it.`,
  )
  await untilItShallEnd(installation)
}

async function untilItShallEnd(installation: Installation): Promise<void> {
  const end = await Promise.race([
    installation.engineEnded.then(() => 'engine'),
    signalled().then(() => 'signal'),
  ])
  await installation.stop()
  if (end === 'engine')
    throw new Failure('The embedded DynamoDB has ended. What was answered is stored: start again.')
}

/** Ctrl-C, a polite end, or the end of the npm that started this: however it comes, the data is closed first. */
function signalled(): Promise<unknown> {
  return new Promise((end) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
    const parent = process.ppid
    const orphaned = () => process.ppid !== parent && end(undefined)
    if (process.env['npm_lifecycle_event']) setInterval(orphaned, 500).unref()
  })
}

const isForTheUser = (error: unknown): error is Error =>
  error instanceof Failure ||
  error instanceof EngineError ||
  (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))

try {
  const options = readOptions()
  if (options) await start(options)
  else say(HELP)
  process.exit(0)
} catch (error) {
  process.stderr.write(`${isForTheUser(error) ? error.message : String((error as Error).stack)}\n`)
  process.exit(1)
}
