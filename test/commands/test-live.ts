import { randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { createClient } from '#lib/store/requests/client.ts'
import { stopClock } from '#test/deployed/stopped-clock.cjs'
import {
  type LiveInstallation,
  leaveTable,
  refuseDataOfOthers,
  START_OF_TESTS,
} from '#test/live/installation.ts'
import { runVitest } from '#test/run-vitest.ts'
import { reportError } from '#tools/commands/error-message.ts'
import { answeringUrl, chooseTarget } from '#tools/commands/method-call.ts'
import { withTableOptions } from '#tools/commands/over-table.ts'
import { dataFolder } from '#tools/machine/data-folder.ts'
import { chooseLocation, type TableOptions } from '#tools/machine/location.ts'
import { CommandError, printLine } from '#tools/machine/terminal.ts'
import { createTable, freePort, startEngine } from '#tools/server/engine.ts'
import { serveSource } from '#tools/server/source-gateway.ts'

export const declare = (command: Command) =>
  withTableOptions(command)
    .description(
      'It sends the tests of the methods as real requests: form POST, GET and JSON. Without a URL it serves an empty table for them. \
The tests delete everything in the table of the installation, before and between them.',
    )
    .argument('[url]', 'the URL of a running installation, with or without http:// and /api')
    .option('--yes-write', 'delete what the table holds, of a prod stage as well')
    .action((url, options) => {
      if (url !== undefined) return testInstallation(url, options)
      if (Object.keys(options).length > 0)
        throw new InvalidArgumentError('Missing the URL of the installation that the options describe')
      return testOwnServer()
    })

/** In milliseconds: a second for the settings and accounts that functions keep, and some time for the indexes. */
const PAUSE_IN_AWS_MS = 1200

async function testInstallation(
  address: string,
  options: TableOptions & { readonly yesWrite?: true | undefined },
): Promise<void> {
  const url = await answeringUrl(address)
  // The URL of a local installation names its table: the tests must not empty that of another one.
  const location = options.table ? chooseLocation(options) : chooseTarget({ ...options, url }).location
  if (!location)
    throw new CommandError(
      `The tests write into the table of ${url}: name it with --table and, outside of AWS, --endpoint.`,
    )
  const live = { ...location, url, clock: 'real', pauseMs: location.endpoint ? 0 : PAUSE_IN_AWS_MS } as const
  try {
    if (!options.yesWrite) await refuseDataOfOthers(live)
    await runTests(live)
  } catch (error) {
    process.exitCode = reportError(error, location)
  }
}

/** Serves the source over an embedded engine in memory, at the moment of the tests: its functions run in this process. */
async function testOwnServer(): Promise<void> {
  stopClock(START_OF_TESTS)
  const engine = await startEngine()
  // The built functions find their packages from inside of the repository.
  const folder = `${dataFolder}/live-${randomUUID()}`
  const location = { tableName: 'live', endpoint: engine.endpoint }
  await createTable(createClient(location), location.tableName)
  const environment = { TABLE_NAME: location.tableName, DYNAMODB_ENDPOINT: engine.endpoint }
  const gateway = await serveSource({ port: await freePort(), environment, folder, tell: printLine })
  try {
    await runTests({ ...location, url: gateway.url, clock: 'stopped', pauseMs: 0 })
  } finally {
    await gateway.stop()
    await engine.stop()
  }
}

async function runTests(live: LiveInstallation): Promise<void> {
  printLine(`The tests of the methods run against ${live.url}, table ${live.tableName}.`)
  const environment = { IS_OFFLINE: undefined, TOLLGATE_LIVE: JSON.stringify(live) }
  const passed = await runVitest(['--config', 'vitest.live.config.ts'], environment)
  await leaveTable({ client: createClient(live), tableName: live.tableName })
  if (!passed) throw new CommandError('Tests have failed: see above.')
}
