import { expect, test } from 'vitest'
import { entities } from '#lib/dataset/entities.ts'
import type { KeyForm } from '#lib/table/keys.ts'
import { isKeyForm, keyModules } from '#test/hostile/key-modules.ts'
import type { Circumstances } from './expectation.ts'
import { expectationsOf } from './rules.ts'

/** Other keys name the partitions of these. */
const WITHOUT_OWN_PARTITIONS = ['pageKey', 'callStatsKeys', 'dayListKeys']

/** The forms of keys that files export, and those of the entities. */
async function everyForm(): Promise<KeyForm[]> {
  const modules = await keyModules()
  const exported = modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) =>
      WITHOUT_OWN_PARTITIONS.includes(name) ? [] : [value, Object(value).item],
    ),
  )
  const declared = entities.flatMap(({ claims, copies }) => [...claims, ...copies].map(({ key }) => key))
  return [...exported, ...declared].filter(isKeyForm)
}

test('every key form has a rule', async () => {
  const forms = await everyForm()
  const missing = forms.filter((form) => {
    const values = Object.fromEntries(form.names.map((name) => [name, '1']))
    const expectations = JSON.stringify(
      expectationsOf({ ...values, ...form.of(values) }, {} as Circumstances),
    )
    return expectations.includes('is nothing that this version stores')
  })

  expect(missing.map(({ text }) => text)).toEqual([])
  expect(forms.length).toBeGreaterThan(40)
})
