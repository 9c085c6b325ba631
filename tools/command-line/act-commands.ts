import { type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type Act, type ActOutcome, carryOut } from '#lib/acts/act.ts'
import type { ActContext, ActingAccount } from '#lib/acts/context.ts'
import type { GivenTexts, Input, Inputs } from '#lib/acts/inputs.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT, withOwnRights } from '#lib/base/scope.ts'
import type { LoggedDeed } from '#lib/settings/audit-log.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { TableOptions } from '../machine/location.ts'
import {
  agreesTo,
  askLine,
  askNewSecret,
  askSecret,
  type CommandError,
  printLine,
  printNote,
  secretFromInput,
  terminalChooser,
  terminalUser,
  usageError,
} from '../machine/terminal.ts'
import { dayOption } from './arguments.ts'
import { type Shown, shownFormat } from './listing.ts'
import { accountActing, changeByActs, hasOwners, noteDone, type TerminalAct } from './over-table.ts'
import { isAskedAgain, optionOf, questionOf, refusedCommand } from './remedies.ts'

interface ActMouth<A> {
  /** The follow-up that a table in AWS does by itself. */
  readonly afterwards?: (store: Store, now: Date) => Promise<string | undefined>
  /** Further lines of the answer, and its JSON. */
  readonly shown?: (answer: A) => Shown
}

/**
 * Declares the command of an act. The inputs in `given` are its arguments, in their order; the others are
 * options. It prints the words of the log, or with `--format json` the answer.
 */
export function actCommand<I extends Inputs, A>(
  noun: CommandUnknownOpts,
  verb: string,
  act: Act<I, A>,
  given: readonly (keyof I & string)[],
  { afterwards, shown = (answer) => ({ lines: [], json: answer }) }: ActMouth<A> = {},
): CommandUnknownOpts {
  const command = noun.command(verb).description(lowerFirst(act.summary))
  for (const name of given) {
    const input = act.input[name] ?? ({} as Partial<Input<unknown>>)
    const { says = '', isList, isOptional, isSecret } = input
    const word = `${wordOf(name, input).replace(/s$/, isList ? '' : 's')}${isList ? '...' : ''}`
    const hint = isSecret ? `${says}; - reads it from standard input` : says
    command.argument(isOptional ? `[${word}]` : `<${word}>`, hint)
  }
  declareInputs(command, act.input, given)
  return command.addOption(shownFormat()).action(async (...words: readonly unknown[]) => {
    const options = (words.at(-1) as CommandUnknownOpts).optsWithGlobals() as UsualOptions
    const { as, format } = options
    const texts = await completed(act.input, given, {
      ...textsOf(options, act.input),
      ...argumentsOf(given, words),
    })
    await changeByActs(options, async (store) => {
      const whole = { ...texts, ...(await hiddenTexts(act.input, given, texts, options)) }
      // An input of this name is another account.
      const by = { as: 'as' in act.input ? undefined : as, now: new Date() }
      const outcome = await carryOutAsking(store, act, by, whole).catch((error: unknown) => {
        throw error instanceof Refusal ? refusedCommand(error, (name) => spelled(name, given)) : error
      })
      printOutcome(outcome, shown(outcome.answer), format)
      const further = await afterwards?.(store, by.now)
      if (further !== undefined) printNote(further)
      return 0
    })
  })
}

function printOutcome(
  outcome: ActOutcome<unknown>,
  { lines, json }: Shown,
  format: string | undefined,
): void {
  if (format === 'json') printLine(JSON.stringify(jsonOf(json, outcome), null, 2))
  else for (const line of [outcomeLine(outcome), ...lines]) printLine(line)
}

/** An act as a command with these inputs alone, all of which it needs. */
export const withInputs = <A>(
  act: Act<Inputs, A>,
  summary: string,
  names: readonly string[],
): Act<Inputs, A> => ({
  ...act,
  summary,
  input: Object.fromEntries(
    names.flatMap((name) => (act.input[name] ? [[name, { ...act.input[name], isOptional: false }]] : [])),
  ),
})

