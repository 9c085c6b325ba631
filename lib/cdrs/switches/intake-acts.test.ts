import { expect, test } from 'vitest'
import { findIntake } from '#lib/settings/intake.ts'
import { carriedOut, secretOf } from '#test/acts/carry-out.ts'
import { aWorldWithIntake, post } from '#test/mediation/intake.ts'
import { aWorld } from '#test/world.ts'
import { openMediation } from '../mediation.ts'
import { mediate, partsOf } from '../pipeline/pipeline.ts'
import { addIntake, revokeIntake } from './intake-acts.ts'

test("an intake's secret is shown once, and a new one comes after it was revoked", async () => {
  const world = await aWorld()

  const first = await secretOf(world, addIntake, { name: 'pbx1' })

  expect(first).toMatch(/^[A-Za-z0-9]{32}$/)
  expect(JSON.stringify(await world.dump())).not.toContain(first)
  await expect(carriedOut(world, addIntake, { name: 'pbx1' })).rejects.toMatchObject({
    code: 'intake_exists',
  })
  await carriedOut(world, revokeIntake, { name: 'pbx1' })
  expect(await findIntake(world.store, 'pbx1')).toBeUndefined()
  await expect(carriedOut(world, revokeIntake, { name: 'pbx1' })).rejects.toMatchObject({
    code: 'unknown_name',
    values: { noun: 'intake', name: 'pbx1' },
  })
  expect(await secretOf(world, addIntake, { name: 'pbx1' })).not.toBe(first)
})

test('an intake describes how its switch writes', async () => {
  const world = await aWorld()

  await carriedOut(world, addIntake, {
    ...{ name: 'pbx1', zone: 'Europe/Berlin', master: 'loguniqueid', dates: 'month-day' },
    ...{ map: 'start=When\ndst=', where: 'a=b\nc!=' },
  })
  await carriedOut(world, addIntake, { name: 'gw1', zone: '+02:00', master: '' })

  expect(await findIntake(world.store, 'pbx1')).toMatchObject({
    zone: 'Europe/Berlin',
    columns: expect.arrayContaining(['accountcode', 'uniqueid']),
    mapping: { start: 'When', dst: '' },
    where: ['a=b', 'c!='],
    dates: 'month-day',
  })
  const { zone, columns } = (await findIntake(world.store, 'gw1')) ?? {}
  expect(zone).toBe('+02:00')
  expect(columns).not.toContain('uniqueid')
})

test.each([
  [{ name: 'two words' }, 'name'],
  [{ name: 'pbx1', zone: 'Mars' }, 'zone'],
  [{ name: 'pbx1', dates: 'us' }, 'dates'],
  [{ name: 'pbx1', master: 'uniqueid' }, 'master'],
  [{ name: 'pbx1', map: 'colour=7' }, 'map'],
  [{ name: 'pbx1', map: 'start=' }, 'map'],
  [{ name: 'pbx1', where: 'a' }, 'where'],
])('the input %j is refused by its value', async (given, field) => {
  const refused = carriedOut(await aWorld(), addIntake, given)

  await expect(refused).rejects.toMatchObject({ code: 'wrong_value', field })
})

test('a switch keeps the secret that it has at another installation, and no refusal repeats one', async () => {
  const [here, there] = [await aWorld(), await aWorld()]
  const secret = await secretOf(here, addIntake, { name: 'pbx1' })

  expect(await secretOf(there, addIntake, { name: 'pbx1', secret })).toBe('')

  const [kept, first] = await Promise.all([here, there].map(({ store }) => findIntake(store, 'pbx1')))
  expect(kept?.secret_sha256).toBe(first?.secret_sha256)
  const refused = carriedOut(there, addIntake, { name: 'pbx2', secret: 'short' })
  await expect(refused).rejects.toMatchObject({ code: 'unfit_secret', values: { takes: expect.any(String) } })
  await expect(refused).rejects.not.toThrow('short')
})

test('a second switch beside one without unique ids is asked about', async () => {
  const { world, authorization } = await aWorldWithIntake()
  const at = world.now.getTime() / 1000 - 60
  const csv = (name: string, id: string) =>
    `${name}start,src,dst,billsec,sip_user\n${id}${at},1,442079460000,60,x\n`

  await post(world, 'csv', { body: csv('uniqueid,', 'a,'), headers: { authorization } })
  await carriedOut(world, addIntake, { name: 'with-ids' })
  await post(world, 'csv', { body: csv('', ''), headers: { authorization } })

  await expect(carriedOut(world, addIntake, { name: 'second' })).rejects.toMatchObject({
    code: 'second_source',
    values: { intake: 'second', sources: [expect.any(String)] },
    field: 'name',
  })
  expect(await findIntake(world.store, 'second')).toBeUndefined()
  expect(await secretOf(world, addIntake, { name: 'mapped', map: 'uniqueid=Id' })).toMatch(/^\w{32}$/)
  expect(await secretOf(world, addIntake, { name: 'master', master: 'loguniqueid' })).toMatch(/^\w{32}$/)
  expect(await secretOf(world, addIntake, { name: 'second', yes: 'yes' })).toMatch(/^\w{32}$/)
})

test('a switch is asked about beside files without unique ids, unless it has their source', async () => {
  const { world } = await aWorldWithIntake()
  const text = `start,src,dst,billsec,sip_user\n${world.now.getTime() / 1000 - 60},1,442079460000,60,x\n`
  const mediation = await openMediation(world.store, world.now)
  await mediate(mediation, partsOf(mediation, [{ format: 'csv', source: 'of-files', zone: 'UTC', text }]))

  await expect(carriedOut(world, addIntake, { name: 'second' })).rejects.toMatchObject({
    code: 'second_source',
    values: { sources: ['of-files'] },
  })
  expect(await secretOf(world, addIntake, { name: 'of-files' })).toMatch(/^\w{32}$/)
})
