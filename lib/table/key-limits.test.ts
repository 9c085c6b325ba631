import { expect, test } from 'vitest'
import { slices } from '#lib/base/collections.ts'
import { entities } from '#lib/dataset/entities.ts'
import { isKeyForm, keyModules } from '#test/hostile/key-modules.ts'
import { aWorld } from '#test/world.ts'
import { type Key, type KeyForm, keyForm, keyText, MAX_KEY_BYTES, momentText } from './keys.ts'
import { ITEMS_IN_ONE_WRITE } from './requests/batches.ts'

/** The forms of keys that files export, and those of the entities. */
async function everyKeyForm(): Promise<KeyForm[]> {
  const modules = await keyModules()
  const exported = modules.flatMap((module) =>
    Object.values(module).flatMap((value) => [value, ...Object.values(Object(value))]),
  )
  const declared = entities.flatMap(({ claims, copies }) => [...claims, ...copies].map(({ key }) => key))
  return [...new Set([...exported, ...declared].filter(isKeyForm))]
}

const HOSTILE_VALUES = [
  ...[255, 1000, 1024, 1025, 2048, 2049, 100_000].map((length) => 'a'.repeat(length)),
  '\u20ac'.repeat(400),
  '\u{1f4de}'.repeat(300),
  'half \ud800',
  'half \udc00',
  '#',
  '\u0000',
  `~${'0'.repeat(64)}`,
]

/** The keys of a form with each of these as each of its values, beside short others, and as all of them. */
const hostileKeys = ({ names, of }: KeyForm): Key[] =>
  HOSTILE_VALUES.flatMap((hostile) => [
    ...names.map((name) =>
      of({ ...Object.fromEntries(names.map((other) => [other, '1'])), [name]: hostile }),
    ),
    of(Object.fromEntries(names.map((name) => [name, hostile]))),
  ])

test("the table takes every form's keys with any values, and different values differ", async () => {
  const { store } = await aWorld()
  const forms = await everyKeyForm()

  for (const form of forms.filter(({ names }) => names.length > 0)) {
    const keys = new Map(hostileKeys(form).map((key) => [keyText(key), key]))
    const alone = form.names.length === 1 ? 1 : form.names.length + 1
    expect([form.text, keys.size]).toEqual([form.text, HOSTILE_VALUES.length * alone])
    for (const some of slices(keys.values(), ITEMS_IN_ONE_WRITE)) await store.putBatch(some)
    expect([form.text, await store.getMany([...keys.values()])]).toEqual([form.text, [...keys.values()]])
  }
  expect(forms.length).toBeGreaterThan(40)
})

test('a key that fits is the plain text of its values', () => {
  const key = keyForm('CALL#<uniqueid>', 'CALL#<source>#<source_part>')
  const [long, part] = ['a'.repeat(2043), 'b'.repeat(1016)]

  expect(key(long, 'gw', part)).toEqual({ PK: `CALL#${long}`, SK: `CALL#gw#${part}` })
  const { PK, SK } = key(`${long}a`, 'gw', `${part}b`)
  expect([PK, SK]).toEqual([
    expect.stringMatching(/^CALL#~[0-9a-f]{64}$/),
    expect.stringMatching(/^CALL#gw#~/),
  ])
  expect(key.range(`${long}a`).partition).toBe(PK)
})

test('a sort key of a list has its moment and at most as many bytes as DynamoDB takes', () => {
  const listedKey = keyForm('LIST', '<moment>#<id>')
  const { SK } = listedKey(momentText(1_770_000_000), '\u20ac'.repeat(500))

  expect(SK).toMatch(/^001770000000#~/)
  expect(Buffer.byteLength(SK)).toBeLessThanOrEqual(MAX_KEY_BYTES.SK)
})
