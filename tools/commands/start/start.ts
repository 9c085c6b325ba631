import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { findAccount, firstAccountsOf } from '#lib/accounts/account.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { filesIn } from '#lib/dataset/import/folder.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { pathArgument, portOption } from '../../command-line/arguments.ts'
import { findFunctionFile } from '../../contracts/function-files.ts'
import { demoKey, exampleOf } from '../../contracts/generated-files.ts'
import { type SentParameters, signedParameters } from '../../contracts/signed-call.ts'
import { dataFilesOf, demoDataset } from '../../machine/data-folder.ts'
import { shortPath } from '../../machine/location.ts'
import { isSource } from '../../machine/program.ts'
import { agreesTo, CommandError, printLine } from '../../machine/terminal.ts'
import { type Installation, type InstallationOptions, startInstallation } from '../../server/installation.ts'

export const declare = (command: Command) =>
  command
    .description(
      'It starts an embedded DynamoDB, loads the dataset on first start, and serves the API. Edits to the source reload \
automatically, new methods included. An error in the source is reported here and by every call. Set DYNAMODB_ENDPOINT to \
use another DynamoDB, and TABLE_NAME to use another table in it than tollgate.',
    )
    .addOption(portOption('the port of the API', 3000))
    .option(
      '--data <FOLDER>',
      'the dataset, such as one from npx tollgate init (default: data/demo); each dataset has its own database, and several can run at \
once with different --port',
      pathArgument,
    )
    .option(
      '--fresh',
      'delete the stored data and load the dataset again; you are asked, except about the demo',
    )
    .option('--yes', 'delete without asking; required without a terminal')
    .option(
      '--host <ADDRESS>',
      'the address to listen on, such as 0.0.0.0 in a container (default: localhost)',
    )
    .option('--json', 'write the log of requests as JSON, as the functions do in AWS')
    .action(async ({ port, host, data, fresh = false, yes = false, json }) => {
      const dataset = data === undefined ? demoDataset : resolve(data)
      if (!existsSync(dataset))
        throw new CommandError(`There is no dataset at ${shortPath(dataset)}: npx tollgate init writes one`)
      if (!existsSync(dataFilesOf(dataset).database)) await filesIn(dataset)
      const confirmDeletion = fresh ? () => agreeToDeletion(dataset, yes) : undefined
      await start({ port, host, dataset, confirmDeletion, json, print: printLine })
    })

/** Names what `--fresh` deletes. Throws CommandError unless that is the demo's data, or it is agreed to. */
async function agreeToDeletion(dataset: string, yes: boolean): Promise<void> {
  const { database } = dataFilesOf(dataset)
  if (!existsSync(database)) return
  const { size, mtime } = statSync(database)
  const stored = `${shortPath(database)} (${(size / 1e6).toFixed(1)} MB, changed ${mtime.toISOString()})`
  printLine(`--fresh deletes everything stored for ${shortPath(dataset)}: ${stored}`)
  if (dataset === demoDataset || yes || (await agreesTo('Delete it?'))) return
  throw new CommandError('Nothing was deleted: pass --yes to delete it')
}

async function start(options: InstallationOptions): Promise<void> {
  const installation = await startInstallation(options)
  const signal = signalled()
  printLine(`Console: ${installation.url}/`)
  const from = installation.loaded ? `, just loaded from ${shortPath(options.dataset)}` : ''
  printLine(
    `Tollgate listens on ${installation.url}/api/<method>. Data: ${installation.data}${from}. Ctrl-C stops it.`,
  )
  for (const warning of installation.warnings) printLine(`Warning: ${warning}.`)
  if (!installation.isDefault)
    printLine(
      `Another installation also runs here: pass --data ${shortPath(options.dataset)} to use this one in other commands.`,
    )
  const endBuilding = isSource
    ? (await import('../../server/program-build.ts')).buildMeanwhile()
    : async () => {}
  const example =
    options.dataset === demoDataset
      ? await exampleCall(installation.url, exampleOf(EXAMPLE_METHOD), demoKey())
      : await ownExample(installation)
  if (example !== undefined) printLine(`Try: ${example}`)
  await untilTheEnd(installation, signal)
  await endBuilding()
}

const EXAMPLE_METHOD = 'devices_get'

async function exampleCall(url: string, sent: SentParameters, key: string): Promise<string> {
  const { method } = await findFunctionFile(EXAMPLE_METHOD)
  const params = signedParameters(method, sent, key)
  return `curl -d '${new URLSearchParams(params)}' ${url}/api/${method.name}`
}

/** A call of admin for the devices of a customer; `undefined` if the API is off or no account exists. */
async function ownExample({ url, store }: Installation): Promise<string | undefined> {
  const { Allow_API, API_Secret_Key } = await settingsOf(store)
  const admin = await findAccount(store, ADMIN_ACCOUNT)
  const [customer] = await firstAccountsOf(store, ADMIN_ACCOUNT, { after: ADMIN_ACCOUNT, pageSize: 1 })
  if (!Allow_API || API_Secret_Key === '' || !admin) return undefined
  const sent = { u: admin.username, user_id: String(customer?.id ?? admin.id) }
  return exampleCall(url, sent, API_Secret_Key)
}

async function untilTheEnd(installation: Installation, signal: Promise<unknown>): Promise<void> {
  const end = await Promise.race([installation.engineEnded.then(() => 'engine'), signal.then(() => 'signal')])
  await installation.stop()
  if (end === 'engine')
    throw new CommandError(
      'The embedded DynamoDB has ended: run npm start again. All answered writes are stored.',
    )
}

/** Resolves at Ctrl-C, at another signal to end, or when the npm that started this process ends. */
function signalled(): Promise<unknown> {
  return new Promise((end) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
    const parent = process.ppid
    const look = () => process.ppid === parent || end('orphaned')
    if (process.env['npm_lifecycle_event']) setInterval(look, 500).unref()
  })
}
