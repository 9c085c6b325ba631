import { listAccounts } from '#lib/accounts/account.ts'
import { findWholeAccount, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { type Day, type Days, type DaysFromTo, firstOfMonth, LAST_DAY, today } from '#lib/base/calendar.ts'
import { isDay } from '#lib/base/day.ts'
import { isPositive, type Money, typedAmount } from '#lib/base/money.ts'
import { nearestNames } from '#lib/base/nearest.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { isOwnCustomerOrSelf, seesEveryone } from '#lib/base/scope.ts'
import { fitsXml, MAX_TEXT_LENGTH } from '#lib/base/text.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { callerKey } from '#lib/table/keys.ts'
import type { ActContext } from './context.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly unknown_account: { readonly account: string; readonly nearest: readonly string[] }
    /** An unknown name gets the same answer as a hidden one. `noun` is the kind of thing that is named. */
    readonly unknown_name: {
      readonly noun: ListedNoun
      readonly name: string
      readonly nearest?: readonly string[]
    }
    readonly unfit_secret: { readonly takes: string }
    readonly unstorable_text: Record<never, never>
    readonly days_reversed: { readonly from: Day; readonly till: Day }
  }
}

/** Things that have a list, at the terminal and on the page. */
export type ListedNoun =
  | 'intake'
  | 'key'
  | 'webhook'
  | 'setting'
  | 'suspended CDR'
  | 'tariff'
  | 'provider'
  | 'failed import'
  | 'hold'

/**
 * An input of an act. The option of its command, the parameter of the console's API and their texts follow
 * from it.
 */
export interface Input<T> {
  /** The accepted form, such as `decimal number above 0`. */
  readonly takes: string
  /** Its value in the usage line of a command, such as `AMOUNT`; blank for a switch. */
  readonly placeholder: string
  readonly says: string
  readonly isOptional: boolean
  /** A password or a key: no message and no log repeats it, and a terminal asks for it. */
  readonly isSecret?: true
  /** Blanks around it are a part of it. */
  readonly isExact?: true
  /** A blank text is a value, and not one that is missing. */
  readonly takesBlank?: true
  /** A text is right or wrong by itself, so that a command refuses it before it looks for a table. */
  readonly fits?: (text: string) => boolean
  /** A terminal also takes `today` and `yesterday`, in the zone of the installation. */
  readonly isDay?: true
  /** A terminal asks for it if it is missing, and offers these. */
  readonly isAsked?: true
  readonly choices?: readonly string[]
  /** Several texts, each in a line of its own. A command has the option several times. */
  readonly isList?: true
  /** Reads a text that is not blank. Throws Refusal. */
  read(text: string, name: string, context: ActContext): T | Promise<T>
}

/** An input that is read without looking into the table. */
export interface PlainInput<T> extends Input<T> {
  read(text: string, name: string): T
}

export type Inputs = Readonly<Record<string, Input<unknown>>>

export type InputValues<I extends Inputs> = {
  readonly [N in keyof I]: I[N] extends Input<infer T> ? T : never
}

/** The texts that a mouth was given, by the names of inputs. Blank counts as not given. */
export type GivenTexts = Readonly<Record<string, string | undefined>>

/** Reads the inputs of an act. Throws Refusal for the first one that is wrong or missing. */
export async function readInputs<I extends Inputs>(
  inputs: I,
  given: GivenTexts,
  context: ActContext,
): Promise<InputValues<I>> {
  const values: Record<string, unknown> = {}
  for (const [name, input] of Object.entries(inputs)) {
    const text = givenText(input, name, given)
    values[name] = text === undefined ? undefined : await input.read(text, name, context)
  }
  return values as InputValues<I>
}

/** The same for inputs that are read without looking into the table. */
export function readPlainInputs<I extends Readonly<Record<string, PlainInput<unknown>>>>(
  inputs: I,
  given: GivenTexts,
): InputValues<I> {
  const entries = Object.entries(inputs).map(([name, input]) => {
    const text = givenText(input, name, given)
    return [name, text === undefined ? undefined : input.read(text, name)]
  })
  return Object.fromEntries(entries) as InputValues<I>
}

/** The text of an input; `undefined` if it is left out. Throws Refusal if it must not be. */
function givenText(
  { isExact, isOptional, takes, takesBlank }: Input<unknown>,
  name: string,
  given: GivenTexts,
): string | undefined {
  const text = isExact ? given[name] : given[name]?.trim()
  if (text !== undefined && (text !== '' || takesBlank)) return text
  if (!isOptional) throw new Refusal('missing_value', { takes }, name)
  return undefined
}

/** The texts that may be digested and stored. */
export const storableTexts = (inputs: Inputs, given: GivenTexts): GivenTexts =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !inputs[name]?.isSecret))

export const inputOf =
  <T>(takes: string, placeholder: string, readText: (text: string) => T | undefined) =>
  (says: string): PlainInput<T> => ({
    takes,
    placeholder,
    says,
    isOptional: false,
    fits: (text) => readText(text) !== undefined,
    read: (text, name) => {
      const value = readText(text)
      if (value === undefined) throw new Refusal('wrong_value', { value: text, takes }, name)
      return value
    },
  })

export const optionalInput = <I extends Input<unknown>>(input: I): Optional<I> =>
  ({ ...input, isOptional: true }) as unknown as Optional<I>

