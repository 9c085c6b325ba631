import { expect, test } from 'vitest'
import { findDevice } from '#lib/devices/device-stored.ts'
import { importInto, importRefusals } from '#test/datasets/import-rows.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { datasetFiles, fileNames } from './files.ts'

/** Names that every object of JavaScript has: a look-up that forgets that finds a function. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype)

test.each(INHERITED)('a device may have a further column %s', async (name) => {
  const world = await aWorld({ users: people })
  const row = Object.fromEntries([...Object.entries(exampleDevices[0] ?? {}), [name, 'a value']])

  expect(await importRefusals(world, { devices: [row] })).toEqual([])
  expect((await findDevice(world.store, 100))?.extra).toContainEqual([name, 'a value'])
})

test.each(fileNames)('%s refuses columns and values that are such names', async (file) => {
  const columns = Object.keys(datasetFiles[file].columns)
  const rows = INHERITED.flatMap((name) => [
    Object.fromEntries(columns.map((column) => [column, name])),
    Object.fromEntries([...columns.map((column) => [column, '1']), [name, '1']]),
  ])
  const world = await aWorld()

  const [report] = await importInto(world, { [file]: rows })
  expect([file, report?.rows, report?.written]).toEqual([file, rows.length, 0])
})
