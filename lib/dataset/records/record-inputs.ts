import { findCallers, listAccounts, listOwnerIds } from '#lib/accounts/account.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { type Input, type Inputs, idIn } from '#lib/acts/inputs.ts'
import { nearestNames } from '#lib/base/nearest.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { boundedText } from '#lib/base/text.ts'
import { findIdsOfDevices } from '#lib/devices/device-stored.ts'
import { findIdsOfDids } from '#lib/devices/did.ts'
import { readSettings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import { hintOf, type RecordField, recordFields } from './record-fields.ts'
import { type RecordContext, type RecordKind, type RecordValues, recordContext } from './record-kind.ts'
import { type KindName, kindNamed } from './record-kinds.ts'
import { listRecords, readRecord } from './record-reading.ts'

/** The columns of a new record as inputs. The act reports all of their problems together. */
export const inputsOfNew = (kind: RecordKind): Inputs =>
  Object.fromEntries(
    fieldsForAll(kind)
      .filter(({ isOfChange }) => !isOfChange)
      .map((field) => [field.name, columnInput(field)]),
  )

/** The columns of a change as inputs: none is asked for. */
export const inputsOfChange = (kind: RecordKind): Inputs =>
  Object.fromEntries(
    fieldsForAll(kind).map((field) => [field.name, columnInput({ ...field, isRequired: false })]),
  )

/** The fields of a kind in a new installation, for an account that sees all of them. */
const fieldsForAll = (kind: RecordKind): RecordField[] =>
  recordFields(kind, { settings: readSettings({}), owner: undefined, clock: () => new Date() })

export const columnInput = (field: RecordField): Input<string> => ({
  takes: field.control === 'choice' ? field.choices.filter(Boolean).join(', ') : field.control,
  placeholder: PLACEHOLDERS[field.control] ?? 'TEXT',
  says: [field.label, hintOf(field)].filter(Boolean).join(': '),
  isOptional: true,
  isExact: true,
  takesBlank: true,
  ...(field.isRequired && { isAsked: true }),
  ...(field.isSecret && { isSecret: true }),
  ...(field.control === 'switch' && { choices: ['yes', 'no'] }),
  ...(field.control === 'choice' && { choices: field.choices.filter(Boolean) }),
  read: (text, name, context) =>
    field.of && isOfIds(field.of) && text !== '' && context.namesAreTyped
      ? findIdNamed(context, field.of, text, name)
      : boundedText(text),
})

/** Currencies and countries are named by their codes. */
const isOfIds = (of: KindName | 'countries'): of is KindName => of !== 'currencies' && of !== 'countries'

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  ...{ number: 'NUMBER', money: 'AMOUNT', date: 'DAY', time: 'TIME' },
  ...{ choice: 'WORD', switch: 'YES|NO', reference: 'NAME' },
}

/** A record: by its id, or where names are typed by its name, too. */
export const recordInput = (of: KindName): Input<string> => ({
  takes: 'id',
  placeholder: kindNamed(of).noun.toUpperCase().replaceAll(' ', '-'),
  says: `its id or its name`,
  isOptional: false,
  read: (text, name, context) => (context.namesAreTyped ? findIdNamed(context, of, text, name) : text),
})

/** The values that were given. */
export const valuesOf = (input: Readonly<Record<string, unknown>>): RecordValues =>
  Object.fromEntries(
    Object.entries(input).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )

/** The id of the record with this id or name. */
export async function findIdNamed(
  act: ActContext,
  kind: KindName,
  word: string,
  field?: string,
): Promise<string> {
  const context = recordContext(act)
  if (kind === 'accounts') {
    const [named] = await findCallers(context.store, [word])
    if (named) return String(named.id)
  }
  const [numbered, [named] = []] = await Promise.all([
    readRecord(context, kind, word).catch(() => undefined),
    NAMED[kind]?.(context.store, [word]),
  ])
  const { id, name = '' } = numbered?.record ?? {}
  if (named !== undefined && id !== undefined && id !== String(named))
    throw new Refusal('name_and_id', { noun: kindNamed(kind).noun, word, named, name }, field)
  return id ?? (named === undefined ? idByName(context, kind, word, field) : String(named))
}

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** A word is the name of one record and the id of another one. */
    readonly name_and_id: {
      readonly noun: string
      readonly word: string
      readonly named: number
      readonly name: string
    }
  }
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
async function idByName(
  context: RecordContext,
  kind: KindName,
  word: string,
  field: string | undefined,
): Promise<string> {
  const { noun, list } = kindNamed(kind)
  const [parent] = list.form.names.slice(0, -1)
  const parents = parent === 'owner_id' ? (await listOwnerIds(context.store)).map(String) : [undefined]
  const lists =
    kind === 'accounts' || list.holds !== 'index' ? [] : parents.map((of) => allRecords(context, kind, of))
  const all = (await Promise.all(lists.map((one) => Array.fromAsync(one)))).flat()
  const [found, ...others] = all.filter(({ name }) => name.toLowerCase() === word.toLowerCase())
  if (others.length > 0)
    throw new Refusal('several_of_name', { noun, name: word, count: others.length + 1 }, field)
  // The act reports an unknown id.
  if (found || idIn(word) !== undefined) return found?.id ?? word
  const names =
    kind === 'accounts' && context.owner === undefined
      ? await Array.fromAsync(listAccounts(context.store), ({ username }) => username)
      : all.map(({ name }) => name)
  throw new Refusal('unknown_record', { noun, id: word, nearest: nearestNames(word, names) }, field)
}

/** All records of a list, by id. */
export async function* allRecords(context: RecordContext, kind: KindName, of: string | undefined) {
  for (let after: string | undefined; ; ) {
    const { records, next } = await listRecords(context, kind, { of, after })
    yield* records
    if (next === null) return
    after = next
  }
}
