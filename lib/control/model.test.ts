import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Item } from '#lib/table/items.ts'
import { accountKey } from '#lib/table/keys.ts'
import { CallsModel } from '#test/control/calls-model.ts'
import {
  type Counts,
  type DrawnCall,
  LIMITED_ACCOUNTS,
  MODEL_CUSTOMERS,
  noCounts,
} from '#test/control/drawn-call.ts'
import type { TableActor } from '#test/control/explorer.ts'
import { plainStore } from '#test/control/plain-table.ts'
import { people } from '#test/examples/examples.ts'
import { isSweep, SHARE } from '#test/sweep.ts'
import { aWorld } from '#test/world.ts'

// Drawn histories of 200 commands: five customers of two resellers, eight requests at once, with faults.

const STEPS = Number(process.env['TOLLGATE_CONTROL_STEPS'] ?? (isSweep ? 1_000_000 / SHARE ** 2 : 1500))

const personOf = (name: string) => people.find(({ username }) => username === name)

const users = [
  ...people,
  { ...personOf('carol'), id: '21', username: 'cleo' },
  { ...personOf('dave'), id: '31', username: 'dora' },
] as typeof people

const ids = [2, 3, ...Object.keys(MODEL_CUSTOMERS).map(Number)]

const items = (await (await aWorld({ users })).dump()).filter(
  ({ PK, SK }) => SK === 'USER' && ids.some((id) => accountKey(id).PK === PK),
) as readonly Item[]

type Draw = (bound: number) => number

