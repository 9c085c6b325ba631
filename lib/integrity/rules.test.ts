import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '#lib/local/root.ts'
import { entities } from '#lib/store/entities.ts'
import type { KeyForm } from '#lib/store/keys.ts'
import { statementsOf } from './rules.ts'
import type { Circumstances } from './statement.ts'

/** The partitions of these keys have names that other keys give them. */
const WITHOUT_PARTITIONS_OF_THEIR_OWN = ['pageKey', 'callStatsKeys', 'dayListKeys']

const isForm = (value: unknown): value is KeyForm => typeof value === 'function' && 'stretch' in value

/** The forms of keys that the files of lib/store export, and those of the entities. */
async function everyForm(): Promise<KeyForm[]> {
  const files = readdirSync(`${root}lib/store`, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const modules: object[] = await Promise.all(sources.map((file) => import(`${root}lib/store/${file}`)))
  const exported = modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) =>
      WITHOUT_PARTITIONS_OF_THEIR_OWN.includes(name) ? [] : [value, Object(value).item],
    ),
  )
  const declared = entities.flatMap(({ claims, copies }) => [...claims, ...copies].map(({ key }) => key))
  return [...exported, ...declared].filter(isForm)
}

test('everything that has a key has a rule', async () => {
  const forms = await everyForm()
  const missing = forms.filter((form) => {
    const values = Object.fromEntries(form.names.map((name) => [name, '1']))
    const said = JSON.stringify(statementsOf({ ...values, ...form.of(values) }, {} as Circumstances))
    return said.includes('is nothing that this version stores')
  })

  expect(missing.map(({ text }) => text)).toEqual([])
  expect(forms.length).toBeGreaterThan(40)
})
