import { type Act, type ActOutcome, carryOut } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import type { GivenTexts, Inputs } from '#lib/acts/inputs.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { loginOfSession } from '../login.ts'
import type { AnswerGiven, OperationPath, Verb } from './answers/answers.ts'
import {
  type ConsoleParameter,
  type ConsoleRequest,
  type Operation,
  operation,
  type WithCookie,
} from './resource.ts'

type Shown<R> = R | WithCookie<R>

interface Show<A, R> {
  readonly show: (request: ConsoleRequest, answer: A, outcome: ActOutcome<A>) => Promise<Shown<R>> | Shown<R>
}

interface OfAct {
  /** The consents of the person, given before the page sends the request. */
  readonly agreed?: GivenTexts
  /** Says more of an error of the act. */
  readonly refuse?: (given: GivenTexts) => (error: unknown) => never
}

/**
 * The operation of an act: its callers and parameters are those of the act. `show` makes the answer of the
 * act's, if that is another one. A parameter in the path has the name of its input.
 */
export const actOperation = <
  const V extends Exclude<Verb, 'GET'>,
  const O extends OperationPath<V>,
  I extends Inputs,
  A,
>(
  verb: V,
  path: O,
  act: Act<I, A>,
  ...[of = {}]: A extends AnswerGiven<V, O>
    ? [of?: OfAct & Partial<Show<A, AnswerGiven<V, O>>>]
    : [of: OfAct & Show<A, AnswerGiven<V, O>>]
): Operation => {
  const { agreed, refuse, show }: OfAct & Partial<Show<A, AnswerGiven<V, O>>> = of
  return operation<V, O, ReturnType<typeof paramsOf>>(verb, path, {
    summary: `${act.summary}.`,
    callers: act.callers ?? ACCOUNT_TYPES,
    ...(act.permission && { permission: act.permission }),
    params: paramsOf(act.input),
    run: async (request) => {
      const others = act.readsOthers ? request.raw : {}
      const given = { ...others, ...request.params, ...agreed }
      const outcome = await carryOutHere(request, act, given).catch(refuse?.(given))
      return show ? show(request, outcome.answer, outcome) : (outcome.answer as AnswerGiven<V, O>)
    },
  })
}

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
