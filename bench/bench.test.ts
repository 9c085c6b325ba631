import { expect, test } from 'vitest'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { accountKey } from '#lib/table/keys.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld, withClient } from '#test/world.ts'
import { countUnitsByKey } from './units-by-key.ts'

test.each([
  ['strong', 1],
  ['eventual', 0.5],
] as const)(
  'the units of items that are read together count for the key of each: %s',
  async (consistency, read) => {
    const world = await aWorld({ users: people })
    const { client, byKey } = countUnitsByKey(world.table.client, world.table.tableName)

    await withClient(world, client).store.getMany([settingsKey, accountKey(10)], consistency)

    const units = { write: 0, read }
    expect([...byKey]).toEqual([
      ['SETTINGS', units],
      ['USER#10', units],
    ])
  },
)
