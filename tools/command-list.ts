import type { Command } from 'commander'
import { isRelease, loadFile } from '#tools/machine/program.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import type { NounName } from './command-line/record-commands.ts'

/** The commands by subject, in the order of `--help`. The file of a command has its name. */
export const COMMAND_GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Customers: {
    account: 'Adds, changes, lists, blocks accounts, sets passwords.',
    device: 'Adds, changes, shows, lists and removes devices.',
    did: 'Adds, changes, shows and lists DIDs.',
    location: 'Adds, changes, shows and lists locations.',
    'location-rule': 'Adds, changes, removes rules for dialled numbers.',
    subscription: 'Adds, changes, ends and lists subscriptions.',
    service: 'Adds, changes, shows and lists services.',
  },
  Money: {
    balance: 'Opens, shows and adjusts balances.',
    payment: 'Records, lists, confirms, assigns and takes back payments.',
    invoices: 'Previews and issues a month, lists and shows invoices.',
    books: 'Closes months of the journal.',
    charges: 'Charges subscriptions, lists charges.',
    'credit-notes': 'Credits invoices, whole, by rows or for goodwill.',
    report: 'Sums up calls, balances, receivables, DIDs and totals.',
  },
  Calls: {
    explain: 'Rates a call, step by step, without storing it.',
    suspense: 'Shows, retries and drops suspended CDRs.',
    holds: 'Lists and releases the money that is held for calls.',
    rerate: 'Re-rates stored calls.',
    archive: 'Archives calls of closed days, lists and shows them.',
    forget: 'Erases the numbers in the calls of an account.',
  },
  Prices: {
    tariff: 'Adds, changes and lists tariffs, rolls them back.',
    rate: 'Sets one price of a tariff, or all from costs.',
    rates: "Imports a carrier's rate sheet into a tariff.",
    currency: 'Adds, changes, shows and lists currencies.',
    provider: 'Adds, changes, shows and lists providers.',
  },
  Switches: {
    intake: 'Adds and revokes switches that send CDRs by HTTP.',
    ingest: 'Mediates CDR documents of switches.',
  },
  Installation: {
    start: 'Runs Tollgate on this machine.',
    init: 'Writes a small dataset of your own.',
    import: 'Imports a dataset into the table.',
    'failed-imports': 'Lists and dismisses files of the bucket whose import failed.',
    export: 'Exports a table into a dataset.',
    backup: 'Copies the database of this machine, while it runs.',
    restore: 'Brings a backup back.',
    'moving-in': 'Writes the queries that export the original database.',
    'check-data': 'Checks the whole table for damage.',
    migrate: 'Brings an older table to the format of this release.',
    settings: 'Shows and changes settings.',
    key: 'Adds, lists, rotates and revokes keys of integrations.',
    webhooks: 'Adds, tests and disables endpoints of webhooks.',
    deploy: 'Deploys Tollgate to AWS, or updates it.',
    smoke: 'Calls every method of a stage without changing data.',
    remove: 'Removes a stage from AWS.',
  },
  Developers: {
    call: 'Signs a call of a method and prints the answer.',
    'explain-hash': 'Explains what a refused hash was made of.',
    invoke: 'Runs the handler of a method on an event.',
    package: 'Builds the packages of a deployment.',
    bundle: 'Builds the release for one machine into a folder.',
    generate: 'Generates docs and configuration from the contracts.',
    release: 'Names a version in the source and in the changelog.',
    'release-fixture': 'Writes the table of a release, for later versions to read.',
    simulate: 'Runs a whole installation from a seed, amid kills.',
    mutate: 'Looks for code that no test holds.',
    bench: 'Runs the benchmarks.',
    screenshots: 'Takes the screenshots of the README.',
  },
}

export const COMMANDS: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(COMMAND_GROUPS))

/** The folders of the commands that only a checkout has. */
const OF_A_CHECKOUT: Readonly<Record<string, string>> = {
  bench: 'bench',
  bundle: 'tools/developing',
  deploy: 'tools/commands/deploy',
  generate: 'tools/developing',
  invoke: 'tools/commands/invoke',
  mutate: 'bench',
  package: 'tools/developing',
  release: 'tools/developing',
  'release-fixture': 'test/commands',
  remove: 'tools/commands/remove',
  screenshots: 'test/commands',
  simulate: 'test/commands',
}

export const isOfACheckout = (name: string): boolean => Object.hasOwn(OF_A_CHECKOUT, name)

/** The exports of a command's file: `declare` adds arguments, options, examples and the action. */
interface CommandFile {
  declare(command: Command): unknown
}

/** Nouns without verbs of their own. */
const NOUNS: readonly string[] = [
  'currency',
  'device',
  'did',
  'location',
  'location-rule',
  'provider',
  'service',
]

/** A command's file is loaded when the command is used. */
export async function loadCommand(name: string): Promise<CommandFile> {
  if (isRelease && isOfACheckout(name))
    throw new CommandError(`${name} belongs to the source: run it in a checkout of Tollgate`)
  const folder = OF_A_CHECKOUT[name] ?? `tools/commands/${name}`
  if (!NOUNS.includes(name)) return (await loadFile(`${folder}/${name}`)) as CommandFile
  const { declareNoun } = await import('./command-line/record-commands.ts')
  return { declare: (command) => declareNoun(command, name as NounName) }
}
