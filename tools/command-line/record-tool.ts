import { listOwnerIds } from '#lib/accounts/account.ts'
import { setRate } from '#lib/dataset/records/one-rate.ts'
import { type RecordField, recordFields, referencesOf } from '#lib/dataset/records/record-fields.ts'
import type { RecordContext, RecordValues } from '#lib/dataset/records/record-kind.ts'
import { type KindName, kindNamed } from '#lib/dataset/records/record-kinds.ts'
import { listRecords, readRecord } from '#lib/dataset/records/record-reading.ts'
import { NoSuchRecord, RecordRefused } from '#lib/dataset/records/record-refused.ts'
import { addRecord, changeRecord, removeRecord, type WrittenRecord } from '#lib/dataset/records/records.ts'
import { findIdsOfDevices } from '#lib/devices/device-stored.ts'
import { findIdsOfDids } from '#lib/devices/did.ts'
import { inAuditLog } from '#lib/settings/audit-log.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { CommandError, countOf } from '../machine/terminal.ts'
import type { ListedRow, Listing, Shown } from './listing.ts'
import { findAccountNamed, findTariffNamed, unknownName } from './named.ts'
import { operatorOf, refuseRace, type TerminalAct } from './over-table.ts'
import type { RecordNoun } from './record-nouns.ts'

/** The fields of a noun with the defaults of a new installation, for options and their help. */
export const fieldsOfNoun = ({ kind }: RecordNoun): RecordField[] =>
  recordFields(kindNamed(kind), { settings: readSettings({}), owner: undefined, clock: () => new Date() })

/** The name of a column in options: `user_id` is `account`. */
export const optionNameOf = (column: string): string =>
  column === 'user_id' ? 'account' : column.replace(/_id$/, '').replaceAll('_', '-')

async function contextOf(store: Store, act: TerminalAct): Promise<RecordContext> {
  const [settings, who] = await Promise.all([settingsOf(store), operatorOf(store, act)])
  const at = act.now.toISOString()
  return {
    ...{ store, settings, clock: () => act.now, owner: undefined, who },
    logged: (did) => inAuditLog({ at, who, ...did }),
  }
}

/** Adds a record. Columns that name another record have its name or its id. */
export async function addNoun(
  store: Store,
  noun: RecordNoun,
  values: RecordValues,
  act: TerminalAct & { readonly again?: boolean },
): Promise<Shown> {
  const context = await contextOf(store, act)
  const named = await withIds(context, noun.kind, values)
  if (!act.again) await noun.refuseRepeated?.(store, named, act.now)
  const called = values['username'] ?? values['name'] ?? values['did']
  const written = await addRecord(context, noun.kind, named).catch(refuse)
  return shownWritten(noun, written, `Added ${titleOf(noun.kind, written.id)}${called ? `: ${called}` : ''}`)
}

/** Changes the given columns of a record. */
export async function editNoun(
  store: Store,
  noun: RecordNoun,
  { word, values }: { readonly word: string; readonly values: RecordValues },
  act: TerminalAct,
): Promise<Shown> {
  const context = await contextOf(store, act)
  const id = await idOf(context, noun.kind, word)
  const named = await withIds(context, noun.kind, values)
  const written = await changeRecord(context, noun.kind, id, named).catch(refuse)
  return shownWritten(noun, written, `Changed ${titleOf(noun.kind, id)}`)
}

/** Removes a record, once that is agreed to. */
export async function removeNoun(
  store: Store,
  { kind }: RecordNoun,
  word: string,
  { act, agree }: { readonly act: TerminalAct; readonly agree: (question: string) => Promise<boolean> },
): Promise<string> {
  const context = await contextOf(store, act)
  const id = await idOf(context, kind, word)
  const { record } = await readRecord(context, kind, id).catch(refuse)
  const title = `${titleOf(kind, id)} (${record.name})`
  if (!(await agree(`Remove ${title}?`))) throw new CommandError(`${title} stays: pass --yes to remove it`)
  await removeRecord(context, kind, id).catch(refuse)
  return `Removed ${title}`
}

/** A record with the names of those that it names. Secrets are masked. */
export async function showNoun(store: Store, { kind }: RecordNoun, word: string): Promise<Shown> {
  const context = await contextOf(store, NOBODY)
  const id = await idOf(context, kind, word)
  const { fields, record, names } = await readRecord(context, kind, id).catch(refuse)
  const lines = fields.flatMap(({ name, label }) => {
    const value = record.values[name]
    return value ? [`${label.toLowerCase()}: ${names[name] ? `${names[name]} (${value})` : value}`] : []
  })
  return {
    lines: [`${titleOf(kind, id)}: ${record.name}`, ...lines],
    json: { id: record.id, ...record.values },
  }
}

