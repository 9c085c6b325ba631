import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { findAccount } from '#lib/accounts/account.ts'
import { findCalls } from '#lib/calls/call.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { createTable } from '#tools/server/engine.ts'
import { importPath } from './folder.ts'
import { findFirstImport, rememberFirstImport } from './import.ts'

const HASH = 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3'

async function aTable() {
  const tableName = `folder-${randomUUID()}`
  const client = createClient({ tableName, endpoint: inject('endpoint') })
  await createTable(client, tableName)
  const store = createStore({ client, tableName, meter: createMeter() })
  return { store, services: { store, clock: () => new Date('2026-03-10T12:00:00Z') } }
}

async function aFolder(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dataset-'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return folder
}

const USERS = `id,username,usertype,owner_id,password_hash,first_name
0,ada,admin,0,${HASH},Ada
1,bob,user,0,${HASH},"Bob, ""the"" user"
2,,user,0,${HASH},Nobody
3,cyd,user,9,${HASH},"two
lines"
4,dan,user,0,${HASH}
`

test('refused rows are listed beside the file by line, reason and cells; others are imported', async () => {
  const { services, store } = await aTable()
  const folder = await aFolder({ 'users.csv': USERS })
  const [report] = await importPath(services, folder)

  expect(await readFile(join(folder, 'users.rejected.csv'), 'utf8')).toBe(
    [
      'line,reason,id,username,usertype,owner_id,first_name,password_hash',
      `4,username must not be blank,2,,user,0,Nobody,${HASH}`,
      `5,owner_id: there is no account 9,3,cyd,user,9,"two\nlines",${HASH}`,
      `7,"has 5 cells, but the header has 6",4,dan,user,0,,${HASH}`,
      '',
    ].join('\r\n'),
  )
  expect(report?.written).toBe(2)
  expect((await findAccount(store, 1))?.first_name).toBe('Bob, "the" user')
})

test('calls may come in parts, which are imported in the order of their names', async () => {
  const { services, store } = await aTable()
  const callsOf = (user: string, ...days: string[]) =>
    ['uniqueid,calldate,user_id', ...days.map((day) => `${day},2026-${day} 10:00:00,${user}`), ''].join('\n')
  const folder = await aFolder({
    'users.csv': USERS.split('\n').slice(0, 3).join('\n'),
    'calls-2026-02.csv': callsOf('0', '02-01', '01-31'),
    'calls-2026-01.csv': `${callsOf('1', '01-31', '01-30')}x,y,z\n`,
  })
  const reports = await importPath(services, folder)

  expect(reports.map(({ source, written, refused }) => [source.file, written, refused.size])).toEqual([
    ['users', 2, 0],
    ['calls-2026-01', 2, 1],
    ['calls-2026-02', 2, 0],
  ])
  expect(reports[1]?.rejectedFile).toBe(join(folder, 'calls-2026-01.rejected.csv'))
  expect((await findCalls(store, [{ uniqueid: '01-31' }]))[0]?.user_id).toBe(0)
})

test.each(['users-2026.csv', 'calls-.csv', '-calls.csv'])('%s is not a file of a dataset', async (name) => {
  const { services } = await aTable()

  await expect(importPath(services, await aFolder({ [name]: USERS }))).rejects.toThrow(
    `${name} is not a dataset file`,
  )
})

test('a cell that looks like a formula is escaped in the rejected file and read back unchanged', async () => {
  const { services, store } = await aTable()
  const header = 'id,username,usertype,owner_id,first_name,last_name,password_hash'
  const row = `0,ada,emperor,0,"=1+1, ada",'=2,${HASH}`
  const folder = await aFolder({ 'users.csv': `${header}\n${row}\n` })
  const [report] = await importPath(services, folder)
  const rejected = await readFile(report?.rejectedFile ?? '', 'utf8')
  expect(rejected).toContain(`,0,"'=1+1, ada",'=2,`)
  const corrected = rejected.replace('line,reason,', '').replace(/^2,.*?,0,ada,emperor/m, '0,ada,admin')
  await writeFile(join(folder, 'users.csv'), corrected)
  await importPath(services, folder)

  expect(await findAccount(store, 0)).toMatchObject({ first_name: '=1+1, ada', last_name: '=2' })
})

test('a dry run counts refused rows and writes no file', async () => {
  const { services } = await aTable()
  const folder = await aFolder({ 'users.csv': USERS })

  const [report] = await importPath(services, folder, { dryRun: true })

  expect([report?.refused.size, report?.rejectedFile]).toEqual([3, undefined])
  expect(await readdir(folder)).toEqual(['users.csv'])
})

test('the rejected file is removed once nothing is refused, and is not part of the dataset', async () => {
  const { services } = await aTable()
  const folder = await aFolder({ 'users.csv': USERS, 'README.md': '# Users' })
  await importPath(services, folder)
  await writeFile(join(folder, 'users.csv'), USERS.split('\n').slice(0, 3).join('\n'))
  const [report] = await importPath(services, folder)

  expect(report?.rejectedFile).toBeUndefined()
  await expect(readFile(join(folder, 'users.rejected.csv'))).rejects.toThrow('ENOENT')
})

