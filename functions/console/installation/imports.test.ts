import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import type { ImportedFileAnswer } from '#lib/api/console/answers/switches.ts'
import { listNewestLogEntries } from '#lib/settings/audit-log.ts'
import { aSignedClient } from '#test/console/console-client.ts'
import { estates, usernameOf } from '#test/examples/estates.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld } from '#test/world.ts'

const USERS = [
  'id,username,usertype,owner_id,first_name,password,tariff_id',
  ',walter,user,0,Walter,walters-password,',
  ',wilma,user,0,Wilma,wilmas-password,',
  ',wanda,user,0,Wanda,wandas-password,999',
].join('\n')

async function anOffice(account = 0) {
  const world = await aWorld(estates)
  const client = await aSignedClient(world, usernameOf(account))
  const send = async (file: string, content: Uint8Array | string, values = {}) => {
    const { status, body } = await client.upload(`/imports/${file}`, content, values)
    return { status, ...(body as unknown as ImportedFileAnswer & { error?: { message: string } }) }
  }
  return { world, send }
}

test('a file of customers is previewed, imported once, logged, and its refused rows are named', async () => {
  const { world, send } = await anOffice()
  const temporary = await mkdtemp(join(tmpdir(), 'tollgate-'))
  vi.stubEnv('TMPDIR', temporary)
  const before = await world.dump()
  const counts = { rows: 3, new: 2, changed: 0, refused: 1, isImported: false }

  expect(await send('users', gzipSync(USERS))).toMatchObject({ status: 200, ...counts })
  expect(await world.dump()).toEqual(before)

  const imported = await send('users', gzipSync(USERS), { step: 'import' })
  expect(imported).toMatchObject({ ...counts, isImported: true })
  expect(imported.refusedRows).toEqual([{ line: 4, reason: expect.stringContaining('999') }])
  expect(JSON.stringify(imported)).not.toContain('walters-password')
  expect(await send('users', USERS, { step: 'import' })).toMatchObject({ new: 0, unchanged: 2, refused: 1 })
  const logged = (await listNewestLogEntries(world.store, 2)).map(
    (entry) => 'counts' in entry && entry.counts,
  )
  expect(logged.sort()).toEqual(['users: 2 new, 1 refused', 'users: 2 unchanged, 1 refused'])
  expect(await damageIn(world)).toEqual([])
  expect(await readdir(temporary)).toEqual([])
})

test('devices of a file belong to the accounts that it names', async () => {
  const { send } = await anOffice()
  const rows = ['name,user_id,device_type,extension', 'lobby,10,SIP,7001', 'attic,999,SIP,7002'].join('\n')

  expect(await send('devices', rows, { step: 'import' })).toMatchObject({ new: 1, refused: 1 })
})

const manyRows = (count: number, cell: string) =>
  [
    'username,owner_id,usertype,password',
    ...Array.from({ length: count }, (_, at) => `u${at},0,user,${cell}`),
  ].join('\n')

test.each([
  ['rates', 'x', 422, 'rates'],
  ['users', 'colour\nred', 422, 'unknown column'],
  ['users', '', 422, 'no header line'],
  ['users', manyRows(1001, ''), 422, 'more than 1000 rows'],
  ['users', manyRows(21, 'a-long-password'), 422, 'more than 20 rows with a password'],
  ['users', Buffer.concat([gzipSync(USERS).subarray(0, 40), Buffer.alloc(9)]), 422, 'damaged'],
])('a file that is refused as a whole: %s', async (file, content, status, says) => {
  const { send, world } = await anOffice()
  const before = await world.dump()
  const answer = await send(file, content, { step: 'import' })

  expect(answer).toMatchObject({ status, error: { message: expect.stringContaining(says) } })
  expect(await world.dump()).toEqual(before)
})

test.each([1, 2, 10])('account %d imports nothing', async (account) => {
  const { send } = await anOffice(account)

  expect(await send('users', USERS, { step: 'import' })).toMatchObject({ status: 403 })
})
