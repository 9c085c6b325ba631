import { expect, test } from 'vitest'
import { readSettings } from '#lib/settings/settings.ts'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import { carolsCall, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { findCalls } from '../call.ts'
import { writeCalls } from './call-writing.ts'
import { changeCalls } from './change-calls.ts'

/** Two stored calls, and a function that gives only the second one another duration. */
async function twoCalls() {
  const { store } = await aWorld(threeTariffs)
  const rows = ['one', 'two'].map((uniqueid) => ({ ...carolsCall, uniqueid, user_price: '1' }))
  await writeCalls(
    store,
    rows.map((row) => ({ row, digest: '' })),
    () => true,
  )
  const calls = await findCalls(store, rows)
  const seen = rows.map((identity, index) => ({ identity, input: identity.uniqueid, before: calls[index] }))
  const lengthen = (of: typeof store) =>
    changeCalls({ store: of, settings: readSettings({}) }, seen, async (open) =>
      open.map(({ input, before }) => ({
        change:
          before && input === 'two'
            ? { before, after: { ...before, duration: 90, version: before.version + 1 } }
            : undefined,
      })),
    )
  const durations = async () => (await findCalls(store, rows)).map((call) => call?.duration)
  return { store, lengthen, durations }
}

test('calls are changed or stay as they are, and each decision is returned', async () => {
  const { store, lengthen, durations } = await twoCalls()

  expect([...(await lengthen(store)).keys()]).toEqual(['one', 'two'])
  expect(await durations()).toEqual([70, 90])
})

test('if a call changes at every attempt, its writer fails with its id', async () => {
  const { store, lengthen, durations } = await twoCalls()
  const transact = () => Promise.reject(new ConditionFailed([0], {}))

  await expect(lengthen({ ...store, transact })).rejects.toThrow(
    'call two: other writers changed it at each attempt; try again',
  )
  expect(await durations()).toEqual([70, 70])
})
