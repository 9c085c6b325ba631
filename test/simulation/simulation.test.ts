import { readFileSync } from 'node:fs'
import * as timersOfNode from 'node:timers'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { Command } from '@commander-js/extra-typings'
import { expect, inject, test } from 'vitest'
import { createClient, type TableClient } from '#lib/table/requests/client.ts'
import { declaredActs } from '#test/acts/declared-acts.ts'
import { declare, optionsRepeating } from '#test/commands/simulate.ts'
import { createTestTable } from '#test/test-table.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { root } from '#tools/machine/program.ts'
import { TABLE_NAME } from './installation.ts'
import { takeOver } from './outside.ts'
import { createPlainTable } from './plain-table.ts'
import { DEFECTS } from './planted/defects.ts'
import { drawsFrom } from './random.ts'
import { type SimulationOptions, simulate } from './simulation.ts'

test('a seed replays to the same items', async () => {
  const options = { seed: 7, steps: 300 }
  const [first, again] = [await simulate(options), await simulate(options)]

  expect(first.wrong).toEqual([])
  expect(again).toEqual(first)
})

test('the table of a simulation answers as the engine does', async () => {
  await createTestTable(TABLE_NAME)
  // In this seed two events of one account wait together.
  const options = { seed: 29, steps: 400, isPrompt: true }
  const engine = createClient({ tableName: TABLE_NAME, endpoint: inject('endpoint') }, { maxAttempts: 1 })

  const [plain, real] = [await simulate(options), await simulate({ ...options, engine })]
  expect(real.story.slice(0, 20)).toEqual(plain.story.slice(0, 20))
  expect(real).toEqual(plain)
  engine.destroy()
})

test('a timer is of the clock of the simulation, whichever way it is taken', () => {
  const outside = takeOver(drawsFrom(1), 1000)
  try {
    for (const owner of [globalThis, timersOfNode]) {
      const timer = owner.setTimeout(() => undefined, 500)
      expect(outside.nextTimer()).toBe(1500)
      clearTimeout(timer)
      expect(outside.nextTimer()).toBeUndefined()
    }
  } finally {
    outside.restore()
  }
})

/** A table that loses payments. */
function forgetfulTable(): TableClient {
  const { client } = createPlainTable(TABLE_NAME)
  const isPayment = (command: object) =>
    command instanceof TransactWriteCommand &&
    command.input.TransactItems?.some(({ Put }) => String(Put?.Item?.['SK']).startsWith('PAYMENT#'))
  const send = async (command: object) => (isPayment(command) ? {} : client.send(command as never))
  return { send: send as TableClient['send'] }
}

test('the options that are printed with the story of a failing run repeat it', async () => {
  const only = ['switchSends', 'consumeRecords', 'recordsPayment', 'adjusts']
  const options = { seed: 3, steps: 300, only, quiet: 30, weather: { killed: 0, lost: 50 } }
  const failed = await simulate({ ...options, engine: forgetfulTable() })
  let read: SimulationOptions | undefined
  declare(new Command())
    .action((given: SimulationOptions) => {
      read = given
    })
    .parse(optionsRepeating({ ...options, steps: failed.steps }), { from: 'user' })

  expect(failed.wrong.length).toBeGreaterThan(0)
  expect(read).toEqual({ ...options, steps: failed.steps, seeds: 1 })
  expect(read && (await simulate({ ...read, engine: forgetfulTable() }))).toEqual(failed)
})

/** What no simulation calls, and why. */
const NOT_CALLED: Readonly<Record<string, string>> = {
  importBooks: 'no dataset is imported with its books',
  migrateTable: 'the table begins in the format of this release',
  forgetCalls: 'it erases the numbers that show whose a call is',
  ...Object.fromEntries(
    ['beginSecondFactor', 'changeOwnPassword', 'choosePassword', 'endSecondFactor'].map((name) => [
      name,
      'it needs a session of the page, or the link of a mail',
    ]),
  ),
  rerateCalls: 'a bookkeeper rates calls again by its parts',
}

/** Which acts and methods meet in a seed changes with the code: a few more seeds may be needed. */
const MOST_SEEDS = 80

test('twenty seeds break no invariant, and carry out every act and method', async () => {
  const names = new Map([
    ...[...(await declaredActs())].map(([name, { summary }]) => [summary, name] as const),
    ...(await loadFunctionFiles()).map(({ method: { name } }) => [name, name] as const),
  ])
  const digests = new Set<string>()
  const left = () => [...names.values()].filter((name) => !(name in NOT_CALLED))
  for (let seed = 1; seed <= 20 || (left().length > 0 && seed <= MOST_SEEDS); seed += 1) {
    const { wrong, story, called, digest } = await simulate({ seed, steps: 150 })
    digests.add(digest)
    expect({ seed, wrong, story: wrong.length > 0 ? story : [] }).toEqual({ seed, wrong: [], story: [] })
    for (const one of called) names.delete(one)
  }
  expect(digests.size).toBeGreaterThanOrEqual(20)
  expect(left()).toEqual([])
  expect(new Set(names.values())).toEqual(new Set(Object.keys(NOT_CALLED)))
})

test.each(Object.entries(DEFECTS))(
  'the source has the lines of the planted defect once: %s',
  (_name, defect) => {
    const { file, find, put } = defect
    expect(readFileSync(root + file, 'utf8').split(find)).toHaveLength(2)
    expect(put).not.toBe(find)
  },
)
