import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Command } from 'commander'
import type { ActContext } from '#lib/acts/context.ts'
import { countOf } from '#lib/base/text.ts'
import { type RecordActs, recordActs, type WrittenRecord } from '#lib/dataset/records/record-acts.ts'
import { referencesOf } from '#lib/dataset/records/record-fields.ts'
import { allRecords, findIdNamed } from '#lib/dataset/records/record-inputs.ts'
import { recordContext } from '#lib/dataset/records/record-kind.ts'
import { type KindName, kindNamed } from '#lib/dataset/records/record-kinds.ts'
import { readRecord } from '#lib/dataset/records/record-reading.ts'
import type { Store } from '#lib/table/store.ts'
import type { TableOptions } from '../machine/location.ts'
import { actCommand, contextAt } from './act-commands.ts'
import { showAction } from './actions.ts'
import { type Listing, listFormat, printListing, type Shown, shownFormat } from './listing.ts'
import { ACTOR, withTableOptions } from './over-table.ts'

/** A noun of the command line: records that are added, changed and listed. */
interface RecordNoun {
  readonly kind: KindName
  /** The columns of `add` that are words without an option, in their order. */
  readonly given: readonly string[]
  /** The columns that a list shows besides the id and the name. */
  readonly listed: readonly string[]
}

const RECORD_NOUNS = {
  account: { kind: 'accounts', given: ['username'], listed: [] },
  device: { kind: 'devices', given: ['user_id'], listed: ['device_type', 'ipaddr', 'port'] },
  tariff: { kind: 'tariffs', given: ['name'], listed: [] },
  provider: { kind: 'providers', given: ['name'], listed: ['tariff_id', 'names', 'addresses', 'channels'] },
  did: { kind: 'dids', given: ['did'], listed: ['user_id', 'device_id', 'provider_id', 'status'] },
  service: { kind: 'services', given: ['name'], listed: ['price', 'currency', 'charged'] },
  currency: {
    kind: 'currencies',
    given: ['name', 'exchange_rate'],
    listed: ['exchange_rate', 'auto_update'],
  },
  location: { kind: 'locations', given: ['name'], listed: ['owner_id'] },
  'location-rule': {
    kind: 'location-rules',
    given: ['location_id', 'name'],
    listed: ['lr_type', 'cut', 'add', 'tariff_id', 'enabled'],
  },
  subscription: {
    kind: 'subscriptions',
    given: ['user_id', 'service_id'],
    listed: ['user_id', 'service_id', 'from', 'till', 'quantity'],
  },
} satisfies Readonly<Record<string, RecordNoun>>

export type NounName = keyof typeof RECORD_NOUNS

type Verb = 'add' | 'edit' | 'list' | 'remove' | 'show'

/** Declares a command that is nothing but its records. */
export const declareNoun = (command: Command, name: NounName): void => {
  const { remove } = kindNamed(RECORD_NOUNS[name].kind)
  const verbs: readonly Verb[] = remove
    ? ['add', 'edit', 'remove', 'show', 'list']
    : ['add', 'edit', 'show', 'list']
  declareVerbs(withTableOptions(command as never).addOption(ACTOR) as never, name, verbs)
}

export function declareVerbs(command: Command, name: NounName, verbs: readonly Verb[]): void {
  const noun = RECORD_NOUNS[name]
  const acts = recordActs(noun.kind)
  for (const verb of verbs) DECLARATIONS[verb](command, noun, acts)
}

const nounOf = ({ kind }: RecordNoun): string => kindNamed(kind).noun

const DECLARATIONS: Readonly<Record<Verb, (command: Command, noun: RecordNoun, acts: RecordActs) => void>> = {
  add: (command, { given }, { add }) => void actCommand(plain(command), 'add', add, given, { shown }),
  edit: (command, _, { change }) => void actCommand(plain(command), 'edit', change, ['id'], { shown }),
  remove: (command, _, { remove }) => void actCommand(plain(command), 'remove', remove, ['id'], { shown }),
  show: (command, noun) => {
    command
      .command('show <name>')
      .description(`show ${nounOf(noun)} by its id or name`)
      .addOption(shownFormat())
      .action(showAction((store, word: string) => showRecord(store, noun.kind, word)))
  },
  list: (command, noun) => {
    const [parent] = kindNamed(noun.kind).list.form.names
    const list = command
      .command('list')
      .description(`list every ${nounOf(noun)}`)
      .addOption(listFormat())
    const [name, meaning] = PARENTS[parent ?? ''] ?? []
    if (name) list.argument(name, meaning)
    if (parent === 'owner_id') list.option('--owner <ACCOUNT>', 'those of another owner than the operator')
    list.action((word: unknown) => {
      const { owner, format } = list.opts()
      const of = typeof word === 'string' ? word : (owner as string | undefined)
      return printListing(command.opts() as TableOptions, format, (store) => listOfNoun(store, noun, of))
    })
  },
}

const plain = (command: Command): CommandUnknownOpts => command as never

/** The values that were made up are shown this once. */
const shown = ({ id, generated }: WrittenRecord): Shown => ({
  lines: Object.entries(generated).map(([name, value]) => `${name}: ${value}`),
  json: { id: idAsJson(id), ...generated },
})

const idAsJson = (id: string): string | number => (/^\d+$/.test(id) ? Number(id) : id)

/** The record whose records a list shows, by the column that names it. */
const PARENTS: Readonly<Record<string, readonly [word: string, meaning: string]>> = {
  user_id: ['<account>', 'the username or id'],
  location_id: ['<location>', 'the name or id'],
}

/** A record with the names of those that it names. Secrets are masked. */
export async function showRecord(store: Store, kind: KindName, word: string): Promise<Shown> {
  const act = await readingAct(store)
  const id = await findIdNamed(act, kind, word)
  const { fields, record, names } = await readRecord(recordContext(act), kind, id)
  const lines = fields.flatMap(({ name, label }) => {
    const value = record.values[name]
    return value ? [`${label.toLowerCase()}: ${names[name] ? `${names[name]} (${value})` : value}`] : []
  })
  return {
    lines: [`${kindNamed(kind).noun} ${id}: ${record.name}`, ...lines],
    json: { id: record.id, ...record.values },
  }
}

const readingAct = (store: Store): Promise<ActContext> =>
  contextAt(store, { as: undefined, now: new Date(0) })

export const listRecordsOf = (store: Store, name: NounName, of: string | undefined): Promise<Listing> =>
  listOfNoun(store, RECORD_NOUNS[name], of)

/** All records of a kind, or those of the record that they belong to. */
async function listOfNoun(
  store: Store,
  { kind, listed }: RecordNoun,
  of: string | undefined,
): Promise<Listing> {
  const act = await readingAct(store)
  const [parent] = kindNamed(kind).list.form.names
  const parentKind = parent === 'owner_id' ? 'accounts' : referencesOf(kindNamed(kind)).get(parent ?? '')
  const ofId = of === undefined || !parentKind ? undefined : await findIdNamed(act, parentKind, of)
  return {
    columns: {
      id: 'number',
      name: 'text',
      ...Object.fromEntries(listed.map((column) => [column, 'text'])),
    },
    rows: rowsIn(act, kind, ofId, listed),
    summary: (count) => countOf(count, kindNamed(kind).noun),
  }
}

async function* rowsIn(act: ActContext, kind: KindName, of: string | undefined, listed: readonly string[]) {
  for await (const { id, name, values } of allRecords(recordContext(act), kind, of)) {
    const cells = listed.map((column) => [column, values[column] ?? ''])
    yield { id: idAsJson(id), name, ...Object.fromEntries(cells) }
  }
}
