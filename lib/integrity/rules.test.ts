import { expect, test } from 'vitest'
import * as keys from '#lib/store/keys.ts'
import { statementsOf } from './rules.ts'
import type { Circumstances } from './statement.ts'

/** Where their items stand, others say. */
const WITHOUT_ITEMS_OF_THEIR_OWN = ['pageKeys', 'callStatsKeys', 'documentKeys']

const kinds = Object.entries(keys)
  .filter(([name]) => name.endsWith('Keys') && !WITHOUT_ITEMS_OF_THEIR_OWN.includes(name))
  .flatMap(([name, kind]) => ('item' in kind ? [[name, kind.item] as const] : []))

test('everything that has a key has a rule', () => {
  const missing = kinds.flatMap(([name, item]) => {
    const key = typeof item === 'function' ? Reflect.apply(item, undefined, ['1', '1', '1']) : item
    const said = JSON.stringify(statementsOf(key, {} as Circumstances))
    return said.includes('is nothing that this version stores') ? [`${name}: ${key.PK} ${key.SK}`] : []
  })

  expect(kinds.length).toBeGreaterThan(20)
  expect(missing).toEqual([])
})
