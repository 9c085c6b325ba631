import { constants } from 'node:os'
import { type Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { accountLists, type Caller } from '#lib/accounts/account.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { inAuditLog } from '#lib/settings/audit-log.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { TableLocation } from '#lib/table/table.ts'
import {
  chooseLocation,
  defaultNotice,
  installationAt,
  refuseAnyOfSeveral,
  type TableOptions,
} from '../machine/location.ts'
import { root } from '../machine/program.ts'
import { CommandError, printNote, terminalUser } from '../machine/terminal.ts'
import { dayNamed, dayOption, pathArgument } from './arguments.ts'
import { reportError } from './error-message.ts'
import { findAccountNamed } from './named.ts'
import { openTable, regionOf } from './open-table.ts'
import { requireReadable, stampIfEmpty } from './table-stamp.ts'

export const withTableOptions = (command: Command) =>
  command
    .option('--endpoint <URL>', 'a DynamoDB other than that of AWS (default: DYNAMODB_ENDPOINT)')
    .option('--table <NAME>', 'the table (default: TABLE_NAME)')
    .addOption(localData())
    .hook('preAction', (_, called) => nameDays(called as unknown as CommandUnknownOpts))

/** Replaces `today` and `yesterday` in the options of a command by days in the zone of the installation. */
async function nameDays(called: CommandUnknownOpts): Promise<void> {
  const given = called.options
    .filter(({ parseArg }) => parseArg === dayOption)
    .map((option) => option.attributeName())
    .filter((name) => /^[a-z]/.test(String(called.getOptionValue(name) ?? '')))
  if (given.length === 0) return
  const { Timezone } = await settingsOf(openTable(chooseLocation(called.optsWithGlobals() as TableOptions)))
  const now = new Date()
  for (const name of given)
    called.setOptionValue(name, dayNamed(String(called.getOptionValue(name)), now, Timezone))
}

/** Names a local installation by its dataset, as `npm start -- --data` does. */
export const localData = () =>
  new Option(
    '--data <FOLDER>',
    'the running npm start on this dataset (default: the one that was started first; a change needs it if several run)',
  )
    .argParser(pathArgument)
    .conflicts('endpoint')

/** `--as` of the commands that change accounts and tariffs. */
export const ACTOR = new Option(
  '--as <USERNAME>',
  'the account that makes the change: an admin, or one with the permission api_settings (default: the log names the user of this \
machine)',
)

/** The operator and the time of a change, for the log. */
export interface TerminalAct {
  /** The account of the change, which may change settings. Without it the log names this machine's user. */
  readonly as: string | undefined
  readonly now: Date
  readonly onProgress?: ActContext['onProgress']
}

/** Returns the account of `--as`. Throws CommandError for an unknown or blocked one. */
export async function accountActing(store: Store, username: string): Promise<Caller> {
  const account = await findAccountNamed(store, username)
  if (account.blocked) throw new CommandError(`The account ${username} is blocked`)
  return account
}

/** Returns false for a new installation, which has no account that owns customers. */
export const hasOwners = async (store: Store): Promise<boolean> =>
  (await store.firstPage({ index: 'GSI1', partition: accountLists.owners.partition(), pageSize: 1 })).length >
  0

/** The action of a command on a table. Returns the exit code. */
type TableWork = (store: Store, location: TableLocation) => Promise<number>

/** Runs a command on the table of its options and sets the exit code. Prints an error as a sentence. */
export async function overTable(options: TableOptions, work: TableWork): Promise<void> {
  const location = chooseLocation(options)
  const notice = defaultNotice(options)
  if (notice !== undefined) printNote(notice)
  await workOn(location, requireReadable, work)
}

/**
 * The same for a command that changes the table: the installation is named first, and never one of several by
 * default. A command without an act, such as a migration, has its words in the audit log once it
 * has written, also if it failed or was interrupted. `logsItself` is for work whose end writes an entry.
 */
export async function changeTable(
  options: TableOptions,
  work: TableWork,
  { logsItself = false } = {},
): Promise<void> {
  const location = await locationToChange(options)
  const interruption: Interruption = { advice: CONTINUES }
  const logged: TableWork = async (store) => {
    const words = `npx tollgate ${process.argv.slice(2).join(' ')}`
    const log = (action: string) =>
      store.transact([inAuditLog({ at: new Date().toISOString(), who: terminalUser(), action })])
    let isLogged = logsItself
    interruption.log = () => {
      isLogged = true
      return log(`${words} (interrupted)`)
    }
    const before = store.meter.spent.write
    const isSilent = () => isLogged || store.meter.spent.write === before
    return work(store, location).finally(() => (isSilent() ? undefined : log(words)))
  }
  await workOn(location, stampIfEmpty, logged, interruption)
}

/**
 * The same for acts, each of which writes its entry of the log with its changes. An act is whole or has not
 * happened, whenever the command is interrupted.
 */
export async function changeByActs(options: TableOptions, work: TableWork): Promise<void> {
  await workOn(await locationToChange(options), stampIfEmpty, work, BETWEEN_ACTS)
}

async function locationToChange(options: TableOptions): Promise<TableLocation> {
  refuseAnyOfSeveral(root, process.env, options)
  const location = chooseLocation(options)
  await nameInstallation(location)
  return location
}

/** Prints which installation a command changes. */
export const nameInstallation = async (location: TableLocation): Promise<void> =>
  printNote(`Installation: ${installationAt(root, location, await regionOf(location))}`)

/** The work after a signal, before the command ends. */
interface Interruption {
  readonly advice: string
  /** Writes the entry of an interrupted change. */
  log?: () => Promise<void>
}

const CONTINUES = 'what was done stays done; run it again to continue'

const BETWEEN_ACTS: Interruption = { advice: 'check whether it was done before you run it again' }

const OF_READING: Interruption = { advice: 'what was written is not whole; run it again' }

async function workOn(
  location: TableLocation,
  checkStamp: (location: TableLocation) => Promise<void>,
  work: TableWork,
  interruption = OF_READING,
): Promise<void> {
  const interrupt = (signal: NodeJS.Signals) => endInterrupted(signal, interruption)
  for (const signal of ENDING) process.on(signal, interrupt)
  try {
    await checkStamp(location)
    process.exitCode = await work(openTable(location), location)
  } catch (error) {
    process.exitCode = reportError(error, location)
  } finally {
    for (const signal of ENDING) process.off(signal, interrupt)
  }
}

/** Ctrl-C, and what kill and a shutdown of the machine send. */
const ENDING = ['SIGINT', 'SIGTERM'] as const

/** The progress of an act of many steps, or of a change of many rows, such as `12 calls changed`. */
let done = ''

export const noteDone: NonNullable<ActContext['onProgress']> = (step) => {
  done = typeof step === 'string' ? step : `${step.done} of ${step.total} done`
}

/** Commands that end their own work have their own listener. A second signal ends any command at once. */
function endInterrupted(signal: NodeJS.Signals, { advice, log }: Interruption): void {
  if (process.listenerCount(signal) > 1) return
  const end = () => process.exit(128 + constants.signals[signal])
  process.once(signal, end)
  printNote(`Interrupted: ${done === '' ? advice : `${done}, ${CONTINUES}`}`)
  void (log?.() ?? Promise.resolve()).then(end, end)
}
