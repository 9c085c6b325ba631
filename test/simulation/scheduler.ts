import type { Outside, RunningFunction } from './outside.ts'
import type { Draws } from './random.ts'

/** How a request ends. `killed` ends its invocation; a request that was `lost` was carried out. */
type Fate = 'done' | 'lost' | 'refused' | 'killed before' | 'killed after'

/** A request to something outside, until the scheduler answers it. */
export interface OutsideRequest<T = unknown> {
  readonly what: string
  perform(): Promise<T> | T
  /** The errors that it may get instead of being carried out, as AWS has them. */
  refusals(): readonly (() => Error)[]
  /** The error without an answer. */
  readonly lost: () => Error
  /** AWS's clients repeat a request without an answer, throttled or failed inside of AWS. */
  readonly repeats: (error: Error) => boolean
}

interface Parked {
  readonly request: OutsideRequest
  readonly of: RunningFunction
  readonly tries: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** How often each misfortune strikes: once in so many answers, 0 for never. A seed draws its own. */
export type Weather = Readonly<Record<Misfortune, number>>

/** `slow`: some seconds pass between two answers, so that functions run out of time. */
export const MISFORTUNES = ['killed', 'lost', 'refused', 'slow'] as const

export type Misfortune = (typeof MISFORTUNES)[number]

export const CALM: Weather = { lost: 0, refused: 0, killed: 0, slow: 0 }

export type Ending<T> = { readonly done: T } | { readonly failed: unknown } | 'killed'

export interface Scheduler {
  weather: Weather
  /** The requests that were answered. */
  readonly answered: number
  /** The invocations that have not ended. */
  readonly running: number
  /** Starts a function. Its ending is told before anything else happens. */
  start<T>(
    name: string,
    work: () => Promise<T>,
    ended: (ending: Ending<T>) => void,
    fallsAfter?: number,
  ): Promise<void>
  /** Sends a request of the current invocation. Outside of invocations it is carried out at once. */
  ask<T>(request: OutsideRequest<T>): Promise<T>
  /** Answers one waiting request or runs the next timer. Returns false if nothing waits. */
  step(): Promise<boolean>
}

/** AWS's clients try three times (lib/table/requests/aws-config.ts). */
const MOST_TRIES = 3

/** The clocks of functions differ by at most this. */
const MOST_SKEW_MS = 200

/** No function asks for so much of so small an installation. */
const MOST_REQUESTS = 5000

/** A request takes at most this, mostly less. */
const LONGEST_REQUEST_MS = 8

/** Decides which waiting request is answered next, and how: everything follows from the draws. */
export function createScheduler(
  outside: Outside,
  draws: Draws,
  tell: (line: string) => void,
  object: (wrong: string) => void,
): Scheduler {
  const living = new Map<RunningFunction, () => void>()
  const kill = (invocation: RunningFunction) => {
    invocation.isDead = true
    living.get(invocation)?.()
  }
  const parked = parkedRequests(draws, tell, kill, object)

  const scheduler: Scheduler = {
    weather: CALM,
    get answered() {
      return parked.answered()
    },
    get running() {
      return living.size
    },
    start: async (name, work, ended, fallsAfter = Number.POSITIVE_INFINITY) => {
      const invocation = {
        name,
        skewMs: draws.below(2 * MOST_SKEW_MS) - MOST_SKEW_MS,
        isDead: false,
        fallsAfter,
        answered: 0,
      }
      const end = (ending: Parameters<typeof ended>[0]) => {
        if (living.delete(invocation)) ended(ending)
      }
      living.set(invocation, () => end('killed'))
      outside.runIn(invocation, work).then(
        (done) => end({ done }),
        (failed: unknown) => end({ failed }),
      )
      await outside.untilAllWait()
    },
    ask: async (request) => {
      const of = outside.current()
      return of ? parked.park(request, of) : request.perform()
    },
    step: async () => {
      outside.now += draws.below(LONGEST_REQUEST_MS)
      if (!(await parked.answerOne(scheduler.weather))) {
        const next = outside.nextTimer()
        if (next === undefined) return false
        outside.now = Math.max(outside.now, next)
      }
      // The work that the answer has begun comes before the timers, however long its engine takes.
      await outside.untilAllWait()
      if (outside.runDue()) await outside.untilAllWait()
      return true
    },
  }
  return scheduler
}

/** The requests that wait. */
function parkedRequests(
  draws: Draws,
  tell: (line: string) => void,
  kill: (invocation: RunningFunction) => void,
  object: (wrong: string) => void,
) {
  let [waiting, answered]: [Parked[], number] = [[], 0]

  const killOf = ({ of }: Parked): void => {
    waiting = waiting.filter((other) => other.of !== of)
    kill(of)
  }
  const fail = (one: Parked, error: Error): void => {
    if (one.tries < MOST_TRIES && one.request.repeats(error)) waiting.push({ ...one, tries: one.tries + 1 })
    else one.reject(error)
  }
  const answer = async (one: Parked, fate: Fate): Promise<void> => {
    if (fate === 'killed before') return killOf(one)
    if (fate === 'refused') return fail(one, draws.one(one.request.refusals())())
    const outcome = await carriedOut(one.request)
    if (fate === 'killed after') return killOf(one)
    if ('error' in outcome) return fail(one, outcome.error)
    if (fate === 'lost') return fail(one, one.request.lost())
    one.resolve(outcome.value)
  }
  const drawnFate = ({ request, tries }: Parked, { lost, refused, killed }: Weather): Fate => {
    const mayRefuse = request.refusals().length > 0
    // A request that was throttled once is likely to be again: AWS's clients then give up.
    if (tries > 1 && mayRefuse && refused > 0 && draws.onceIn(2)) return 'refused'
    if (draws.onceIn(killed)) return draws.one(['killed before', 'killed after'])
    if (draws.onceIn(lost)) return 'lost'
    return mayRefuse && draws.onceIn(refused) ? 'refused' : 'done'
  }
  return {
    answered: () => answered,
    park: <T>(request: OutsideRequest<T>, of: RunningFunction) =>
      new Promise<T>((resolve, reject) => {
        // The promises of a dead function never end, as its code does not run on.
        if (of.isDead) return
        waiting.push({ request, of, tries: 1, resolve: resolve as Parked['resolve'], reject })
      }),
    /** Returns false if nothing waits. */
    answerOne: async (weather: Weather): Promise<boolean> => {
      const chosen = waiting[draws.below(waiting.length)]
      if (!chosen) return false
      waiting = waiting.filter((other) => other !== chosen)
      answered += 1
      chosen.of.answered += 1
      if (chosen.of.answered > MOST_REQUESTS) {
        object(`endless: ${chosen.of.name} still asks: ${chosen.request.what}`)
        killOf(chosen)
        return true
      }
      const falls = chosen.of.answered > chosen.of.fallsAfter
      const fate = falls ? draws.one<Fate>(['killed before', 'killed after']) : drawnFate(chosen, weather)
      if (fate !== 'done') tell(`${chosen.of.name}: ${chosen.request.what} is ${fate}`)
      await answer(chosen, fate)
      return true
    },
  }
}

const carriedOut = async (
  request: OutsideRequest,
): Promise<{ readonly value: unknown } | { readonly error: Error }> => {
  try {
    return { value: await request.perform() }
  } catch (error) {
    return { error: error as Error }
  }
}