/** All records of a kind, or those of the record that they belong to. */
export async function listNoun(store: Store, noun: RecordNoun, of: string | undefined): Promise<Listing> {
  const context = await contextOf(store, NOBODY)
  const [parent] = kindNamed(noun.kind).list.form.names
  const parentKind = parent === 'owner_id' ? 'accounts' : referencesOf(kindNamed(noun.kind)).get(parent ?? '')
  const ofId = of === undefined || !parentKind ? undefined : await idOf(context, parentKind, of)
  return {
    columns: {
      id: 'number',
      name: 'text',
      ...Object.fromEntries(noun.listed.map((column) => [column, 'text'])),
    },
    rows: rowsOf(context, noun, ofId),
    summary: (count) => countOf(count, kindNamed(noun.kind).noun),
  }
}

const NOBODY: TerminalAct = { as: undefined, now: new Date(0) }

async function* rowsOf(
  context: RecordContext,
  { kind, listed }: RecordNoun,
  of: string | undefined,
): AsyncGenerator<ListedRow> {
  for (let after: string | undefined; ; ) {
    const { records, next } = await listRecords(context, kind, { of, after }).catch(refuse)
    for (const { id, name, values } of records) {
      const cells = listed.map((column) => [column, values[column] ?? ''])
      yield { id: /^\d+$/.test(id) ? Number(id) : id, name, ...Object.fromEntries(cells) }
    }
    if (next === null) return
    after = next
  }
}

const titleOf = (kind: KindName, id: string): string => `${kindNamed(kind).noun} ${id}`

const shownWritten = ({ kind }: RecordNoun, { id, drawn }: WrittenRecord, line: string): Shown => ({
  lines: [line, ...Object.entries(drawn).map(([name, value]) => `${name}: ${value}`)],
  json: { id: /^\d+$/.test(id) && kind.length > 0 ? Number(id) : id, ...drawn },
})

/** The values with ids in place of names. */
async function withIds(context: RecordContext, kind: KindName, values: RecordValues): Promise<RecordValues> {
  const references = referencesOf(kindNamed(kind))
  const entries = Object.entries(values).map(async ([column, value]) => {
    const of = references.get(column)
    return [column, of && value !== '' ? await idOf(context, of, value) : value] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** The id of the record with this id or name. Throws CommandError for an unknown one. */
async function idOf(context: RecordContext, kind: KindName, word: string): Promise<string> {
  if (kind === 'accounts') return String((await findAccountNamed(context.store, word)).id)
  const [numbered, [named] = []] = await Promise.all([
    readRecord(context, kind, word).catch(() => undefined),
    NAMED[kind]?.(context.store, [word]),
  ])
  const { id, name } = numbered?.record ?? {}
  if (named !== undefined && id !== undefined && id !== String(named))
    throw new CommandError(
      `${word} is the name of ${titleOf(kind, String(named))}, and the id of another one: use ${named} or ${name}`,
    )
  return id ?? (named === undefined ? idByName(context, kind, word) : String(named))
}

const NAMED: Readonly<
  Partial<
    Record<KindName, (store: Store, names: readonly string[]) => Promise<readonly (number | undefined)[]>>
  >
> = {
  devices: findIdsOfDevices,
  dids: findIdsOfDids,
}

/** Looks through the lists of a kind whose names are not keys: one list, or one of each owner. */
async function idByName(context: RecordContext, kind: KindName, word: string): Promise<string> {
  const { noun, list } = kindNamed(kind)
  const [parent] = list.form.names.slice(0, -1)
  const parents = parent === 'owner_id' ? (await listOwnerIds(context.store)).map(String) : [undefined]
  const isListed = list.holds === 'index'
  const lists = isListed
    ? parents.map((of) => Array.fromAsync(rowsOf(context, { kind, given: [], listed: [] }, of)))
    : []
  const all = (await Promise.all(lists)).flat()
  const [found, ...others] = all.filter(({ name }) => String(name).toLowerCase() === word.toLowerCase())
  if (others.length > 0)
    throw new CommandError(`${others.length + 1} have the name ${word}: use the id of one of them`)
  if (found) return String(found['id'])
  const names = all.map(({ name }) => String(name))
  throw unknownName(
    noun,
    word,
    names,
    isListed ? `npx tollgate ${noun.toLowerCase()} list shows all of them` : 'use its id or its name',
  )
}

/** Turns a refusal into one line that names the options. */
function refuse(error: unknown): never {
  if (error instanceof NoSuchRecord) throw new CommandError(error.message)
  if (error instanceof RecordRefused)
    throw new CommandError(
      error.problems
        .map(({ name, message }) => (name ? `--${optionNameOf(name)} ${message}` : message))
        .join('; '),
    )
  return refuseRace('this record')(error)
}

/** Sets one price of a tariff. */
export async function setOneRate(
  store: Store,
  { tariff, values }: { readonly tariff: string; readonly values: RecordValues },
  act: TerminalAct,
): Promise<Shown> {
  const context = await contextOf(store, act)
  const { id, name } = await findTariffNamed(store, tariff)
  const { from, remarks, isChanged } = await setRate(context, String(id), values).catch(refuse)
  const line = isChanged
    ? `${name}: ${values['prefix']} is ${values['tariff_rate']} from ${from}`
    : `${name} has this rate already`
  return { lines: [line, ...remarks], json: { tariff: id, from, changed: isChanged, remarks } }
}
