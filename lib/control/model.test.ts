import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Item } from '#lib/table/items.ts'
import { accountKey } from '#lib/table/keys.ts'
import type { TableActor } from '#test/control/explorer.ts'
import { plainStore } from '#test/control/plain-table.ts'
import { allowedCalls, aStage, asking, consuming, givingUp, sceneOf } from '#test/control/scenes.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'

// Drawn histories: calls of customers under two resellers, eight requests at once in any order, with faults. A night tries a million steps.

const STEPS = Number(process.env['TOLLGATE_CONTROL_STEPS'] ?? 3000)

const OWNERS: Readonly<Record<number, number>> = { 20: 2, 30: 3, 40: 4 }
const ids = [2, 3, 4, 20, 30, 40]

const items = (await (await aWorld({ users: people })).dump()).filter(
  ({ PK, SK }) => SK === 'USER' && ids.some((id) => accountKey(id).PK === PK),
) as readonly Item[]

/** Numbers below a bound, the same for the same seed. */
function drawing(seed: number) {
  let state = seed
  return (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

class Lost extends Error {}

/** Of 60 requests one is lost before it is carried out, and the answer of another one after that. */
const FAULTS = 60

/** Runs programs at the same time. Each step is a request of any of them. */
function aRun(stage: ReturnType<typeof aStage>, below: (bound: number) => number) {
  const pending: ((fault: number) => void)[] = []
  const perform = <T>(work: () => T): Promise<T> =>
    new Promise<number>((resolve) => pending.push(resolve)).then((fault) => {
      if (fault === 0) throw new Lost()
      const answer = work()
      if (fault === 1) throw new Lost()
      return answer
    })
  const store = plainStore(stage.items, perform)
  return {
    pending,
    start: (program: TableActor) => program(store, perform),
    step: async () => {
      pending.splice(below(pending.length), 1)[0]?.(below(FAULTS))
      await setImmediate()
    },
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
        (error) => !isUndecided(error),
      )
    while (!(await isDone()));
  }

const payersOf = (call: number): number[] => {
  const customer = [20, 30, 40][call % 3] ?? 20
  return [OWNERS[customer] ?? 0, customer]
}

/** What a switch or a queue does with a call: calls of even numbers are answered, the others are given up. */
function commandFor(stage: ReturnType<typeof aStage>, call: number, kind: number): TableActor {
  const [name, payers] = [`c${call}`, payersOf(call)]
  if (kind < 6) return asking(stage, name, payers)
  return call % 2 === 0 ? untilDone(consuming(stage, name, payers)) : untilDone(givingUp(stage, name, payers))
}

/** One history: how many calls it allowed, and how many steps it took. */
async function history(seed: number): Promise<{ readonly allowed: number; readonly steps: number }> {
  const below = drawing(seed)
  const stage = aStage(items, Object.fromEntries(ids.map((id) => [id, String(1 + below(6))])))
  const { check } = sceneOf(stage, [])
  const { pending, start, step } = aRun(stage, below)
  const failures: unknown[] = []
  let steps = 0
  const run = async (atMost: number) => {
    await setImmediate()
    while (pending.length > atMost) {
      await step()
      steps += 1
      check()
      if (failures.length > 0) throw failures[0]
    }
  }
  for (let command = 0; command < 200; command += 1) {
    const program = commandFor(stage, below(30), below(10))
    start(program).catch((error) => isUndecided(error) || failures.push(error))
    await run(7)
  }
  await run(0)
  return { allowed: allowedCalls(stage).length, steps }
}

test('no drawn history overdraws, holds twice for a call, or loses count of its holds', {
  timeout: 3_600_000,
}, async () => {
  let [steps, allowed] = [0, 0]
  for (let seed = 1; steps < STEPS; seed += 1) {
    const done = await history(seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${error}`, { cause: error })
    })
    steps += done.steps
    allowed += done.allowed
  }
  expect(allowed).toBeGreaterThan(0)
})
