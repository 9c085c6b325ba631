import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { entities } from '#lib/dataset/entities.ts'
import type { Attributes } from '#lib/table/items.ts'
import { isUnder, keyForm } from '#lib/table/keys.ts'
import { TABLE_FORMAT } from '#lib/table/table-format.ts'
import { root } from '#tools/machine/program.ts'

/** The keys that lib declares by their text, without those of examples in comments. */
const declaredTexts = readdirSync(`${root}lib`, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .flatMap((name) => [
    ...readFileSync(`${root}lib/${name}`, 'utf8')
      .replace(/\/\*\*.*?\*\//gs, '')
      .matchAll(/\bkeyForm\(\s*'([^']+)',\s*'([^']+)',?\s*\)/g),
  ])
  .map(([, partition = '', place = '']) => [partition, place] as const)

const entityTexts = entities.flatMap(({ key, list, claims, copies }) =>
  [key, list, ...[...claims, ...copies].map((entry) => entry.key)].flatMap((form) =>
    form ? [form.text] : [],
  ),
)

/** The texts of all keys. */
export const keyTexts = [...declaredTexts, ...entityTexts]

const literals = (text: string): number => text.replace(/<\w+>/g, '').length

/** A key can have several forms. The one with the most literal text comes first. */
const forms = keyTexts
  .map((text) => ({ text: text.join(' / '), isOf: isUnder(keyForm(...text)) }))
  .sort((one, other) => literals(other.text) - literals(one.text))

/** The key of an item, or its key in an index. */
export const placeInIndex = (item: Attributes, index: string) => ({
  PK: item[`${index}PK`]?.S,
  SK: item[`${index}SK`]?.S,
})

const formOf = (item: Attributes, index: string): string =>
  forms.find(({ isOf }) => isOf(placeInIndex(item, index)))?.text ?? 'no form'

/** The attributes of the items under each key, with their types; of an index, the key. */
export type StoredShape = Readonly<Record<string, Readonly<Record<string, string>>>>

export function shapeOf(items: readonly Attributes[]): StoredShape {
  const shape = new Map<string, Map<string, Set<string>>>()
  const note = (form: string, name: string, type: string) => {
    const attributes = shape.get(form) ?? new Map<string, Set<string>>()
    shape.set(form, attributes.set(name, (attributes.get(name) ?? new Set()).add(type)))
  }
  for (const item of items) {
    const form = formOf(item, '')
    for (const index of ['GSI1', 'GSI2']) if (item[`${index}PK`]) note(form, index, formOf(item, index))
    for (const [name, value] of Object.entries(item))
      if (!/^(GSI\d)?[PS]K$/.test(name)) note(form, generalName(name), Object.keys(value).join())
  }
  const sorted = <V>(map: Map<string, V>) => [...map].sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(
    sorted(shape).map(([form, attributes]) => [
      form,
      Object.fromEntries(sorted(attributes).map(([name, types]) => [name, [...types].sort().join(' or ')])),
    ]),
  )
}

/** Counters have names with times and ids in them. */
const generalName = (name: string): string => name.replace(/\d+/g, '0')

/**
 * The attributes that tables of a format have, and items of another shape lack. A new attribute is none:
 * earlier rows have it blank.
 */
export const missingIn = (shape: StoredShape, kept: StoredShape): string[] => [
  ...Object.entries(kept).flatMap(([form, attributes]) =>
    Object.entries(attributes).flatMap(([name, types]) => {
      const now = shape[form]?.[name]
      return now === types ? [] : [`${form}: ${name} was ${types} and is ${now ?? 'not there'}`]
    }),
  ),
  ...Object.keys(shape).flatMap((form) => (kept[form] ? [] : [`${form} is new`])),
]

const shapeFile = `${root}data/formats/${TABLE_FORMAT}.json`

export const readShape = (): StoredShape => JSON.parse(readFileSync(shapeFile, 'utf8'))

export const writeShape = (shape: StoredShape): Promise<void> =>
  writeFile(shapeFile, `${JSON.stringify(shape, null, 1)}\n`)
