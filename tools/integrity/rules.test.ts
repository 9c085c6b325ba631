import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { entities } from '#lib/store/entities.ts'
import type { KeyForm } from '#lib/store/keys.ts'
import { root } from '#tools/machine/location.ts'
import type { Circumstances } from './expectation.ts'
import { expectationsOf } from './rules.ts'

/** Other keys name the partitions of these. */
const WITHOUT_OWN_PARTITIONS = ['pageKey', 'callStatsKeys', 'dayListKeys']

const isForm = (value: unknown): value is KeyForm => typeof value === 'function' && 'range' in value

/** The forms of keys that the files of lib/store export, and those of the entities. */
async function everyForm(): Promise<KeyForm[]> {
  const files = readdirSync(`${root}lib/store`, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const modules: object[] = await Promise.all(sources.map((file) => import(`${root}lib/store/${file}`)))
  const exported = modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) =>
      WITHOUT_OWN_PARTITIONS.includes(name) ? [] : [value, Object(value).item],
    ),
  )
  const declared = entities.flatMap(({ claims, copies }) => [...claims, ...copies].map(({ key }) => key))
  return [...exported, ...declared].filter(isForm)
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
