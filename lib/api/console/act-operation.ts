import type { GenericSchema, InferInput } from 'valibot'
import { type Act, type ActOutcome, carryOut } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import type { GivenTexts, Inputs } from '#lib/acts/inputs.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { loginOfSession } from '../login.ts'
import {
  type ConsoleParameter,
  type ConsoleRequest,
  type Operation,
  operation,
  type WithCookie,
} from './resource.ts'

type Show<A, S extends GenericSchema> = (
  request: ConsoleRequest,
  answer: A,
  outcome: ActOutcome<A>,
) => Promise<Shown<S>> | Shown<S>

type Shown<S extends GenericSchema> = InferInput<S> | WithCookie<InferInput<S>>

type AnswerOfAct<A, S extends GenericSchema> = {
  readonly answer: S
  /** The consents of the person, given before the page sends the request. */
  readonly agreed?: GivenTexts
  /** Says more of an error of the act. */
  readonly refuse?: (given: GivenTexts) => (error: unknown) => never
} & (A extends InferInput<S> ? { readonly show?: Show<A, S> } : { readonly show: Show<A, S> })

/**
 * The operation of an act: its callers and parameters are those of the act. `show` makes the answer of the
 * act's, if that is another one. A parameter in the path has the name of its input.
 */
export const actOperation = <I extends Inputs, A, S extends GenericSchema>(
  verb: Exclude<Operation['verb'], 'GET'>,
  path: string,
  act: Act<I, A>,
  { answer, agreed, refuse, show }: AnswerOfAct<A, S>,
): Operation =>
  operation(verb, path, {
    summary: `${act.summary}.`,
    callers: act.callers ?? ACCOUNT_TYPES,
    ...(act.permission && { permission: act.permission }),
    params: paramsOf(act.input),
    answer,
    run: async (request) => {
      const others = act.readsOthers ? request.raw : {}
      const given = { ...others, ...request.params, ...agreed }
      const outcome = await carryOutHere(request, act, given).catch(refuse?.(given))
      return show ? show(request, outcome.answer, outcome) : (outcome.answer as InferInput<S>)
    },
  })

export const contextFor = (
  { store, settings, clock }: Pick<ConsoleRequest, 'store' | 'settings' | 'clock'>,
  actor: ActContext['actor'],
): ActContext => ({
  ...{ store, settings, actor, now: clock(), namesAreTyped: false, mostAtOnce: MOST_AT_ONCE },
})

/** The context of an act of the session's account. */
export const contextHere = (request: ConsoleRequest): ActContext => ({
  ...contextFor(request, request.caller),
  login: loginOfSession(request),
})

/** Carries out an act for the account of the session. */
export const carryOutHere = <I extends Inputs, A>(
  request: ConsoleRequest,
  act: Act<I, A>,
  given: GivenTexts,
): Promise<ActOutcome<A>> => carryOut(act, contextHere(request), given, request.requestKey)

/** A hundred changes and their counters take some seconds. */
const MOST_AT_ONCE = 100

/** The act reads its texts. */
export const paramsOf = (inputs: Inputs): Readonly<Record<string, ConsoleParameter<string | undefined>>> =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, { takes, says }]) => [
      name,
      { describes: `${takes}: ${says}`, read: (raw?: string) => raw },
    ]),
  )
