import { setImmediate } from 'node:timers/promises'
import type { Store } from '#lib/table/store.ts'
import { type Perform, type PlainItems, plainStore } from './plain-table.ts'

/** One of several programs that share a table. Each request to the table is a step. */
export type TableActor = (store: Store, perform: Perform) => Promise<void>

/** A fresh start: its table, its actors, and what must hold in every state and at the end. */
export interface Scene {
  readonly items: PlainItems
  readonly actors: readonly TableActor[]
  /** Throws in a state that must not be. */
  readonly check: () => void
  readonly checkEnd?: () => void
  /** A rule that is left out: it changes how requests are carried out. */
  readonly storeFor?: (store: Store, actor: number) => Store
}

interface PendingStep {
  readonly actor: number
  readonly run: () => void
}

/**
 * Runs the actors in every order of their steps. A state that was reached before is not followed again: the
 * table is the same, and each actor has had the same answers. Returns the number of states.
 */
export async function explore(begin: () => Scene): Promise<number> {
  const visited = new Set<string>()
  const open: number[][] = [[]]
  for (let schedule = open.pop(); schedule; schedule = open.pop()) {
    const run = startRun(begin())
    await setImmediate()
    for (const choice of schedule) await run.step(choice)
    await follow(run, schedule, { visited, open })
  }
  return visited.size
}

interface Explored {
  readonly visited: Set<string>
  readonly open: number[][]
}

/** Follows the first choice of each state, and notes the others. */
async function follow(
  run: ReturnType<typeof startRun>,
  done: readonly number[],
  { visited, open }: Explored,
) {
  const schedule = [...done]
  while (!visited.has(run.state())) {
    visited.add(run.state())
    run.check()
    for (let choice = 1; choice < run.pending.length; choice += 1) open.push([...schedule, choice])
    if (run.pending.length === 0) return
    await run.step(0)
    schedule.push(0)
  }
}

/** An account changes in its balance alone. */
const withoutAccounts = (_name: string, value: unknown): unknown =>
  value && (value as { SK?: unknown }).SK === 'USER' ? (value as { balance?: unknown }).balance : value

function startRun({ items, actors, check, checkEnd, storeFor = (store) => store }: Scene) {
  const pending: PendingStep[] = []
  const answers = actors.map(() => '')
  const failures: unknown[] = []
  for (const [actor, program] of actors.entries()) {
    const perform: Perform = (work) =>
      new Promise((resolve, reject) => {
        const run = () => {
          try {
            const answer = work()
            answers[actor] += JSON.stringify(answer, withoutAccounts)
            resolve(answer)
          } catch (error) {
            answers[actor] += 'failed'
            reject(error)
          }
        }
        pending.push({ actor, run })
      })
    program(storeFor(plainStore(items, perform), actor), perform).catch((error) => failures.push(error))
  }
  return {
    pending,
    state: () => JSON.stringify([[...items], answers], withoutAccounts),
    check: () => {
      if (failures.length > 0) throw failures[0]
      check()
      if (pending.length === 0) checkEnd?.()
    },
    /** In the order of the actors: steps that are pending at the same time come in any order. */
    step: async (choice: number) => {
      pending.sort((one, other) => one.actor - other.actor)
      pending.splice(choice, 1)[0]?.run()
      await setImmediate()
      pending.sort((one, other) => one.actor - other.actor)
    },
  }
}
