import { AsyncLocalStorage } from 'node:async_hooks'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import nodeTimers from 'node:timers'
import timersPromises from 'node:timers/promises'
import zlib from 'node:zlib'
import type { Draws } from './random.ts'

/** One run of a function, a command or a request of a browser: what a kill ends, and what has a clock. */
export interface RunningFunction {
  readonly name: string
  /** Its clock is ahead by this. */
  readonly skewMs: number
  isDead: boolean
  /** It is killed when so many of its requests are answered. */
  readonly fallsAfter: number
  /** Its requests that were answered. */
  answered: number
}

interface Timer {
  readonly at: number
  /** Timers of one moment are due in the order in which they were set. */
  readonly turn: number
  readonly of: RunningFunction | undefined
  readonly run: () => void
}

/** The clock, the timers and the random numbers of this process, in one hand. */
export interface Outside {
  /** In milliseconds of Unix time. */
  now: number
  readonly current: () => RunningFunction | undefined
  /** Runs work whose clock, timers and requests are those of the invocation. */
  runIn<T>(invocation: RunningFunction, work: () => T): T
  /** The moment of the next timer of a living invocation. */
  nextTimer(): number | undefined
  /** Runs the timers that are due. Returns false if none is. */
  runDue(): boolean
  /** Lets real time pass for a request to something outside of this process, and for nothing else. */
  really<T>(work: () => Promise<T>): Promise<T>
  /** Returns when all code waits for a request, a timer or the scheduler. */
  untilAllWait(): Promise<void>
  restore(): void
}

const real = {
  Date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  random: Math.random,
  performanceNow: performance.now,
  crypto: { ...crypto },
  compress: streamsOfZlib()._transform,
  pause: timersPromises.setTimeout,
}

type Work = (this: unknown, ...given: unknown[]) => unknown

/** Work of another thread, which tells its last argument its end: it counts as waiting until then. */
function told(work: Work, asked: { count: number }): Work {
  return function (this: unknown, ...given) {
    asked.count += 1
    const done = given.pop() as Work
    work.call(this, ...given, (...outcome: unknown[]) => {
      asked.count -= 1
      done(...outcome)
    })
  }
}

/** What all streams of zlib inherit from. */
function streamsOfZlib(): { readonly _transform: Work } {
  return Object.getPrototypeOf(Object.getPrototypeOf(zlib.Gzip.prototype))
}

/** Replaces what production code takes from the process itself. One simulation at a time. */
export function takeOver(draws: Draws, start: number): Outside {
  const running = new AsyncLocalStorage<RunningFunction>()
  const timers = new Set<Timer>()
  const asking = new AsyncLocalStorage<true>()
  const [asked, turns] = [{ count: 0 }, { count: 0 }]
  const time = () => (asking.getStore() ? real.Date.now() : outside.now + (running.getStore()?.skewMs ?? 0))
  const fire = ({ of, run }: Timer): void => (of ? running.run(of, run) : run())
  const due = () =>
    [...timers]
      .filter(({ of }) => !of?.isDead)
      .sort((one, other) => one.at - other.at || one.turn - other.turn)

  const outside: Outside = {
    now: start,
    current: () => running.getStore(),
    runIn: (invocation, work) => running.run(invocation, work),
    nextTimer: () => due()[0]?.at,
    runDue: () => {
      const ready = due().filter(({ at }) => at <= outside.now)
      for (const timer of ready) if (timers.delete(timer)) fire(timer)
      return ready.length > 0
    },
    really: async (work) => {
      asked.count += 1
      return asking.run(true, work).finally(() => {
        asked.count -= 1
      })
    },
    // Files are read by other threads, and an engine answers what a function asks it beside the scheduler.
    untilAllWait: async () => {
      do await nextTurn()
      while (asked.count > 0 || process.getActiveResourcesInfo().some((name) => READS.test(name)))
    },
    restore,
  }

  class SimulatedDate extends real.Date {
    constructor(...given: readonly unknown[]) {
      super(...((given.length === 0 ? [time()] : given) as [number]))
    }
    static override now(): number {
      return time()
    }
    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof real.Date
    }
  }

  const setTimer = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
    if (asking.getStore()) return real.setTimeout(run, ms, ...given)
    const at = outside.now + Math.max(0, Number(ms) || 0)
    const timer = { at, turn: turns.count++, of: running.getStore(), run: () => run(...given) }
    timers.add(timer)
    const handle = { ref: () => handle, unref: () => handle, hasRef: () => true, timer }
    return handle
  }

  globalThis.Date = SimulatedDate as DateConstructor
  const clearTimer = (handle?: { timer?: Timer }) => {
    if (handle?.timer) timers.delete(handle.timer)
    else real.clearTimeout(handle as never)
  }
  replaceTimers(setTimer, clearTimer)
  Math.random = draws.number
  performance.now = () => time() - start
  Object.assign(timersPromises, {
    setTimeout: (ms?: number, value?: unknown) =>
      new Promise((resolve) => setTimer(() => resolve(value), ms)),
  })
  Object.assign(crypto, drawnBy(draws), { scrypt: told(real.crypto.scrypt as Work, asked) })
  Object.assign(streamsOfZlib(), { _transform: told(real.compress, asked) })
  syncBuiltinESMExports()
  return outside
}

/** middy takes the timer of a request's time limit from the module, and clears it by the global function. */
function replaceTimers(setTimeout: unknown, clearTimeout: unknown): void {
  for (const owner of [globalThis, nodeTimers]) Object.assign(owner, { setTimeout, clearTimeout })
}

function restore(): void {
  globalThis.Date = real.Date
  replaceTimers(real.setTimeout, real.clearTimeout)
  Math.random = real.random
  performance.now = real.performanceNow
  const { randomUUID, randomBytes, randomInt, scrypt } = real.crypto
  Object.assign(crypto, { randomUUID, randomBytes, randomInt, scrypt })
  Object.assign(streamsOfZlib(), { _transform: real.compress })
  Object.assign(timersPromises, { setTimeout: real.pause })
  syncBuiltinESMExports()
}

const drawnBy = (draws: Draws) => ({
  randomUUID: () => uuidOf(draws.bytes(16).toString('hex')),
  randomBytes: (count: number) => draws.bytes(count),
  randomInt: (from: number, below?: number) =>
    below === undefined ? draws.below(from) : from + draws.below(below - from),
})

const uuidOf = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

const READS = /^(FSReq|CloseReq|FileHandleCloseReq)/
