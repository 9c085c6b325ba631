import type { AccountType } from '#lib/base/account-types.ts'
import { DAY_SECONDS, secondsOf } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { inAuditLog, type LoggedDeed, openLogEntry } from '#lib/settings/audit-log.ts'
import { mayChangeSettings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { keyForm } from '#lib/table/keys.ts'
import { absent, type Change, combined } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import type { ActContext } from './context.ts'
import {
  type GivenTexts,
  type Inputs,
  type InputValues,
  readInputs,
  storableTexts,
  switchInput,
} from './inputs.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** `lacks` is the permission that would admit the account, too. */
    readonly not_permitted: { readonly usertype: string; readonly lacks?: string }
    /** An equal act was carried out within a day. A person confirms that this is another one. */
    readonly repeated: { readonly what: string }
    readonly already_done: { readonly at: string }
    readonly key_used: { readonly at: string }
  }
}

/** A run's context: another id is drawn after each race that it lost. */
export interface RunContext extends ActContext {
  readonly lostRaces: number
}

/**
 * The decision of an act: its changes, which are written in one transaction with its entry of the log, and
 * its answer. An act that changes nothing has an answer alone.
 */
export type Done<A> = Changed<A> | Begun<A> | { readonly answer: A }

/** An act of many writes, each whole by itself, such as a re-rating of all calls. */
interface Begun<A> {
  /** The entry of the log before the first step: an interrupted act has it, too. */
  readonly begins?: Words
  /** The changes of the same transaction as that entry. */
  readonly changes?: readonly Change[]
  /** The run that several requests continue: its entry is the same one. */
  readonly run?: { readonly at: string; readonly id: string }
  /** Yields the progress so far. */
  steps(): AsyncGenerator<ActStep, Ended<A>>
}

/**
 * The end of an act of many writes: `did` replaces the words of its entry, stored with the last changes. With
 * null, the act has changed nothing, and its entry is removed.
 */
interface Ended<A> {
  readonly answer: A
  readonly did: Words | null | undefined
  readonly changes?: readonly Change[]
}

/** An entry of the log, or the words of an action. */
type Words = string | LoggedDeed

const deedOf = (words: Words): LoggedDeed => (typeof words === 'string' ? { action: words } : words)

/** The progress so far; or the words of the log from now on, of an act that may change nothing. */
export type ActStep = string | { readonly done: number; readonly total: number } | { readonly logs: string }

interface Changed<A> {
  readonly changes: readonly Change[]
  readonly answer: A
  /** Several deeds have an entry each. */
  readonly log: LoggedDeed | readonly LoggedDeed[]
  readonly secret?: ShownSecret | undefined
  /** The answer has secrets: the key of a request does not keep it. */
  readonly hasSecrets?: boolean
  /** Sentences for the person, such as prefixes that are now sold below cost. */
  readonly remarks?: readonly string[] | undefined
  /** Runs once the changes are stored, such as the look at a balance's thresholds. */
  readonly afterwards?: (() => Promise<unknown>) | undefined
}

/** A new secret, which is shown this once. The key of a request does not keep it. */
export interface ShownSecret {
  /** The name that is used with it. */
  readonly name: string
  readonly text: string
}

/**
 * One thing that a person or a program does to the books. A mouth gives it texts and shows its answer; rules,
 * guards, rights, log entries and sentences are the act's.
 */
export interface Act<I extends Inputs = Inputs, A = unknown> {
  /** An imperative sentence without a full stop, for `--help` and the documentation. */
  readonly summary: string
  /** The types of account that may carry it out. Its run decides for which customers. */
  readonly callers?: readonly AccountType[]
  /** `settings` admits the accounts of any type that may change settings. */
  readonly permission?: 'settings'
  /** At a terminal, `--as` has to name who carries it out, once there is an account. */
  readonly isNamed?: true
  readonly input: I
  /** Its run also gets texts of other names, and refuses them with what else is wrong. */
  readonly readsOthers?: true
  run(context: RunContext, input: InputValues<I>): Promise<Done<A>>
  /** Names what equals the answer within a day, which is rarely meant twice: `again` is then needed. */
  repeats?(context: ActContext, answer: A, input: InputValues<I>): Promise<string | undefined>
}

/** Declares an act. One with a guard against repetition has the input `again`. */
export const defineAct = <const I extends Inputs, A>(act: Act<I, A>): Act<I, A> =>
  act.repeats ? { ...act, input: { ...act.input, again: AGAIN } } : act

const AGAIN = switchInput('carry it out although an equal one was carried out within a day')

export interface ActOutcome<A> {
  readonly answer: A
  /** The words of the log; missing if nothing has changed. */
  readonly log?: LoggedDeed | readonly LoggedDeed[] | undefined
  readonly secret?: ShownSecret | undefined
  readonly remarks?: readonly string[] | undefined
}

/**
 * Reads the inputs of an act, runs it, and writes its changes, its entry of the log and the key of its
 * request in one transaction. It runs again when something that it read has changed meanwhile. All attempts
 * with one key are carried out once, and have the answer of the first. Throws Refusal.
 */
export async function carryOut<I extends Inputs, A>(
  act: Act<I, A>,
  context: ActContext,
  given: GivenTexts,
  requestKey?: string,
): Promise<ActOutcome<A>> {
  const { store, actor } = context
  requireCaller(act, actor)
  const claim = requestKey ? claimOf(context, requestKey, storableTexts(act.input, given)) : undefined
  const outcome = await retryingRaces(store, async (lostRaces) => {
    // A change of the day of balances waits a second for readers of the settings, not for their races.
    const settings = lostRaces === 0 ? context.settings : await settingsOf(store)
    return attempt(act, { ...context, settings, lostRaces }, given, claim)
  })
  return 'work' in outcome ? outcome.work() : outcome
}