/** Declares the inputs as options of a command, but for its arguments. */
export function declareInputs(
  command: CommandUnknownOpts,
  inputs: Inputs,
  given: readonly string[] = [],
): void {
  for (const [name, input] of Object.entries(inputs))
    if (!given.includes(name)) declareOption(command, name, input)
}

interface UsualOptions extends TableOptions {
  readonly as?: string
  readonly format?: 'text' | 'json'
  readonly [option: string]: unknown
}

function declareOption(command: CommandUnknownOpts, name: string, input: Input<unknown>): void {
  const { placeholder, says, isOptional, isSecret, isList, isDay, choices } = input
  const read = isDay ? dayOption : fitting(input)
  const option = optionOf(name)
  const flag = placeholder === '' ? option : `${option} <${placeholder}>`
  if (isSecret) command.option(`${option}-stdin`, `${says}; read from standard input`)
  else if (isList) command.option(flag, says, collect)
  else if (placeholder === '') command.option(flag, says)
  else if (choices) command.addOption(new Option(flag, says).choices(choices) as never)
  else if (isOptional) command.option(flag, says, read)
  else command.requiredOption(flag, says, read)
}

const fitting =
  ({ fits, takes }: Input<unknown>) =>
  (text: string): string => {
    if (text.trim() === '' || !fits || fits(text.trim())) return text
    throw new InvalidArgumentError(`It takes a ${takes}.`)
  }

/** The values of an option that may be repeated. */
export const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value]

/** Commander keeps options in camel case. */
export const textsOf = (options: Readonly<Record<string, unknown>>, inputs: Inputs): GivenTexts =>
  Object.fromEntries(Object.keys(inputs).map((name) => [name, textOf(options[keyOfOption(name)])]))

const keyOfOption = (name: string): string =>
  optionOf(name)
    .slice(2)
    .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The argument of an input in the usage line. */
const wordOf = (name: string, { placeholder = '' }: Partial<Input<unknown>>): string =>
  name === 'id' ? placeholder.toLowerCase() : optionOf(name).slice(2)

/** Asks at a terminal for missing inputs. Throws CommandError without one. */
async function completed(inputs: Inputs, given: readonly string[], texts: GivenTexts): Promise<GivenTexts> {
  const missing = Object.entries(inputs).filter(([name, { isAsked }]) => isAsked && !texts[name])
  if (missing.length === 0) return texts
  if (!terminalChooser())
    throw usageError(`Missing ${missing.map(([name]) => spelled(name, given)).join(', ')}: see --help`)
  const answers: [string, string][] = []
  for (const [name, { says, choices = [] }] of missing) {
    const hint = choices.length > 0 ? ` (${choices.join(', ')})` : ''
    let answer = ''
    while (answer === '') answer = await askLine(`${says}${hint}:`)
    answers.push([name, answer])
  }
  return { ...texts, ...Object.fromEntries(answers) }
}

const textOf = (value: unknown): string | undefined => {
  if (value === true) return 'yes'
  return Array.isArray(value) ? textOfList(value) : (value as string | undefined)
}

const textOfList = (values: readonly string[]): string | undefined =>
  values.length > 0 ? values.join('\n') : undefined

const argumentsOf = (given: readonly string[], words: readonly unknown[]): GivenTexts =>
  Object.fromEntries(given.map((name, index) => [name, textOf(words[index])]))

/** Secrets come from standard input, or are asked for twice at a terminal. */
async function secretsOf(
  inputs: Inputs,
  given: readonly string[],
  options: UsualOptions,
): Promise<GivenTexts> {
  const texts: Record<string, string> = {}
  const read = Object.keys(inputs).filter((name) => options[`${keyOfOption(name)}Stdin`])
  if (read.length > 1) throw usageError('Standard input has one secret: pass one option that reads it')
  for (const [name, { isSecret, isOptional }] of Object.entries(inputs)) {
    if (!isSecret || given.includes(name)) continue
    if (read.includes(name)) texts[name] = await secretFromInput()
    else if (!isOptional) texts[name] = await askTwice(name)
  }
  return texts
}

