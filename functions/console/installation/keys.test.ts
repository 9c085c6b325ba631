import { expect, test } from 'vitest'
import { findNamedKey } from '#lib/accounts/named-key-stored.ts'
import { addKey, rotateKey } from '#lib/acts/accounts/key-acts.ts'
import { listNewestLogEntries } from '#lib/settings/audit-log.ts'
import { secretOf } from '#test/acts/carry-out.ts'
import { aSignedClient } from '#test/console/console-client.ts'
import { estates } from '#test/examples/estates.ts'
import { aWorld } from '#test/world.ts'

const ADDED = new Date('2026-03-09T12:00:00Z')
const ROTATED = new Date('2026-03-10T11:00:00Z')

async function aWorldWithKeys() {
  const world = await aWorld(estates)
  const at = (now: Date) => ({ store: world.store, now })
  const methods = 'devices_get,rate_get'
  const secrets = [
    await secretOf(at(ADDED), addKey, { name: 'crm', as: 'bob', methods, from: '10.0.0.0/8' }),
    await secretOf(at(ADDED), addKey, { name: 'all', as: 'carol', methods: 'all', v2Only: 'yes' }),
    await secretOf(at(ROTATED), rotateKey, { name: 'crm' }),
  ]
  return { world, secrets, client: await aSignedClient(world, 'admin') }
}

test('keys are listed with their limits and their last rotation, and without any secret', async () => {
  const { client, secrets } = await aWorldWithKeys()

  const { body } = await client.get('/keys')

  expect(body['keys']).toEqual([
    {
      name: 'all',
      account: { id: 20, name: expect.any(String) },
      methods: ['all'],
      from: null,
      isV2Only: true,
      added: '2026-03-09 12:00:00',
      rotated: null,
      previousUntil: null,
    },
    {
      name: 'crm',
      account: { id: 10, name: expect.any(String) },
      methods: ['devices_get', 'rate_get'],
      from: '10.0.0.0/8',
      isV2Only: false,
      added: '2026-03-09 12:00:00',
      rotated: '2026-03-10 11:00:00',
      previousUntil: '2026-03-11 11:00:00',
    },
  ])
  for (const secret of secrets) expect(JSON.stringify(body)).not.toContain(secret)
})

test('a revoked key is gone, and the log says who revoked it', async () => {
  const { world, client } = await aWorldWithKeys()

  expect((await client.send('DELETE', '/keys/crm')).body).toEqual({ name: 'crm' })

  expect(await findNamedKey(world.store, 'crm')).toBeUndefined()
  expect(await findNamedKey(world.store, 'all')).toBeDefined()
  expect((await client.send('DELETE', '/keys/crm')).status).toBe(404)
  expect(await listNewestLogEntries(world.store, 10)).toContainEqual(
    expect.objectContaining({ who: 'admin', account: 'bob', did: 'lost the key crm' }),
  )
})

test.each(['x'.repeat(2000), '%00', '#', 'no key'])('there is no key of the name %s', async (name) => {
  const client = await aSignedClient(await aWorld(estates), 'admin')

  expect((await client.send('DELETE', `/keys/${encodeURIComponent(name)}`)).status).toBe(404)
})
