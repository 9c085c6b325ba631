import { memoize } from '#lib/base/collections.ts'
import { type CdrText, cdrRefused, type Found, type ReadFormat, SKIPPED, twoValuesOf } from '../cdr.ts'
import { rowChoice } from '../csv-rows.ts'
import { type Field, withoutBlanks } from '../fields.ts'
import { mappedReaderOf, obstacleOfPaths } from '../mapped-csv.ts'
import { type JsonObject, listTextOf, readObjects } from './json-objects.ts'
import { membersOf } from './json-text.ts'

/**
 * The JSON of any carrier: an object for each CDR, on lines, in a list, or in the one list of an object, such
 * as `{"value": [...]}`. The mapping of the source gives the path of each field, as `attributes.duration`.
 */
export const mappedJson: ReadFormat = (document) => {
  const isChosen = rowChoice(document)
  const read = mappedReaderOf(document)
  const columnsOf = memoize((paths: string): readonly string[] => paths.split('\n'))
  return readObjects(listIn(document), (_object, text): Found => {
    const twice = nameWrittenTwice(text)
    if (twice !== undefined) throw twoValuesOf(twice)
    const values = valuesIn(JSON.parse(text, keepingDigits) as JsonObject)
    const columns = columnsOf([...values.keys()].join('\n'))
    const obstacle = obstacleOfPaths(document, columns, [...values.values()])
    if (obstacle !== undefined) throw cdrRefused('unreadable', obstacle)
    const field: Field = (path) => values.get(path) ?? ''
    return isChosen(field) ? read(field, columns) : SKIPPED
  })
}

/** The text of the list that an object without a start holds, otherwise the whole text. */
export const listIn = ({ text, mapping = {} }: Pick<CdrText, 'text' | 'mapping'>): string =>
  listTextOf(text, (object) => valuesIn(object).has((mapping['start'] ?? 'start').split('+')[0] ?? '')) ??
  text

const NAMES = /"(?:[^"\\]|\\.)*"\s*:/g

/** A name that an object has with two values: JSON.parse takes the last one. */
function nameWrittenTwice(text: string): string | undefined {
  const names = text.match(NAMES) ?? []
  return new Set(names).size === names.length ? undefined : nameTwiceIn(text)
}

function nameTwiceIn(text: string): string | undefined {
  const members = membersOf(text)
  const values = new Map(members)
  const [twice] = members.find(([name, value]) => values.get(name) !== value) ?? []
  const inner = members.filter(([, value]) => value.startsWith('{'))
  return twice ?? inner.map(([, value]) => nameTwiceIn(value)).find((name) => name !== undefined)
}

/** A number as it is written: 1741600000.10 is not the id 1741600000.1. */
const keepingDigits = (
  _key: string,
  value: unknown,
  { source }: { readonly source?: string } = {},
): unknown =>
  typeof value === 'number' && source !== undefined && !Number.isSafeInteger(value) ? source : value

/** More values than a CDR has are left out. */
const MAX_VALUES = 1000

function valuesIn(object: JsonObject): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [path, text] of leavesOf('', object)) {
    if (values.size === MAX_VALUES) break
    values.set(path.replaceAll('\n', ' '), text)
  }
  return values
}

/** The texts of an object by their paths: `{"a": {"b": [1]}}` has `a.b.0`. */
function* leavesOf(path: string, value: unknown): Generator<readonly [path: string, text: string]> {
  if (typeof value !== 'object' || value === null) return yield [path, withoutBlanks(String(value ?? ''))]
  for (const [name, inner] of Object.entries(value))
    yield* leavesOf(path === '' ? name : `${path}.${name}`, inner)
}
