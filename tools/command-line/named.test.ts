import { expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { findAccountNamed, findTariffNamed } from './named.ts'

test('an account is named by its username, otherwise by its id', async () => {
  const { store } = await aWorld({ users: people })
  const bob = await findAccountNamed(store, 'bob')

  expect(bob.username).toBe('bob')
  expect(await findAccountNamed(store, String(bob.id))).toEqual(bob)
})

test.each([
  ['boob', 'There is no account boob: did you mean bob?'],
  ['nobody_at_all', 'There is no account nobody_at_all: npx tollgate account list shows all of them'],
  ['999999', 'There is no account 999999: npx tollgate account list shows all of them'],
])('an unknown account is refused with the nearest usernames: %s', async (word, message) => {
  const { store } = await aWorld({ users: people })

  await expect(findAccountNamed(store, word)).rejects.toThrow(message)
})

test('a tariff is named by its id, otherwise by its name', async () => {
  const { store } = await aWorld(threeTariffs)
  const [tariff] = threeTariffs.tariffs
  const found = await findTariffNamed(store, String(tariff?.id))

  expect(found.name).toBe(tariff?.name)
  expect(await findTariffNamed(store, found.name.toUpperCase())).toEqual(found)
  await expect(findTariffNamed(store, `${found.name}x`)).rejects.toThrow(`did you mean ${found.name}`)
  await expect(findTariffNamed(store, 'nothing like it')).rejects.toThrow(
    'npx tollgate tariff list shows all',
  )
})
