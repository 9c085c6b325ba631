import { type Command, Option } from 'commander'
import { hintOf, type RecordField } from '#lib/dataset/records/record-fields.ts'
import type { RecordValues } from '#lib/dataset/records/record-kind.ts'
import { kindNamed } from '#lib/dataset/records/record-kinds.ts'
import type { TableOptions } from '../machine/location.ts'
import {
  agreesTo,
  askLine,
  printLine,
  secretFromInput,
  terminalChooser,
  UsageError,
} from '../machine/terminal.ts'
import { changeAction, showAction } from './actions.ts'
import { listFormat, printListing, type Shown, shownFormat } from './listing.ts'
import { ACTOR, changeTable, withTableOptions } from './over-table.ts'
import { type NounName, RECORD_NOUNS, type RecordNoun } from './record-nouns.ts'
import {
  addNoun,
  editNoun,
  fieldsOfNoun,
  listNoun,
  optionNameOf,
  removeNoun,
  showNoun,
} from './record-tool.ts'

type Verb = 'add' | 'edit' | 'list' | 'remove' | 'show'

type Words = Readonly<Record<string, unknown>>

/** Declares a command that is nothing but its records. */
export const declareNoun = (command: Command, name: NounName): void =>
  declareVerbs(withTableOptions(command as never).addOption(ACTOR) as unknown as Command, name, verbsOf(name))

const verbsOf = (name: NounName): readonly Verb[] =>
  kindNamed(RECORD_NOUNS[name].kind).remove
    ? ['add', 'edit', 'remove', 'show', 'list']
    : ['add', 'edit', 'show', 'list']

/** Declares verbs for the records of a noun: their fields are options. */
export function declareVerbs(command: Command, name: NounName, verbs: readonly Verb[]): void {
  for (const verb of verbs) DECLARATIONS[verb](command, RECORD_NOUNS[name])
}

const nounOf = ({ kind }: RecordNoun): string => kindNamed(kind).noun

const aNoun = (noun: RecordNoun): string => `${/^[aeiou]/i.test(nounOf(noun)) ? 'an' : 'a'} ${nounOf(noun)}`

const actOf = (command: Command) => ({ as: command.opts()['as'] as string | undefined, now: new Date() })

const DECLARATIONS: Readonly<Record<Verb, (command: Command, noun: RecordNoun) => void>> = {
  add: (command, noun) => {
    const add = command.command('add').description(`add ${aNoun(noun)}; a terminal asks for what is missing`)
    for (const field of givenFields(noun)) add.argument(`[${optionNameOf(field.name)}]`, meaningOf(field))
    addFields(add, noun, noun.given, ({ isOfChange }) => !isOfChange)
    if (noun.refuseRepeated) add.option('--again', 'add it although an equal one was added within a day')
    add.action(async (...words) => {
      const given = noun.given.map((column, index) => [column, words[index]] as const)
      const options = { ...valuesIn(add.opts(), noun), ...withoutMissing(given) }
      const values = await withSecret(add.opts(), noun, await completed(noun, options))
      await changing(command, add, (store) =>
        addNoun(store, noun, values, { ...actOf(command), again: add.opts()['again'] === true }),
      )
    })
  },
  edit: (command, noun) => {
    const edit = command.command('edit').description(`change ${aNoun(noun)}: only what is given`)
    edit.argument(`<${nounOf(noun).toLowerCase().replaceAll(' ', '-')}>`, 'its id or its name')
    addFields(edit, noun, [], () => true)
    edit.action(async (word: string) => {
      const values = await withSecret(edit.opts(), noun, valuesIn(edit.opts(), noun))
      if (Object.keys(values).length === 0)
        throw new UsageError('Nothing to change: pass an option with its new value')
      await changing(command, edit, (store) => editNoun(store, noun, { word, values }, actOf(command)))
    })
  },
  remove: (command, noun) => {
    command
      .command('remove <name>')
      .description(`remove ${aNoun(noun)} by its id or name; you are asked first`)
      .option('--yes', 'remove without asking; required without a terminal')
      .action(
        changeAction((store, act, word: string, { yes = false }: { readonly yes?: boolean }) =>
          removeNoun(store, noun, word, { act, agree: async (question) => yes || agreesTo(question) }),
        ),
      )
  },
  show: (command, noun) => {
    command
      .command('show <name>')
      .description(`show ${aNoun(noun)} by its id or name`)
      .addOption(shownFormat())
      .action(showAction((store, word: string) => showNoun(store, noun, word)))
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
      return printListing(command.opts() as TableOptions, format, (store) => listNoun(store, noun, of))
    })
  },
}

