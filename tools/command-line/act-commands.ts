import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { type Act, type ActOutcome, carryOut } from '#lib/acts/act.ts'
import type { ActContext, ActingAccount } from '#lib/acts/context.ts'
import type { GivenTexts, Input, Inputs } from '#lib/acts/inputs.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT, withOwnRights } from '#lib/base/scope.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { printLine, terminalUser } from '../machine/terminal.ts'
import { shownFormat } from './listing.ts'
import { accountActing, changeByActs, type TerminalAct } from './over-table.ts'
import { optionOf, refusedCommand } from './remedies.ts'

/**
 * Declares the command of an act. The inputs in `given` are its arguments, in their order; the others are
 * options. It prints the words of the log, or with `--format json` the answer.
 */
export function actCommand<I extends Inputs, A>(
  noun: CommandUnknownOpts,
  verb: string,
  act: Act<I, A>,
  given: readonly (keyof I & string)[],
): void {
  const command = noun.command(verb).description(lowerFirst(act.summary))
  for (const name of given) command.argument(`<${name}>`, act.input[name]?.says)
  for (const [name, input] of Object.entries(act.input))
    if (!given.includes(name)) declareOption(command, name, input)
  command.addOption(shownFormat()).action((...words: readonly unknown[]) => {
    const { as, format, ...options } = (words.at(-1) as CommandUnknownOpts).optsWithGlobals() as UsualOptions
    const texts = { ...textsOf(options, act.input), ...argumentsOf(given, words) }
    return changeByActs(options, async (store) => {
      const outcome = await carryOutAs(store, act, { as, now: new Date() }, texts).catch((error: unknown) => {
        throw error instanceof Refusal ? refusedCommand(error, (name) => spelled(name, given)) : error
      })
      printLine(format === 'json' ? JSON.stringify(outcome.answer, null, 2) : outcomeLine(outcome))
      return 0
    })
  })
}

interface UsualOptions {
  readonly as?: string
  readonly format?: 'text' | 'json'
  readonly [option: string]: unknown
}

function declareOption(
  command: CommandUnknownOpts,
  name: string,
  { placeholder, says, isOptional }: Input<unknown>,
): void {
  const flag = placeholder === '' ? optionOf(name) : `${optionOf(name)} <${placeholder}>`
  if (isOptional) command.option(flag, says)
  else command.requiredOption(flag, says)
}

/** Commander keeps options in camel case, as the names of inputs are. */
const textsOf = (options: UsualOptions, inputs: Inputs): GivenTexts =>
  Object.fromEntries(
    Object.keys(inputs).map((name) => {
      const value = options[name]
      return [name, value === true ? 'yes' : (value as string | undefined)]
    }),
  )

const argumentsOf = (given: readonly string[], words: readonly unknown[]): GivenTexts =>
  Object.fromEntries(given.map((name, index) => [name, words[index] as string]))

const spelled = (name: string, given: readonly string[]): string =>
  given.includes(name) ? `<${name}>` : optionOf(name)

const lowerFirst = (text: string): string => text.replace(/^./, (letter) => letter.toLowerCase())

const upperFirst = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase())

/** The words of the log as a person at a terminal reads them. */
export function outcomeLine({ log }: ActOutcome<unknown>): string {
  if (log === undefined) return 'Nothing has changed'
  return 'action' in log ? upperFirst(log.action) : `${log.account}: ${log.did}`
}

/** Carries out an act for the person at a terminal. Throws Refusal. */
export const carryOutAs = async <I extends Inputs, A>(
  store: Store,
  act: Act<I, A>,
  { as, now }: TerminalAct,
  given: GivenTexts,
): Promise<ActOutcome<A>> => {
  const [settings, actor] = await Promise.all([settingsOf(store), actorNamed(store, as)])
  const context: ActContext = { store, settings, actor, now, namesAreTyped: true }
  return carryOut(act, context, given)
}

async function actorNamed(store: Store, as: string | undefined): Promise<ActingAccount> {
  const root = { id: ADMIN_ACCOUNT, owner_id: ADMIN_ACCOUNT, usertype: 'admin', permissions: '' } as const
  if (as === undefined) return { ...root, username: terminalUser() }
  return withOwnRights(await accountActing(store, as))
}