/** Numbers below a bound, the same for the same seed. */
function drawing(seed: number): Draw {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

class Lost extends Error {}

/** Of 60 requests one is lost before it is carried out, and the answer of another one after that. */
const FAULTS = 60

const NO_FAULT = 2

/** Runs programs at the same time. Each step is a request of any of them. */
function aRun(history: CallsModel, below: Draw, hasFaults = true) {
  const pending: ((fault: number) => void)[] = []
  const failures: unknown[] = []
  const perform = <T>(work: () => T): Promise<T> =>
    new Promise<number>((resolve) => pending.push(resolve)).then((fault) => {
      if (fault === 0) throw new Lost()
      const answer = work()
      if (fault === 1) throw new Lost()
      return answer
    })
  const store = plainStore(history.items, perform)
  let steps = 0
  return {
    start: (program: TableActor) => {
      program(store, perform).catch((error) => isUndecided(error) || failures.push(error))
    },
    /** Until no more than these are pending. */
    run: async (atMost: number) => {
      await setImmediate()
      while (pending.length > atMost) {
        pending.splice(below(pending.length), 1)[0]?.(hasFaults ? below(FAULTS) : NO_FAULT)
        await setImmediate()
        steps += 1
        history.check()
        if (failures.length > 0) throw failures[0]
      }
    },
    steps: () => steps,
    expired: () => store.meter.noted.hold_expired ?? 0,
  }
}

/** A lost request, or holds that kept changing: the switch, or the queue, tries again. */
const isUndecided = (error: unknown): boolean =>
  error instanceof Lost || (error instanceof Error && error.message.includes('kept changing'))

/** A queue delivers again until its consumer is done. */
const untilDone =
  (program: TableActor): TableActor =>
  async (store, perform) => {
    const isDone = () =>
      program(store, perform).then(
        () => true,
        (error) => {
          if (isUndecided(error)) return false
          throw error
        },
      )
    while (!(await isDone()));
  }

const PRICES = ['1', '2', '0.5'] as const

/** Ten lines of a switch, of which each has a call at a time. */
class Switch {
  readonly #lines: DrawnCall[] = []
  readonly #ending = new Set<DrawnCall>()

  readonly #history: CallsModel
  readonly #below: Draw
  readonly #start: (program: TableActor) => void
  readonly #hasLateCopies: boolean

  /** With late copies, a copy of a request may arrive after the end of its call. */
  constructor(
    history: CallsModel,
    below: Draw,
    start: (program: TableActor) => void,
    hasLateCopies: boolean,
  ) {
    this.#history = history
    this.#below = below
    this.#start = start
    this.#hasLateCopies = hasLateCopies
  }

  command(): void {
    const line = this.#below(10)
    const call = this.#lines[line] ?? this.#begin(line)
    if (!this.#isOpen(call)) this.#ask(this.#isCopied() ? call : this.#begin(line, call))
    else if ((this.#hasLateCopies || call.asking === 0) && this.#below(10) > 5) this.end(call)
    else this.#ask(call)
  }

  #isCopied = (): boolean => this.#hasLateCopies && this.#below(4) === 0

  #isOpen = (call: DrawnCall): boolean => call.state === 'open' && !this.#ending.has(call)

  /** An id is used again by its customer at the earliest when its call is settled or released. */
  #begin(line: number, before?: DrawnCall): DrawnCall {
    const isFree = before && !this.#hasLateCopies && before.asking + before.ending === 0
    const earlier = isFree && this.#below(3) === 0 ? before : undefined
    const customers = Object.keys(MODEL_CUSTOMERS).map(Number)
    const customer = earlier?.payers.at(-1) ?? customers[this.#below(customers.length)] ?? 10
    const call = this.#history.newCall(customer, this.#price(), earlier)
    this.#lines[line] = call
    return call
  }

  #price = (): string => PRICES[this.#below(PRICES.length)] ?? '1'

  #ask(call: DrawnCall): void {
    const isReplaced = this.#isOpen(call) && call.asking === 0 && this.#below(6) === 0
    if (isReplaced) this.#history.replaceNumber(call, this.#price())
    this.#start(this.#history.asking(call))
  }

  /** A call that was allowed is answered or given up, and any other one is released. Some CDRs come twice. */
  end(call: DrawnCall): void {
    if (this.#ending.has(call)) return
    this.#ending.add(call)
    const isAnswered = call.seconds > 0 && this.#below(3) > 0
    const seconds = 1 + this.#below(Math.min(call.seconds, 60))
    const program = isAnswered ? this.#history.consuming(call, seconds) : this.#history.givingUp(call)
    for (let copies = this.#below(4) === 0 ? 2 : 1; copies > 0; copies -= 1) {
      call.ending += 1
      this.#start(async (store, perform) => {
        await untilDone(program)(store, perform)
        call.ending -= 1
      })
    }
  }

  endAll(): void {
    for (const call of this.#history.calls) if (call.state === 'open') this.end(call)
  }
}

/** Returns the number of steps. */
async function drawHistory(seed: number, counts: Counts): Promise<number> {
  const below = drawing(seed)
  const ahead = [0, -110, 110][seed % 3]
  const history = new CallsModel(items, () => (1 + below(12)) / 2, counts, ahead)
  const { start, run, steps, expired } = aRun(history, below)
  const hasLateCopies = seed % 4 === 0
  const switches = new Switch(history, below, start, hasLateCopies)
  // What is taken hides an overdraft of as much, so most histories take nothing.
  const least = seed % 3 === 0 ? -2 : 0
  const movesMoney = () => {
    const id = LIMITED_ACCOUNTS[below(LIMITED_ACCOUNTS.length)] ?? 10
    start(history.moving(id, (below(4) + least) / 2, below(2) === 0 ? 'balance' : 'credit'))
  }
  const rare = [
    () => history.passAll(),
    () => history.settleTaken(),
    () => history.settleTaken(),
    ...Array(5).fill(movesMoney),
    () => history.pass(below(20)),
    () => {
      const consumer = history.consumingAgain((calls) => calls[below(calls.length)])
      if (consumer) start(untilDone(consumer))
    },
  ]
  for (let command = 0; command < 200; command += 1) {
    const kind = below(40)
    await run(kind < 3 ? 0 : 7)
    const act = rare[kind] ?? (() => switches.command())
    act()
  }
  await run(0)
  switches.endAll()
  await run(0)
  await history.checkBooks()
  for (const id of hasLateCopies ? [] : LIMITED_ACCOUNTS)
    expect(history.openHolds(id), `account ${id}`).toEqual([])
  counts.expired += expired()
  return steps()
}

test('no drawn history overdraws, refuses who can pay, or leaves a hold behind', {
  timeout: 7_200_000,
}, async ({ annotate }) => {
  const counts = noCounts()
  let steps = 0
  for (let seed = 1; steps < STEPS; seed += 1)
    steps += await drawHistory(seed, counts).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${error}`, { cause: error })
    })
  await annotate(`${steps} steps: ${JSON.stringify(counts)}`)
  expect(counts.allowed).toBeGreaterThan(0)
  expect(counts.refused).toBeGreaterThan(0)
  expect(counts.usedAgain).toBeGreaterThan(0)
  expect(counts.cameAgain).toBeGreaterThan(0)
  expect(counts.overdraft).toBe(0)
})

test('thirty callers at once share the last money: as many begin as it pays for', {
  timeout: 7_200_000,
}, async ({ annotate }) => {
  const tries = Math.ceil(STEPS / 100)
  let winners = 0
  for (let seed = 1; seed <= tries; seed += 1) {
    const below = drawing(seed)
    const paid = 1 + below(5)
    const history = new CallsModel(items, () => paid, noCounts())
    const { start, run } = aRun(history, below, false)
    for (let caller = 0; caller < 30; caller += 1) start(untilDone(history.asking(history.newCall(10, '1'))))
    await run(0)
    const begun = history.calls.filter(({ seconds }) => seconds > 0).length
    expect(begun, `seed ${seed}`).toBe(paid)
    winners += begun
  }
  await annotate(`${tries} tries: ${winners} of ${30 * tries} calls begin`)
})