/** Secrets, and arguments that stay out of the shell's history. */
async function hiddenTexts(
  inputs: Inputs,
  given: readonly string[],
  texts: GivenTexts,
  options: UsualOptions,
): Promise<GivenTexts> {
  const asked = given.filter((name) => inputs[name]?.isSecret && texts[name] === '-')
  return { ...(await secretsOf(inputs, given, options)), ...(await typedFor(asked)) }
}

/** The argument `-` asks for a text, which stays out of the shell's history. */
const typedFor = async (asked: readonly string[]): Promise<GivenTexts> =>
  Object.fromEntries(
    await Promise.all(
      asked.map(async (name) => {
        const typed = process.stdin.isTTY ? await askSecret(`${name}: `) : await secretFromInput()
        return [name, typed.trim()] as const
      }),
    ),
  )

function askTwice(name: string): Promise<string> {
  if (!process.stdin.isTTY) throw usageError(`Not a terminal: pass ${optionOf(name)}-stdin`)
  return askNewSecret(name)
}

const spelled = (name: string, given: readonly string[]): string =>
  given.includes(name) ? `<${optionOf(name).slice(2)}>` : optionOf(name)

const lowerFirst = (text: string): string => text.replace(/^./, (letter) => letter.toLowerCase())

const upperFirst = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase())

const jsonOf = (json: unknown, { secret }: ActOutcome<unknown>) =>
  secret === undefined ? json : { ...(json as object), secret: secret.text }

/** The words of the log as a person at a terminal reads them, or a new secret; then the remarks. */
const outcomeLines = ({ log, secret, remarks = [] }: ActOutcome<unknown>): string[] => [
  ...(secret === undefined
    ? logLines(log)
    : [`${secret.name} ${secret.text}`, 'Copy the secret now: it is not shown again.']),
  ...remarks,
]

export const outcomeLine = (outcome: ActOutcome<unknown>): string => outcomeLines(outcome).join('\n')

const logLines = (log: ActOutcome<unknown>['log']): string[] =>
  log === undefined ? ['Nothing has changed'] : [log].flat().map(lineOf)

function lineOf(log: LoggedDeed): string {
  if ('action' in log) return upperFirst(log.action)
  return 'did' in log ? `${log.account}: ${log.did}` : `${log.name} = ${log.after}`
}

/** Carries out an act. Its question is asked at a terminal first; elsewhere an option answers. */
export async function carryOutAsking<I extends Inputs, A>(
  store: Store,
  act: Act<I, A>,
  by: TerminalAct,
  given: GivenTexts,
): Promise<ActOutcome<A>> {
  try {
    return await carryOutAs(store, act, by, given)
  } catch (error) {
    if (!isAskedAgain(error) || !process.stdin.isTTY || !(await agreesTo(questionOf(error)))) throw error
    return carryOutAs(store, act, by, { ...given, yes: 'yes' })
  }
}

/** Carries out an act for the person at a terminal. Throws Refusal. */
export const carryOutAs = async <I extends Inputs, A>(
  store: Store,
  act: Act<I, A>,
  by: TerminalAct,
  given: GivenTexts,
): Promise<ActOutcome<A>> => {
  if (act.isNamed && by.as === undefined && (await hasOwners(store))) throw missingAccount()
  return carryOut(act, await contextAt(store, by), given)
}

/** The context of an act of the person at a terminal. */
export async function contextAt(
  store: Store,
  { as, now, onProgress = noteDone }: TerminalAct,
): Promise<ActContext> {
  const [settings, actor] = await Promise.all([settingsOf(store), actorNamed(store, as)])
  return { store, settings, actor, now, namesAreTyped: true, onProgress }
}

/** The operator sets the key before an installation has an account, and names one from then on. */
const missingAccount = (): CommandError =>
  usageError(
    'The account that makes the change is missing: pass --as with the name of an admin, or of an account with permission api_settings',
  )

async function actorNamed(store: Store, as: string | undefined): Promise<ActingAccount> {
  const root = { id: ADMIN_ACCOUNT, owner_id: ADMIN_ACCOUNT, usertype: 'admin', permissions: '' } as const
  if (as === undefined) return { ...root, username: terminalUser() }
  return withOwnRights(await accountActing(store, as))
}
