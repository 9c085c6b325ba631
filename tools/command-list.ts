import type { Command } from 'commander'

/** The commands in the order of `--help`. The file of a command has its name. */
export const COMMANDS: Readonly<Record<string, string>> = {
  start: 'Runs Tollgate on this machine.',
  console: 'Serves the console for an API that runs elsewhere.',
  init: 'Writes a small dataset of your own.',
  import: 'Imports a dataset into the table.',
  export: 'Exports a table into a dataset.',
  backup: 'Copies the database of this machine, while it runs.',
  restore: 'Brings a backup back.',
  'moving-in': 'Writes the queries that export the original database.',
  'check-data': 'Checks the whole table for damage.',
  migrate: 'Brings an older table to the format of this release.',
  settings: 'Shows and changes settings.',
  account: 'Lists, shows and blocks accounts, replaces passwords.',
  key: 'Adds, lists, rotates and revokes keys of integrations.',
  balance: 'Opens, shows and adjusts balances.',
  payment: 'Records, confirms, assigns and takes back payments.',
  invoices: 'Previews and issues a month, lists and shows invoices.',
  charges: 'Charges subscriptions, lists charges.',
  'credit-notes': 'Credits invoices, whole, by rows or for goodwill.',
  subscriptions: 'Adds and ends subscriptions.',
  tariff: 'Shows tariffs and their changes, rolls them back.',
  rates: "Imports a carrier's rate sheet into a tariff.",
  explain: 'Rates a call, step by step, without storing it.',
  ingest: 'Mediates CDR documents of switches.',
  webhooks: 'Adds, tests and disables endpoints of webhooks.',
  intake: 'Adds and revokes switches that send CDRs by HTTP.',
  suspense: 'Shows, retries and drops suspended CDRs.',
  holds: 'Lists and releases the money that is held for calls.',
  rerate: 'Re-rates stored calls.',
  archive: 'Archives calls of closed days, lists and shows them.',
  forget: 'Erases the numbers in the calls of an account.',
  report: 'Sums up calls, balances, receivables, DIDs and totals.',
  call: 'Signs a call of a method and prints the answer.',
  'explain-hash': 'Explains what a refused hash was made of.',
  invoke: 'Runs the handler of a method on an event.',
  fuzz: 'Compares the system with plain models on random input.',
  soak: 'Looks for lost writes after traffic and kills.',
  mutate: 'Looks for code that no test holds.',
  smoke: 'Calls every method of a stage without changing data.',
  package: 'Builds the packages of a deployment.',
  deploy: 'Deploys Tollgate to AWS, or updates it.',
  remove: 'Removes a stage from AWS.',
  generate: 'Generates docs and configuration from the contracts.',
  'release-fixture': 'Writes the table of a release, for later versions to read.',
  screenshots: 'Takes the screenshots of the README.',
  bench: 'Runs the benchmarks.',
}

/** Commands of a developer of Tollgate are listed apart from those of an operator. */
const DEVELOPING: Readonly<Record<string, string>> = {
  bench: '../bench',
  fuzz: '../test/commands',
  generate: './developing',
  mutate: '../bench',
  package: './developing',
  'release-fixture': '../test/commands',
  screenshots: '../test/commands',
  soak: '../test/commands',
}

/** The exports of a command's file: `declare` adds arguments, options, examples and the action. */
interface CommandFile {
  declare(command: Command): unknown
}

/** A command's file is loaded when the command is used. */
export const loadCommand = async (name: string) =>
  (await import(`${DEVELOPING[name] ?? `./commands/${name}`}/${name}.ts`)) as CommandFile
