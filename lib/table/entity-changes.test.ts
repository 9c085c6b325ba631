import { expect, test } from 'vitest'
import { creditNoteColumns, creditNotes, ofNoIssue } from '#lib/billing/credit-note.ts'
import { deviceRulePointerKey } from '#lib/devices/device-rule-stored.ts'
import { locationRules } from '#lib/devices/location-rule-stored.ts'
import { locationRuleReplaced } from '#lib/devices/location-rule-writing.ts'
import { findProviders, providers } from '#lib/rates/provider.ts'
import { everything } from '#test/examples/everything.ts'
import { people } from '#test/examples/examples.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { filledRow } from './columns.ts'
import { changesOf } from './entity-changes.ts'
import { absent, type Change, combined, is, present, toTransactItem } from './requests/changes.ts'
import { ConditionFailed } from './requests/retries.ts'

async function theProvider(world: World) {
  const [provider] = await findProviders(world.store, [1])
  if (!provider) throw new Error('The provider was not imported')
  return provider
}

test('of two changes of the row as it was read, the second fails and leaves no claim', async () => {
  const world = await aWorld(everything)
  const before = await theProvider(world)
  await world.store.transact(changesOf(providers, before, { ...before, name: 'Severn' }))

  const late = changesOf(providers, before, { ...before, name: 'Tyne', names: 'gw1' })
  await expect(world.store.transact(late)).rejects.toThrow(ConditionFailed)
  expect((await theProvider(world)).name).toBe('Severn')
  expect(await damageIn(world)).toEqual([])
})

test('a claim that another row holds is not taken', async () => {
  const world = await aWorld({
    ...everything,
    providers: [...everything.providers, { id: '2', name: 'Severn' }],
  })
  const before = await theProvider(world)

  const change = changesOf(providers, before, { ...before, names: 'severn' })
  await expect(world.store.transact(change)).rejects.toThrow(ConditionFailed)
  expect(await damageIn(world)).toEqual([])
})

test('entries that stay the same cost nothing: a change of other columns is one write', async () => {
  const world = await aWorld(everything)
  const before = await theProvider(world)

  expect(changesOf(providers, before, { ...before, tariff_id: undefined })).toHaveLength(1)
})

test('a row whose key changes leaves nothing behind', async () => {
  const world = await aWorld(everything)
  const before = await locationRules.find(world.store, 100)
  if (!before) throw new Error('The rule was not imported')
  await world.store.transact(
    await locationRuleReplaced(world.store, before, { ...before, location_id: 2, device_id: 200 }),
  )

  const left = (await world.dump()).filter(({ PK, SK }) => /RULE#0*100$/.test(SK) || PK === 'LOCRULE#100')
  expect(left.map(({ PK, SK }) => `${PK} ${SK}`)).toEqual([
    'DEVICE#200 LOCRULE#000000000000100',
    'LOCATION#2 RULE#000000000000100',
    'LOCRULE#100 LOCRULE',
  ])
  expect(await damageIn(world)).toEqual([])
})

test('changes of one item are joined: counts are added, and all conditions hold', async () => {
  const world = await aWorld(everything)
  const key = { PK: 'A', SK: 'A' }
  const count = { update: key, to: { add: { rules: 1, version: 1 } } }
  const check = { check: key, when: { owner_id: present } }

  expect(combined([count, check, count])).toEqual([
    { update: key, to: { set: {}, add: { rules: 2, version: 2 } }, when: { owner_id: [present] } },
  ])
  expect(() => combined([{ put: key }, { remove: key }])).toThrow('two writes of A')
  const equal = Array.from({ length: 100 }, () => ({ check: key, when: { owner_id: is(7) } }))
  const [checked] = combined(equal).map((change) => toTransactItem(change, 'tollgate'))
  expect(checked?.ConditionCheck?.ConditionExpression).toBe('#n0 = :v0')
  const never = [
    { check: key, when: { PK: absent } },
    { check: key, when: { PK: present } },
  ]
  for (const checks of [never, never.toReversed()])
    await expect(world.store.transact(combined(checks))).rejects.toThrow(ConditionFailed)
})

test('of two rows that are created with one id at the same moment, the second fails', async () => {
  const world = await aWorld(everything)
  const note = { id: 77, user_id: 10, price: '1' }
  const [one, other] = ['2026-03-01', '2026-03-02'].map((issue_date) =>
    changesOf(creditNotes, undefined, {
      ...ofNoIssue,
      ...filledRow(creditNoteColumns, { ...note, issue_date }),
      owner_id: 0,
    }),
  ) as [Change[], Change[]]
  await world.store.transact(one)

  await expect(world.store.transact(other)).rejects.toThrow(ConditionFailed)
  expect(await damageIn(world)).toEqual([])
})

test('an import may give out an id again whose pointer leads to no row', async () => {
  const world = await aWorld(everything)
  await world.store.transact([{ put: { ...deviceRulePointerKey(9), id: 9, device_id: 200 } }])

  await world.given({ device_rules: [{ id: '9', device_id: '100', name: 'Again', cut: '9' }] })
  expect(await damageIn(world)).toEqual([])
})

test('rows whose pointers are missing are not asked for', async () => {
  const world = await aWorld({ users: people })
  const requests = world.meter.spent.requests

  expect(await creditNotes.findMany(world.store, [1, 2])).toEqual([undefined, undefined])
  expect(world.meter.spent.requests - requests).toBe(1)
})