type Optional<I> =
  I extends PlainInput<infer T>
    ? PlainInput<T | undefined>
    : I extends Input<infer T>
      ? Input<T | undefined>
      : never

/** A text that may be stored, so it must fit into an answer. */
export const textInput = (says: string): PlainInput<string> => ({
  ...inputOf('text', 'TEXT', (given) => given)(says),
  read: (given, name) => {
    if (fitsXml(given) && given.length <= MAX_TEXT_LENGTH) return given
    throw new Refusal('unstorable_text', {}, name)
  },
})

export const amountInput: (says: string) => PlainInput<Money> = inputOf(
  'decimal number',
  'AMOUNT',
  typedAmount,
)

export const positiveAmountInput: (says: string) => Input<Money> = inputOf(
  'decimal number above 0',
  'AMOUNT',
  (given) => {
    const typed = typedAmount(given)
    return typed !== undefined && isPositive(typed) ? typed : undefined
  },
)

const plainDayInput = inputOf('day as YYYY-MM-DD', 'DAY', (given) => (isDay(given) ? given : undefined))

export const dayInput = (says: string): PlainInput<Day> => ({ ...plainDayInput(says), isDay: true })

/** Throws Refusal for days in the wrong order. */
export function refuseReversed({ from = '', till = LAST_DAY }: DaysFromTo): void {
  if (from > till) throw new Refusal('days_reversed', { from, till }, 'from')
}

/** The chosen days; by default this month up to today. Throws Refusal for the wrong order. */
export function daysToToday(
  { from, till }: DaysFromTo,
  now: Date,
  { Timezone }: Pick<Settings, 'Timezone'>,
): Days {
  const last = till ?? today(now, Timezone)
  const days = { from: from ?? firstOfMonth(last), till: last }
  refuseReversed(days)
  return days
}

/** One of these words. */
export const choiceInput = <const W extends string>(
  ...words: readonly W[]
): ((says: string) => PlainInput<W>) =>
  inputOf(words.join(' or '), words.join('|').toUpperCase(), (given) => words.find((word) => word === given))

/** A value that no message and no log repeats. */
export const secretInput = (
  says: string,
  takes: string,
  isFit: (text: string) => boolean,
): PlainInput<string> => ({
  takes,
  placeholder: 'SECRET',
  says,
  isOptional: false,
  isSecret: true,
  isExact: true,
  read: (text, name) => {
    if (isFit(text)) return text
    throw new Refusal('unfit_secret', { takes }, name)
  },
})

/** Several texts, each of which `readText` reads. */
export const listInput =
  <T>(takes: string, placeholder: string, readText: (text: string) => T | undefined) =>
  (says: string): PlainInput<readonly T[]> => ({
    ...inputOf(takes, placeholder, (text) => text)(says),
    isList: true,
    read: (given, name) =>
      given.split('\n').map((text) => {
        const value = readText(text.trim())
        if (value === undefined) throw new Refusal('wrong_value', { value: text, takes }, name)
        return value
      }),
  })

export const monthInput: (says: string) => PlainInput<string> = inputOf(
  'month as YYYY-MM',
  'MONTH',
  (given) => (isDay(`${given}-01`) ? given : undefined),
)

/** The place in a list after which a page begins. */
export const pageKeyInput = (isPlace: (text: string) => boolean): ((says: string) => PlainInput<string>) =>
  inputOf('page key', 'KEY', (text) => (isPlace(text) ? text : undefined))

/** The id of a stored thing. */
export const idInput: (says: string) => PlainInput<number> = inputOf('whole number', 'ID', idIn)

/** A switch that is on when it is sent as `yes`. */
export const switchInput = (says: string): Input<true | undefined> => ({
  ...inputOf('yes', '', (given): true | undefined => given === 'yes' || undefined)(says),
  isOptional: true,
})

/** The id that a text is; `undefined` for any other text. */
export function idIn(given: string): number | undefined {
  return /^\d{1,15}$/.test(given) ? Number(given) : undefined
}

/**
 * An account that the actor may see: by its id, or where names are typed by its username, otherwise its id.
 * A hidden account is refused in the same words as a missing one.
 */
export const accountInput = (says: string): Input<WholeAccount> => ({
  takes: 'username or id of an account',
  placeholder: 'ACCOUNT',
  says,
  isOptional: false,
  read: async (given, name, context) => {
    const { actor, namesAreTyped } = context
    const found = await findNamed(given, context)
    const seesAll = seesEveryone(actor)
    if (found && (seesAll || isOwnCustomerOrSelf(actor, found))) return found
    const usernames = namesAreTyped && seesAll ? await listUsernames(context) : []
    throw new Refusal('unknown_account', { account: given, nearest: nearestNames(given, usernames) }, name)
  },
})

async function findNamed(
  given: string,
  { store, namesAreTyped }: ActContext,
): Promise<WholeAccount | undefined> {
  const named = namesAreTyped ? await store.get(callerKey(given)) : undefined
  if (named) return findWholeAccount(store, Number(named['id']))
  const accountId = idIn(given)
  return accountId === undefined ? undefined : findWholeAccount(store, accountId)
}

const listUsernames = ({ store }: ActContext): Promise<string[]> =>
  Array.fromAsync(listAccounts(store), ({ username }) => username)
