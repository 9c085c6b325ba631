import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type FileName, fileNames } from '#lib/dataset/import/files.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { aFolder, exportOf, importOf, product } from '#test/datasets/exported.ts'
import { callsIn } from '#test/dump.ts'
import { everything } from '#test/examples/everything.ts'
import { aWorld } from '#test/world.ts'
import { exportDataset } from './export-table.ts'

test('an export into an empty table gives the same table, but for what its journal has posted', async () => {
  const world = await aWorld(everything)
  const { folder, said } = await exportOf(world)

  expect(said).toEqual([])
  const [imported, exported] = [await (await importOf(folder)).dump(), await world.dump()]
  expect(imported.filter(({ PK }) => PK.startsWith('UNPOSTED#'))).toEqual([])
  expect(product(imported)).toEqual(product(exported))
})

test('an export changes nothing in the same table, with or without its secrets', async () => {
  const world = await aWorld(everything)
  const itemsOf = async () => (await world.dump()).filter(({ PK }) => !PK.startsWith('DATASET#'))
  const before = await itemsOf()
  for (const withSecrets of [true, false]) {
    const { folder } = await exportOf(world, { withSecrets })
    const services = { store: world.store, clock: () => world.now }
    const reports = await importPath(services, folder, { allowRemovals: true })

    const changes = reports.filter(({ rows, unchanged, refused }) => rows !== unchanged || refused.size > 0)
    expect(changes.map(({ file, counts, refused }) => ({ file, counts, refused }))).toEqual([])
  }
  expect(await itemsOf()).toEqual(before)
})

test('a new folder is kept out of version control, and one that was there is left as it is', async () => {
  const world = await aWorld(everything)
  const existing = await exportOf(world)
  const created = await exportOf(world, { folder: join(existing.folder, 'new') })

  expect(await readdir(existing.folder)).not.toContain('.gitignore')
  expect(await readFile(join(created.folder, '.gitignore'), 'utf8')).toContain('\n*\n')
})

const SECRETS = ['secret-of-tests', 'bobs-secret-1', 'never-shown', '4711']

test('secrets are left out as columns and as rows, and the report counts them', async () => {
  const world = await aWorld(everything)
  const { folder, files } = await exportOf(world, { withSecrets: false })
  const names = await readdir(folder)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))

  expect(texts.join('')).not.toMatch(new RegExp(SECRETS.join('|')))
  expect(texts[names.indexOf('users.csv')]).not.toMatch(/password|uniquehash/)
  expect(
    new Map(files.flatMap(({ file, leftOut }) => (leftOut.size > 0 ? [[file, [...leftOut]]] : []))),
  ).toEqual(
    new Map<FileName, unknown>([
      ['settings', [['API_Secret_Key', 1]]],
      [
        'users',
        [
          ['uniquehash', 10],
          ['password_hash', 10],
        ],
      ],
      [
        'devices',
        [
          ['secret', 4],
          ['portal_password', 1],
        ],
      ],
    ]),
  )
})

test('only the owner may read the files, and no file is overwritten', async () => {
  const world = await aWorld(everything)
  const { folder, files } = await exportOf(world, { files: ['users', 'devices'] })

  expect(files.map(({ file, rows }) => [file, rows])).toEqual([
    ['users', 10],
    ['devices', 4],
  ])
  for (const { path } of files) expect((await stat(path)).mode & 0o777).toBe(0o600)
  await expect(exportOf(world, { folder, files: ['devices'] })).rejects.toThrow('already exists')
  await exportOf(world, { folder, files: ['dids'] })
  expect((await readdir(folder)).sort()).toEqual(['devices.ndjson', 'dids.csv', 'users.csv'])
})

test('devices are exported as CSV if all have the same further columns', async () => {
  const world = await aWorld({ users: everything.users, devices: everything.devices.slice(1) })
  const { folder } = await exportOf(world, { files: ['devices'] })

  expect(await readdir(folder)).toEqual(['devices.csv'])
})

test('a failed export leaves no file behind', async () => {
  const world = await aWorld(everything)
  const folder = await aFolder()
  const pages = (async function* () {
    yield await world.dump()
    throw new Error('the network is gone')
  })()
  const wish = { folder, files: fileNames, withSecrets: true, warn: () => {} }

  await expect(exportDataset(world.store, pages, wish)).rejects.toThrow('network')
  expect(await readdir(folder)).toEqual([])
})

test('an unreadable item, and a text that an import would blank, cause warnings', async () => {
  const world = await aWorld(everything)
  await world.store.update({ PK: 'DID#1', SK: 'DID' }, { set: { did: 5 } })
  await world.store.update({ PK: 'LCR#1', SK: 'LCR' }, { set: { name: '\\N' } })
  const { said, files } = await exportOf(world, { files: ['dids', 'lcrs'] })

  expect(said).toEqual([
    expect.stringMatching(/^DID#1 DID cannot be read and is left out: /),
    'LCR#1: an import reads the text \\N as no value',
  ])
  expect(files.map(({ rows }) => rows)).toEqual([everything.dids.length - 1, everything.lcrs.length])
})

test('a call and a local call count for the owners that their rows name', async () => {
  const folder = await aFolder()
  const world = await aWorld({ users: everything.users })
  await writeFile(
    join(folder, 'calls.csv'),
    'uniqueid,calldate,user_id,user_price,owner_id\na,2026-03-10 09:00:00,20,1,3\nb,2026-03-10 09:00:00,20,1,\nc,2026-03-10 09:00:00,20,1,77\n',
  )
  const [report] = await importPath({ store: world.store, clock: () => world.now }, folder)

  expect(report?.refused).toEqual(new Map([[4, 'owner_id: there is no account 77']]))
  const calls = callsIn(await world.dump())
  expect(calls.map(({ uniqueid, owner_id, direct }) => [uniqueid, owner_id, direct])).toEqual([
    ['a', 3, false],
    ['b', 2, false],
  ])
  expect(await world.store.get(settingsKey)).toBeDefined()
})
