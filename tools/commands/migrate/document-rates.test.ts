import { expect, test } from 'vitest'
import { replaceDocuments } from '#lib/billing/document.ts'
import { payments } from '#lib/billing/payment.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { people } from '#test/examples/examples.ts'
import { RATED_KINDS, withoutRates } from '#test/examples/unrated-documents.ts'
import { migrated, toMigrate } from '#test/releases/migrated.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'

const document = { id: '1', user_id: '10', currency: 'EUR' }

/** A table of an earlier release: its documents have no exchange rates. */
async function anEarlierWorld(): Promise<World> {
  const world = await aWorld({
    users: people,
    currencies: [{ name: 'EUR', exchange_rate: '0.8' }],
    payments: [
      { ...document, date: '2026-03-01 09:00:00', amount: '8', completed: '1' },
      { ...document, id: '2', currency: '', date: '2026-03-01 09:00:00', amount: '8', completed: '1' },
    ],
    invoices: [{ ...document, number: 'A-1', issue_date: '2026-03-01', price: '8' }],
    credit_notes: [{ ...document, issue_date: '2026-03-01', price: '8' }],
  })
  await withoutRates(world)
  await world.store.update(settingsKey, { set: { table_format: 2 } })
  return world
}

const ratesIn = ({ store }: World) =>
  Promise.all(RATED_KINDS.map(async (kind) => (await kind.find(store, 1))?.exchange_rate))

test('the migration gives documents the exchange rate of its moment, once', async () => {
  const world = await anEarlierWorld()

  expect(await toMigrate(world)).toMatchObject({ rated: 3, problems: 0 })
  expect(await ratesIn(world)).toEqual([undefined, undefined, undefined])
  await world.given({ currencies: [{ name: 'EUR', exchange_rate: '0.5' }] })
  expect(await migrated(world)).toMatchObject({ rated: 3, problems: 0 })
  await world.given({ currencies: [{ name: 'EUR', exchange_rate: '0.4' }] })
  expect(await migrated(world)).toMatchObject({ rated: 0 })
  expect(await ratesIn(world)).toEqual(['0.5', '0.5', '0.5'])
  expect((await payments.find(world.store, 2))?.exchange_rate).toBeUndefined()
  expect(await damageIn(world)).toEqual([])
})

test('a document whose currency has lost its rate stays without one, and the others get theirs', async () => {
  const world = await anEarlierWorld()
  const before = await payments.find(world.store, 1)
  if (before)
    await replaceDocuments(world.store, payments, [{ before, after: { ...before, currency: 'XYZ' } }])

  expect(await migrated(world)).toMatchObject({ rated: 2, problems: 0 })
  expect(await ratesIn(world)).toEqual([undefined, '0.8', '0.8'])
})