test('a single file belongs to the dataset of its folder', async () => {
  const { services, store } = await aTable()
  const folder = await aFolder({
    'users.ndjson': `{"id":0,"username":"ada","usertype":"admin","owner_id":0,"password_hash":"${HASH}"}`,
  })
  await importPath(services, join(folder, 'users.ndjson'))

  expect((await findAccount(store, 0))?.username).toBe('ada')
  expect(await findFirstImport(store, folder.split('/').at(-1) ?? '')).toEqual(services.clock())
})

test('relative dates count from the first import', async () => {
  const { services, store } = await aTable()
  await importPath(services, await aFolder({ 'settings.csv': 'name,value\n' }))
  await rememberFirstImport(store, 'demo', new Date('2026-01-01T00:00:00Z'))
  await rememberFirstImport(store, 'demo', new Date('2026-02-02T00:00:00Z'))

  expect(await findFirstImport(store, 'demo')).toEqual(new Date('2026-01-01T00:00:00Z'))
})

test('a setting that is a day counts from the first import; any other keeps its text', async () => {
  const { services, store } = await aTable()
  const rows = ['Invoices_From,@-1month', 'Charges_From,@-40d', 'Seller_Name,@-1month', 'Balance_From,@soon']
  const [report] = await importPath(
    services,
    await aFolder({ 'settings.csv': `name,value\n${rows.join('\n')}\n` }),
  )

  expect(await settingsOf(store)).toMatchObject({
    Invoices_From: '2026-02-01',
    Charges_From: '2026-01-29',
    Seller_Name: '@-1month',
  })
  expect([...(report?.refused ?? [])]).toEqual([[5, expect.stringContaining('Balance_From takes')]])
})

test('an import that could not begin does not count as the first one', async () => {
  const { services, store } = await aTable()
  const folder = await aFolder({ 'users.csv': 'colour\nred\n' })

  await expect(importPath(services, folder)).rejects.toMatchObject({ code: 'refused_file' })

  expect(await findFirstImport(store, folder.split('/').at(-1) ?? '')).toBeUndefined()
})

test.each<[string, Record<string, string>, string]>([
  ['a file that belongs to no dataset', { 'user.csv': '' }, 'user.csv is not a dataset file'],
  ['an unknown ending', { 'users.xlsx': '' }, 'users.xlsx is not a dataset file'],
  [
    'one file in two forms',
    { 'users.csv': USERS, 'users.ndjson': '' },
    'holds users both as .csv and as .ndjson',
  ],
  ['an empty folder', {}, 'holds no dataset file'],
  ['a folder of other things', { a: '', b: '', c: '', d: '', e: '', f: '' }, 'holds no dataset file'],
  [
    'many files beside a dataset',
    { 'users.csv': USERS, a: '', b: '', c: '', d: '', e: '', f: '' },
    'a, b, c, d, e, 1 more are not dataset files',
  ],
])('refuses %s', async (_case, files, message) => {
  const { services } = await aTable()

  await expect(importPath(services, await aFolder(files))).rejects.toThrow(message)
})

test('a missing folder is named', async () => {
  const { services } = await aTable()
  const folder = await aFolder({})
  await rm(folder, { recursive: true })

  await expect(importPath(services, folder)).rejects.toThrow(`There is no folder or file ${folder}`)
})

test('the demo dataset is imported without refused rows', async () => {
  const { services } = await aTable()
  const reports = await importPath(services, 'data/demo', { dryRun: true })

  expect(reports.length).toBeGreaterThan(0)
  expect(reports.flatMap(({ file, refused }) => [...refused].map((row) => [file, ...row]))).toEqual([])
})

test('a bad header hides no other one, whatever separates its columns', async () => {
  const { services } = await aTable()
  const folder = await aFolder({
    'users.csv': 'username;usertyp\nbob;user\n',
    'tariffs.csv': 'id,nam,currency\n',
    'devices.csv': 'user_id,device_type\n',
  })

  await expect(importPath(services, folder)).rejects.toThrow(
    /^devices\.csv: column id is missing\ntariffs\.csv: unknown column "nam": it takes id, name, .*\nusers\.csv: unknown column "usertyp"/,
  )
})

test('the list of refused rows follows no symbolic link', async () => {
  const { services } = await aTable()
  const folder = await aFolder({ 'users.csv': USERS, precious: 'kept' })
  await symlink(join(folder, 'precious'), join(folder, 'users.rejected.csv'))

  await expect(importPath(services, join(folder, 'users.csv'))).rejects.toMatchObject({ code: 'ELOOP' })
  expect(await readFile(join(folder, 'precious'), 'utf8')).toBe('kept')
})
