import { expect, test } from 'vitest'
import { callStatsKeys } from '#lib/calls/counters/call-stats.ts'
import { holdsKey } from '#lib/control/holds.ts'
import { claimKey } from '#lib/devices/dialled.ts'
import { ratesOf, toLine } from '#lib/rates/tariff.ts'
import { replaceLines } from '#lib/rates/version-replacement.ts'
import { idCounterKey } from '#lib/table/id-counter.ts'
import { accountKey, deviceKey, keyIn } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import { everything } from '#test/examples/everything.ts'
import { anyTimeRate, bobsOperator } from '#test/examples/tariffs.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld } from '#test/world.ts'

test('a table that holds everything is sound', async () => {
  expect(await damageIn(await aWorld(everything))).toEqual([])
})

test.each<[string, Change, string[]]>([
  [
    'an account that counts a device too many',
    { update: accountKey(10), to: { add: { device_count: 1 } } },
    ['The counter of device_count of USER#10 is 2, but the total is 1.'],
  ],
  [
    'a day that counts a call too many',
    { update: callStatsKeys.item('STATS#USER#10', '0', '2026-03-10'), to: { add: { calls: 1 } } },
    ['The counter of calls in STATS#USER#10 on 2026-03-10 is 2, but the total is 1.'],
  ],
  [
    'a name that two devices have',
    { update: deviceKey(200), to: { set: { name: 'bobs-phone' } } },
    [
      'DIALLED#N1 N000000000002001 does not lead to device 200, or differs from it; import it again.',
      'DIALLED#Tbobs-phone T does not lead to device 200, or differs from it; import it again.',
    ],
  ],
  [
    'a counter of ids below an id in use',
    { update: idCounterKey('device'), to: { set: { last: 100 } } },
    ['The counter of device ids is at 100, but id 400 is in use.'],
  ],
  [
    'holds whose sum is another one',
    { put: { ...holdsKey(10), held: 5, open: 2, hAAAAAAAAAAA: '6 1800 1773146100 1773144000000 n1' } },
    ['Account 10 holds 5 for 2 calls, but its holds are 1 of 6: '],
  ],
  [
    'an item that cannot be read',
    { update: deviceKey(400), to: { set: { device_type: 'Abacus' } } },
    ['DEVICE#400 DEVICE cannot be read: '],
  ],
  [
    'an item with an unknown key',
    { put: { PK: 'ABACUS#1', SK: 'ABACUS' } },
    ['ABACUS#1 ABACUS is nothing that this version stores.'],
  ],
])('reports %s', async (_case, change, sentences) => {
  const world = await aWorld(everything)
  await world.store.transact([change])

  const damage = await damageIn(world)
  for (const sentence of sentences) expect(damage).toContainEqual(expect.stringContaining(sentence))
})

test('an item that was changed after it was read is checked again', async () => {
  const world = await aWorld(everything)
  const read = await world.dump()
  const device = { update: deviceKey(100), to: { set: { name: 'renamed' } } }
  await world.store.transact([
    device,
    { remove: claimKey('bobs-phone') },
    ...['renamed', '1001'].map((word) => ({
      put: { ...claimKey(word), id: 100, name: 'renamed', extension: '1001' },
    })),
  ])

  expect(await damageIn(world, read)).toEqual([])
})

test.each<[string, (cells: unknown[]) => void, string]>([
  ['a value that its column cannot have', (cells) => cells.splice(2, 1, 'noon'), 'Expected number'],
  ['too few cells', (cells) => cells.splice(-2), 'not a row of 36 columns'],
  ['an unknown layout', (cells) => cells.splice(0, 1, 2), 'not a row of layout 1'],
  [
    'another version than the item',
    (cells) => cells.splice(-2, 1, 7),
    'version 7 in its row and 1 beside it',
  ],
])('every cell of a packed row is checked: %s', async (_case, spoil, words) => {
  const world = await aWorld(everything)
  const call = (await world.dump()).find(({ PK }) => PK.startsWith('CALL#'))
  const cells = JSON.parse(String(call?.['row']))
  spoil(cells)
  await world.store.update(keyIn(call ?? {}), { set: { row: JSON.stringify(cells) } })

  expect(await damageIn(world)).toContainEqual(expect.stringContaining(words))
})

test('packed rows of every kind are checked', async () => {
  const world = await aWorld(everything)
  const packed = (await world.dump()).filter((item) => String(item['row']).startsWith('['))
  for (const item of packed) {
    const [layout, _first, ...others] = JSON.parse(String(item['row']))
    const row = JSON.stringify([layout, {}, ...others])
    await world.store.update(keyIn(item), { set: { row } })
  }

  const damage = await damageIn(world)
  for (const { PK, SK } of packed)
    expect(damage).toContainEqual(expect.stringContaining(`${PK} ${SK} cannot be read: `))
  const kinds = new Set(packed.map(({ PK, SK }) => (PK.startsWith('USER#') ? SK : PK).replace(/#.*/, '')))
  expect([...kinds].sort()).toEqual([
    'ADJUSTMENT',
    'CALL',
    'CHARGE',
    'CREDITNOTE',
    'INVOICE',
    'LOCALCALLS',
    'PAYMENT',
    'QUEUELOG',
    'SUBSCRIPTION',
  ])
})

test.each([
  [
    'of an unknown origin',
    ['EEA', 'Mars'],
    'the rate of 44 has the unknown origin "Mars": name it in origins.csv.',
  ],
  [
    'between which no caller decides',
    ['EEA', 'B'],
    'the rates of 44 for EEA and B are ambiguous: both origins have a prefix of callers in common, and equally many prefixes.',
  ],
])('reports the rates %s, of a former version, too', async (_case, names, problem) => {
  const world = await aWorld(bobsOperator)
  const lines = names.map((origin) => toLine(anyTimeRate({ prefix: '44', origin }))).sort()
  const replace = (rates: string[], beside: string[]) =>
    replaceLines(world.store, ratesOf(1), { lines: rates, beside, at: world.now, who: 'ada' })
  await replace(lines, ['49\tB\tEEA'])
  await replace(lines.slice(0, 1), ['49\tEEA', '50\tB'])

  expect(await damageIn(world)).toEqual([`Version 2 of TARIFF#1 cannot be rated: ${problem}`])
})
