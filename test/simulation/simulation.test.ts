import { readFileSync } from 'node:fs'
import { expect, inject, test } from 'vitest'
import { createClient } from '#lib/table/requests/client.ts'
import { createTestTable } from '#test/test-table.ts'
import { root } from '#tools/machine/program.ts'
import { TABLE_NAME } from './installation.ts'
import { DEFECTS } from './planted/defects.ts'
import { simulate } from './simulation.ts'

test('a seed replays to the same items', async () => {
  const options = { seed: 7, steps: 300 }
  const [first, again] = [await simulate(options), await simulate(options)]

  expect(first.wrong).toEqual([])
  expect(again).toEqual(first)
  expect((await simulate({ ...options, seed: 8 })).digest).not.toBe(first.digest)
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

/** At night thousands, and longer (nightly.yml). */
test('ten seeds break no invariant', async () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const { wrong, story } = await simulate({ seed, steps: 200 })
    expect({ seed, wrong, story: wrong.length > 0 ? story : [] }).toEqual({ seed, wrong: [], story: [] })
  }
})

test.each(Object.entries(DEFECTS))(
  'the source has the lines of the planted defect once: %s',
  (_name, defect) => {
    const { file, find, put } = defect
    expect(readFileSync(root + file, 'utf8').split(find)).toHaveLength(2)
    expect(put).not.toBe(find)
  },
)
