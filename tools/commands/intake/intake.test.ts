import { expect, test } from 'vitest'
import { findIntake } from '#lib/settings/intake.ts'
import { rowsOfList } from '#test/listed.ts'
import { aWorld } from '#test/world.ts'
import { addIntakeNamed, listIntakeRows, removeIntakeNamed } from './intake.ts'

test("an intake's secret is shown once; the intake is listed without it, and revoked", async () => {
  const { store, now } = await aWorld()
  const add = (name: string, options = {}) => addIntakeNamed(store, name, options, now)

  const [first] = await add('pbx1', {
    zone: 'Europe/Berlin',
    master: 'loguniqueid',
    map: ['start=When'],
    where: ['a=b', 'c!='],
    dates: 'month-day',
  })

  expect(first).toMatch(/^pbx1 [A-Za-z0-9]{32}$/)
  await expect(add('pbx1')).rejects.toThrow('revoke it, then add it again')
  await expect(add('two words')).rejects.toThrow('40 letters')
  await expect(add('pbx2', { zone: 'Mars' })).rejects.toThrow('IANA')
  await add('gw1', { zone: '+02:00' })
  expect(await findIntake(store, 'gw1')).toMatchObject({ zone: '+02:00' })
  await removeIntakeNamed(store, 'gw1')
  await expect(add('pbx2', { dates: 'us' })).rejects.toThrow('use day-month or month-day')
  const [listed, ...others] = await rowsOfList(await listIntakeRows(store))
  expect(listed).toEqual({
    name: 'pbx1',
    added: '2026-03-10T12:00:00.000Z',
    zone: 'Europe/Berlin',
    columns: expect.stringMatching(/^accountcode,.*uniqueid$/),
    map: 'start=When',
    where: 'a=b c!=',
    dates: 'month-day',
  })
  expect(others).toEqual([])

  expect(await removeIntakeNamed(store, 'pbx1')).toBe('Revoked pbx1')
  await expect(removeIntakeNamed(store, 'pbx1')).rejects.toThrow('no intake')
  const [second] = await add('pbx1')
  expect(second).not.toBe(first)
})

test('a switch keeps the secret that it has at another installation', async () => {
  const [here, there] = [await aWorld(), await aWorld()]
  const [line = ''] = await addIntakeNamed(here.store, 'pbx1', {}, here.now)
  const secret = line.slice('pbx1 '.length)

  expect(await addIntakeNamed(there.store, 'pbx1', { secret }, there.now)).toEqual(['pbx1 keeps its secret'])
  const [kept, first] = await Promise.all([here, there].map(({ store }) => findIntake(store, 'pbx1')))
  expect(kept?.secret_sha256).toBe(first?.secret_sha256)
  await expect(addIntakeNamed(there.store, 'pbx2', { secret: 'short' }, there.now)).rejects.toThrow(
    '32 letters and digits',
  )
})
