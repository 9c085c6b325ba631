import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { invoiceProductKey, productPageColumns } from '#lib/billing/invoice-product.ts'
import { callKeys, storedCallColumns } from '#lib/calls/call.ts'
import { listedCallColumns } from '#lib/calls/local-call.ts'
import { queueLogColumns } from '#lib/calls/queue-log.ts'
import { entities } from '#lib/dataset/entities.ts'
import type { Columns } from '#lib/table/columns.ts'
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

const under = (form: Parameters<typeof isUnder>[0]) => {
  const isOf = isUnder(form)
  return (item: Attributes) => isOf(placeInIndex(item, ''))
}
const inListOf = (name: string) => (item: Attributes) => item['PK']?.S?.startsWith(`${name}#`) ?? false

/** The columns of packed rows: a cell has a place in them, and no name. */
const PACKED: readonly (readonly [isOf: (item: Attributes) => boolean, columns: Columns])[] = [
  ...entities.map(({ key, columns: { owner_id, ...columns } }) => [under(key), columns] as const),
  [under(callKeys.ofSwitch), storedCallColumns],
  [under(callKeys.withoutSwitch), storedCallColumns],
  [under(invoiceProductKey), productPageColumns],
  [inListOf('QUEUELOG'), queueLogColumns],
  [inListOf('LOCALCALLS'), listedCallColumns],
]

/** The names and types in the JSON of a row: of its properties, or of its cells after the layout's number. */
function partsOfRow(item: Attributes): [name: string, type: string][] {
  const row: unknown = JSON.parse(item['row']?.S ?? '{}')
  if (!Array.isArray(row))
    return Object.entries(Object(row)).map(([name, value]) => [`row.${name}`, typeof value])
  const columns = PACKED.find(([isOf]) => isOf(item))?.[1]
  if (!columns) throw new Error(`Add the columns of ${item['PK']?.S} ${item['SK']?.S} to PACKED`)
  return partsOfCells('row', columns, row.slice(1))
}

/** A blank cell has no type. */
const partsOfCells = (path: string, columns: Columns, cells: readonly unknown[]): [string, string][] =>
  Object.entries(columns).flatMap(([name, { rows }], index) => {
    const place = `${path}[${String(index).padStart(2, '0')}] ${name}`
    const cell = cells[index] ?? undefined
    const inner = rows ? ((cell ?? []) as unknown[][]).flatMap((one) => partsOfCells(place, rows, one)) : []
    return [[place, cell === undefined ? '' : typeof cell], ...inner]
  })

/** The attributes of an item and the parts of its row, with their types; of an index, its key. */
const partsOf = (item: Attributes): [name: string, type: string][] => [
  ...['GSI1', 'GSI2'].flatMap((index): [string, string][] =>
    item[`${index}PK`] ? [[index, formOf(item, index)]] : [],
  ),
  ...Object.entries(item)
    .filter(([name]) => !/^(GSI\d)?[PS]K$/.test(name))
    .map(([name, value]): [string, string] => [generalName(name), Object.keys(value).join()]),
  ...partsOfRow(item),
]

/** The attributes of the items under each key, with their types; of an index, the key. */
export type StoredShape = Readonly<Record<string, Readonly<Record<string, string>>>>

export function shapeOf(items: readonly Attributes[]): StoredShape {
  const shape = new Map<string, Map<string, Set<string>>>()
  for (const item of items) {
    const form = formOf(item, '')
    const attributes = shape.get(form) ?? new Map<string, Set<string>>()
    shape.set(form, attributes)
    for (const [name, type] of partsOf(item))
      attributes.set(name, (attributes.get(name) ?? new Set()).add(type))
  }
  const sorted = <V>(map: Map<string, V>) => [...map].sort(([one], [other]) => (one < other ? -1 : 1))
  const textOf = (types: Set<string>) => [...types].filter(Boolean).sort().join(' or ')
  return Object.fromEntries(
    sorted(shape).map(([form, attributes]) => [
      form,
      Object.fromEntries(sorted(attributes).map(([name, types]) => [name, textOf(types)])),
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
      return now === types || (types === '' && now !== undefined)
        ? []
        : [`${form}: ${name} was ${types || 'blank'} and is ${now ?? 'not there'}`]
    }),
  ),
  ...Object.keys(shape).flatMap((form) => (kept[form] ? [] : [`${form} is new`])),
]

const shapeFile = `${root}data/formats/${TABLE_FORMAT}.json`

export const readShape = (): StoredShape => JSON.parse(readFileSync(shapeFile, 'utf8'))

export const writeShape = (shape: StoredShape): Promise<void> =>
  writeFile(shapeFile, `${JSON.stringify(shape, null, 1)}\n`)
