import { expect, test } from 'vitest'
import { findDevice } from '#lib/devices/device-stored.ts'
import { importInto, importRefusals } from '#test/datasets/import-rows.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { datasetFiles, fileNames } from './files.ts'

/** Names that every object of JavaScript has: a look-up that forgets that finds a function. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype)

test('a device may have further columns of such names', async () => {
  const world = await aWorld({ users: people })
  const further = INHERITED.map((name) => [name, 'a value'] as const)
  const row = Object.fromEntries([...Object.entries(exampleDevices[0] ?? {}), ...further])

  expect(await importRefusals(world, { devices: [row] })).toEqual([])
  expect((await findDevice(world.store, 100))?.extra).toEqual(expect.arrayContaining(further))
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
