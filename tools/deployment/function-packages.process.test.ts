import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { root } from '#tools/machine/program.ts'
import { bundlesOf } from './bundles.ts'
import { packFunctions, unpackFunction } from './function-packages.ts'

const DEVICES_GET = {
  name: 'devices_get',
  handler: 'functions/devices/devices_get.handler',
}

const NOT_FOUND = { name: 'not_found', handler: 'functions/not_found.handler' }

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-'))
  return folder
}

test('an archive has the bundle under the name of its handler', async () => {
  const [path = ''] = await packFunctions(await aFolder(), [DEVICES_GET])
  const files = unzipSync(await readFile(path))

  expect(Object.keys(files)).toEqual(['functions/devices/devices_get.cjs'])
  expect(strFromU8(files['functions/devices/devices_get.cjs'] ?? new Uint8Array())).toBe(
    (await bundlesOf([DEVICES_GET]))[0]?.code,
  )
})

test('equal sources make equal archives: CloudFormation replaces functions that differ', async () => {
  const paths = [
    ...(await packFunctions(await aFolder(), [DEVICES_GET])),
    ...(await packFunctions(await aFolder(), [DEVICES_GET, NOT_FOUND])).slice(0, 1),
  ]
  const [one, other] = await Promise.all(paths.map((path) => readFile(path)))

  expect(one).toEqual(other)
})

/** Unix modes of the central directory: 40 bytes after these bytes, with which each entry begins. */
function modesIn(archive: Buffer): number[] {
  const modes: number[] = []
  for (let at = archive.indexOf('PK\x01\x02'); at >= 0; at = archive.indexOf('PK\x01\x02', at + 4))
    modes.push(archive.readUInt16LE(at + 40))
  return modes
}

test('Lambda may read each file of an archive', async () => {
  const [path = ''] = await packFunctions(await aFolder(), [NOT_FOUND])
  const archive = await readFile(path)

  expect(modesIn(archive).map((mode) => mode.toString(8))).toEqual(['644'])
})

test('the files of a function run where they were unpacked', async () => {
  const folder = await unpackFunction(NOT_FOUND)
  const { handler } = createRequire(import.meta.url)(`${root}${folder}/functions/not_found.cjs`)

  expect(handler).toBeTypeOf('function')
})

test('archives that another stage has are copied, and only the others are built', async () => {
  const [packed, folder] = [await aFolder(), await aFolder()]
  await writeFile(join(packed, 'devices_get.zip'), 'as judged')

  const paths = await packFunctions(folder, [DEVICES_GET, NOT_FOUND], packed)

  expect(paths).toEqual(['devices_get.zip', 'not_found.zip'].map((name) => join(folder, name)))
  expect(String(await readFile(join(folder, 'devices_get.zip')))).toBe('as judged')
  expect(Object.keys(unzipSync(await readFile(join(folder, 'not_found.zip'))))).toEqual([
    'functions/not_found.cjs',
  ])
})