/** The record whose records a list shows, by the column that names it. */
const PARENTS: Readonly<Record<string, readonly [word: string, meaning: string]>> = {
  user_id: ['<account>', 'the username or id'],
  location_id: ['<location>', 'the name or id'],
}

const givenFields = (noun: RecordNoun): RecordField[] =>
  noun.given.flatMap((column) => fieldsOfNoun(noun).filter(({ name }) => name === column))

function addFields(
  verb: Command,
  noun: RecordNoun,
  given: readonly string[],
  isOffered: (field: RecordField) => boolean,
): void {
  const fields = fieldsOfNoun(noun).filter(isOffered)
  for (const field of fields.filter(({ name, isSecret }) => !(isSecret || given.includes(name))))
    verb.addOption(recordOption(field))
  for (const { name, label } of fields.filter(({ isSecret }) => isSecret))
    verb.option(`--${optionNameOf(name)}-stdin`, `${label}: read it from standard input`)
  verb.addOption(shownFormat())
}

export function recordOption(field: RecordField): Option {
  const { name, control, choices } = field
  const option = new Option(`--${optionNameOf(name)} <${PLACEHOLDERS[control] ?? 'TEXT'}>`, meaningOf(field))
  if (control === 'switch') option.choices(['yes', 'no'])
  if (control === 'choice') option.choices(choices.filter(Boolean))
  return option
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  ...{ number: 'NUMBER', money: 'AMOUNT', date: 'DAY', time: 'TIME' },
  ...{ choice: 'WORD', switch: 'YES|NO', reference: 'NAME' },
}

const meaningOf = (field: RecordField): string => [field.label, hintOf(field)].filter(Boolean).join(': ')

export const camelCased = (name: string): string =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The values of options by column. */
const valuesIn = (options: Words, noun: RecordNoun): RecordValues =>
  withoutMissing(
    fieldsOfNoun(noun).map(({ name }) => [name, options[camelCased(optionNameOf(name))]] as const),
  )

export const withoutMissing = (values: readonly (readonly [string, unknown])[]): RecordValues =>
  Object.fromEntries(values.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])))

/** One secret at most comes from standard input. */
async function withSecret(options: Words, noun: RecordNoun, values: RecordValues): Promise<RecordValues> {
  const asked = fieldsOfNoun(noun).filter(({ name }) => options[camelCased(`${optionNameOf(name)}-stdin`)])
  if (asked.length > 1) throw new UsageError('Standard input has one secret: pass one option that reads it')
  const [field] = asked
  return field ? { ...values, [field.name]: await secretFromInput() } : values
}

/** Asks at a terminal for what is missing. Throws UsageError without one. */
async function completed(noun: RecordNoun, values: RecordValues): Promise<RecordValues> {
  const missing = fieldsOfNoun(noun).filter(({ name, isRequired }) => isRequired && !values[name])
  if (missing.length === 0) return values
  if (!terminalChooser())
    throw new UsageError(`Missing ${missing.map((field) => wordOf(noun, field)).join(', ')}: see --help`)
  const answers: [string, string][] = []
  for (const field of missing) answers.push([field.name, await answerTo(field)])
  return { ...values, ...Object.fromEntries(answers) }
}

const wordOf = ({ given }: RecordNoun, { name, control }: RecordField): string =>
  given.includes(name)
    ? `<${optionNameOf(name)}>`
    : `--${optionNameOf(name)} ${PLACEHOLDERS[control] ?? 'TEXT'}`

async function answerTo(field: RecordField): Promise<string> {
  const { label, choices } = field
  const hint = hintOf(field) || choices.filter(Boolean).join(', ')
  for (;;) {
    const answer = await askLine(`${label}${hint ? ` (${hint})` : ''}:`)
    if (answer !== '') return answer
  }
}

export function changing(
  command: Command,
  verb: Command,
  change: (store: Parameters<typeof addNoun>[0]) => Promise<Shown>,
) {
  return changeTable(command.opts() as TableOptions, async (store) => {
    const { lines, json } = await change(store)
    for (const line of verb.opts()['format'] === 'json' ? [JSON.stringify(json)] : lines) printLine(line)
    return 0
  })
}
