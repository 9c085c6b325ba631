import { expect, test } from 'vitest'
import { aFailureOf } from '#test/failed-imports.ts'
import { aWorld } from '#test/world.ts'
import {
  failedImportsKey,
  forgetFailedImport,
  forgetFailedPart,
  listFailedImports,
  noteFailedImport,
} from './failed-import.ts'

const filesIn = async ({ store }: Awaited<ReturnType<typeof aWorld>>) =>
  (await listFailedImports(store)).map(({ file, parts }) => [file, ...parts.map(({ from }) => from)])

test('the last 20 files are listed, newest first, each once', async () => {
  const world = await aWorld()
  for (let n = 0; n < 25; n += 1) await noteFailedImport(world.store, aFailureOf(`f${n}`))
  await noteFailedImport(world.store, aFailureOf('f20'))

  const files = (await filesIn(world)).map(([file]) => file)

  expect(files).toEqual([
    'f20',
    ...Array.from({ length: 20 }, (_, n) => `f${24 - n}`).filter((f) => f !== 'f20'),
  ])
})

test('failures at the same moment are all listed', async () => {
  const world = await aWorld()
  const names = Array.from({ length: 8 }, (_, n) => `f${n}`)

  await Promise.all(names.map((name) => noteFailedImport(world.store, aFailureOf(name))))

  expect((await filesIn(world)).map(([file]) => file).sort()).toEqual(names)
})

test('a file leaves the list with its last part, or as a whole', async () => {
  const world = await aWorld()
  for (const from of [10, 20, 20]) await noteFailedImport(world.store, aFailureOf('large', from))
  await noteFailedImport(world.store, aFailureOf('small'))
  expect(await filesIn(world)).toEqual([
    ['small', 0],
    ['large', 20, 10],
  ])

  await forgetFailedPart(world.store, 'large', 20)
  expect(await filesIn(world)).toEqual([
    ['small', 0],
    ['large', 10],
  ])
  await forgetFailedPart(world.store, 'large', 10)
  await forgetFailedImport(world.store, 'small')
  expect(await filesIn(world)).toEqual([])
})

test('the list stays small, whatever the reasons and however many parts', async () => {
  const world = await aWorld()
  for (let from = 0; from < 120; from += 1)
    await noteFailedImport(world.store, { ...aFailureOf('f', from), reason: 'é'.repeat(5000) })

  const [entry] = await listFailedImports(world.store)
  expect([entry?.reason.length, entry?.parts.length]).toEqual([300, 100])
})

test('an import that succeeds writes nothing if its file is not listed', async () => {
  const world = await aWorld()
  await forgetFailedImport(world.store, 'never seen')
  await forgetFailedPart(world.store, 'never seen', 7)

  expect(await world.store.get(failedImportsKey())).toBeUndefined()
})
