import { expect, test } from 'vitest'
import { findIntake } from '#lib/settings/intake.ts'
import { aSignedClient } from '#test/console/console-client.ts'
import { estates } from '#test/examples/estates.ts'
import { aWorld } from '#test/world.ts'

test('a switch gets a secret that is shown once, is listed without it, and is revoked', async () => {
  const world = await aWorld(estates)
  const client = await aSignedClient(world, 'admin')
  const add = (name: string, zone = '') => client.send('POST', '/intakes', { name, zone })

  expect((await add('two words')).body).toMatchObject({
    error: { code: 'invalid', message: 'name is "two words": it takes at most 40 letters, digits, - and _.' },
  })
  expect((await add('pbx1', 'Mars')).status).toBe(422)
  const { body } = await add('pbx1', 'Europe/Berlin')
  expect(body).toEqual({ name: 'pbx1', secret: expect.stringMatching(/^[A-Za-z0-9]{32}$/) })
  expect((await add('pbx1')).status).toBe(409)

  const listed = await client.get('/intakes')
  expect(listed.body['intakes']).toEqual([
    { name: 'pbx1', zone: 'Europe/Berlin', added: '2026-03-10 12:00:00' },
  ])
  expect(JSON.stringify(await world.dump())).not.toContain(body['secret'])

  expect((await client.send('DELETE', '/intakes/pbx1')).status).toBe(200)
  expect((await client.send('DELETE', '/intakes/pbx1')).status).toBe(404)
  expect(await findIntake(world.store, 'pbx1')).toBeUndefined()
})