/** Throws Refusal for an account whose type or permissions an act or an operation does not admit. */
export function requireCaller(
  { callers, permission }: Pick<Act, 'callers' | 'permission'>,
  actor: Rights,
): void {
  const isCaller = permission ? mayChangeSettings(actor) : callers?.includes(actor.usertype)
  const { usertype } = actor
  if (!isCaller)
    throw new Refusal('not_permitted', permission ? { usertype, lacks: 'api_settings' } : { usertype })
}

type Rights = Parameters<typeof mayChangeSettings>[0]

async function attempt<I extends Inputs, A>(
  act: Act<I, A>,
  context: RunContext,
  given: GivenTexts,
  claim: Claim | undefined,
): Promise<ActOutcome<A> | Work<A>> {
  const earlier = await findEarlier<A>(context.store, claim)
  if (earlier) return earlier
  const read = await readInputs(act.input, given, context)
  const input = act.readsOthers ? { ...given, ...read } : read
  const done = await act.run(context, input)
  if ('steps' in done) return begin(context, done, claim)
  if (!('changes' in done)) return done
  const equal = given['again'] ? undefined : await act.repeats?.(context, done.answer, input)
  if (equal === undefined) return commit(context, done, claim)
  // The equal one may be this request's own, carried out since by another attempt.
  const own = await findEarlier<A>(context.store, claim)
  if (own) return own
  throw new Refusal('repeated', { what: equal })
}

/** The steps of an act that has begun. */
interface Work<A> {
  readonly work: () => Promise<ActOutcome<A>>
}

/** Logs what begins, and returns the work: a race that a step loses does not repeat the whole. */
async function begin<A>(
  { store, now, actor, onProgress }: ActContext,
  { begins, changes, run, steps }: Begun<A>,
  claim: Claim | undefined,
): Promise<Work<A>> {
  const entryOf = openLogEntry({ at: run?.at ?? now.toISOString(), who: actor.username }, run?.id)
  const log = changingWords(store, entryOf, claim)
  await log(begins, changes)
  onProgress?.('begun')
  const work = async () => {
    const running = steps()
    let step = await running.next()
    for (; !step.done; step = await running.next())
      if (typeof step.value === 'object' && 'logs' in step.value) await log(step.value.logs)
      else onProgress?.(step.value)
    const { answer, did, changes: last } = step.value
    await log(did, last)
    return { answer, log: did ? deedOf(did) : undefined }
  }
  return { work }
}

/** Replaces the words of an entry, or removes it. The first words claim the key of the request. */
function changingWords(store: Store, entryOf: ReturnType<typeof openLogEntry>, claim: Claim | undefined) {
  let logged: Words | null | undefined
  const entry = (words: Words | null): Change[] => {
    const claims = logged === undefined && claim ? [{ put: claim, when: { PK: absent } }] : []
    return [entryOf(words === null ? null : deedOf(words)), ...claims]
  }
  return async (words: Words | null | undefined, changes: readonly Change[] = []) => {
    const isNew = words !== undefined && words !== logged
    const all = [...changes, ...(isNew ? entry(words) : [])]
    if (all.length > 0) await store.transact(all)
    if (isNew) logged = words
  }
}

async function commit<A>(
  { store, now, actor }: ActContext,
  { changes, afterwards, hasSecrets, ...outcome }: Changed<A>,
  claim: Claim | undefined,
): Promise<ActOutcome<A>> {
  const entries = [outcome.log]
    .flat()
    .map((deed) => inAuditLog({ at: now.toISOString(), who: actor.username, ...deed }))
  const kept = claim ? [keepingAnswer(claim, hasSecrets ? undefined : outcome)] : []
  await store.transact(combined([...changes, ...entries, ...kept]))
  await afterwards?.()
  return outcome
}

/** A request that was carried out: a form whose answer was lost is sent again, by the next day. */
export const doneRequestKey = keyForm('SETTINGS', 'DONE#<account_id>#<digest>')

export const REPEATED_SECONDS = 2 * DAY_SECONDS

/** A longer answer, or one with a secret, is not kept: a repetition is answered with the act's time. */
const LONGEST_KEPT_ANSWER = 4000

const claimOf = ({ actor, now }: ActContext, requestKey: string, given: GivenTexts) => ({
  ...doneRequestKey(actor.id, hexDigest(requestKey)),
  at: now.toISOString(),
  values: hexDigest(JSON.stringify(Object.entries(given).toSorted())),
  expires_at: secondsOf(now) + REPEATED_SECONDS,
})

type Claim = ReturnType<typeof claimOf>

/** The outcome of the same request; refuses a key that was used for another one. */
async function findEarlier<A>(store: Store, claim: Claim | undefined): Promise<ActOutcome<A> | undefined> {
  const done = claim && (await store.get(claim))
  if (!done) return undefined
  const at = String(done['at'])
  if (done['values'] !== claim.values) throw new Refusal('key_used', { at })
  if (done['outcome'] === undefined) throw new Refusal('already_done', { at })
  return JSON.parse(String(done['outcome'])) as ActOutcome<A>
}

function keepingAnswer(claim: Claim, outcome: ActOutcome<unknown> | undefined): Change {
  const text = JSON.stringify(outcome)
  const isKept = outcome && outcome.secret === undefined && text.length <= LONGEST_KEPT_ANSWER
  const kept = isKept ? { outcome: text } : {}
  return { put: { ...claim, ...kept }, when: { PK: absent } }
}
