import { expect, inject, test } from 'vitest'
import { importPath } from '#lib/dataset/import/folder.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { keyIn } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import type { DumpedItem } from '#test/dump.ts'
import { everything } from '#test/examples/everything.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { root } from '#tools/machine/program.ts'
import { createTable } from '#tools/server/engine.ts'
import { everyItem } from '../command-line/open-table.ts'
import { findDamage } from './damage.ts'

test('the demo is sound', async () => {
  const location = { tableName: 'the-demo', endpoint: inject('endpoint') }
  const client = createClient(location)
  await createTable(client, location.tableName)
  const store = createStore({ client, tableName: location.tableName, meter: createMeter() })
  await importPath({ store, clock: () => new Date() }, `${root}data/demo`)

  const damage = findDamage(
    store,
    everyItem({ client, tableName: location.tableName, meter: createMeter() }),
    new Date(),
  )

  expect(await damage.next()).toEqual({ done: true })
})

/** Items whose removal does no damage: no example row names them, or a registration remakes them. */
const NOT_NEEDED =
  /^(ACTIVECALL#2 |SETTINGS|DATASET#|ID#account |LCR#[234] |LOCGROUP#[123] |CURRENCY#GBP|LOCATION#[35] |TARIFF#3 |TARIFF#\d+ SWITCH|DIRECTORY SWITCH)/

/** The damage while the change is in place. The item is restored afterwards. */
async function damageAfter(world: World, item: DumpedItem, change: Change): Promise<string[]> {
  await world.store.transact([change])
  const damage = await damageIn(world)
  await world.store.transact([{ put: item }])
  return damage
}

test('removing an item that another one needs is damage', async () => {
  const world = await aWorld(everything)
  /** Without the settings, which have the stamp, the whole table is refused. */
  const items = (await world.dump()).filter(({ SK }) => SK !== settingsKey.SK)
  const notMissed: string[] = []

  for (const item of items) {
    const damage = await damageAfter(world, item, { remove: keyIn(item) })
    if (damage.length === 0) notMissed.push(`${item.PK} ${item.SK}`)
  }

  expect(notMissed.filter((name) => !NOT_NEEDED.test(name))).toEqual([])
  expect(await damageIn(world)).toEqual([])
  expect(items.length - notMissed.length).toBeGreaterThan(130)
})
