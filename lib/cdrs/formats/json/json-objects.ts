import { type Found, foundsBy, type ParsedCdr, unreadable } from '../cdr.ts'
import { type Field, scalarText } from '../fields.ts'
import { isTooDeep, type JsonSegment, MAX_DEPTH, membersNamed, segmentsOf, trimmed } from './json-text.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** One object may hold several calls. */
type ReadObject = (object: JsonObject, text: string) => Found | readonly Found[]

/**
 * The parts of a JSON document: objects on lines of their own, as in log files, and the members of lists. An
 * unreadable part is a problem of its own. The text of a part does not depend on its neighbours or its line
 * end, because it identifies a CDR without an id.
 */
export function readObjects(document: string, read: ReadObject): Iterable<ParsedCdr> {
  const text = trimmed(document, 0, document.length)
  if (text.startsWith('[') || text.includes('\n')) return partsOf(text, read)
  return foundsIn({ text, isAlone: true }, parsedOnce(), read).map((found) => partOf(text, found))
}

function* partsOf(document: string, read: ReadObject): Generator<ParsedCdr> {
  const objectIn = parsedOnce()
  const isObjectLine = (line: string) => line.length >= MIN_OBJECT_CHARACTERS && objectIn(line) !== undefined
  for (const segment of segmentsOf(document, isObjectLine)) {
    const { text, list } = segment
    if (text !== '') for (const found of foundsIn(segment, objectIn, read)) yield partOf(text, found)
    if (list === 'unclosed') yield partOf('[', NOT_CLOSED)
  }
}

const partOf = (text: string, found: Found): ParsedCdr => ({ found, text: () => text })

type ObjectIn = (text: string) => JsonObject | undefined

/** A parser of objects that parses the same text once if it is asked twice in a row. */
function parsedOnce(): ObjectIn {
  let last: { readonly text: string; readonly object: JsonObject | undefined } | undefined

  return (text) => {
    if (last?.text !== text) last = { text, object: isTooDeep(text) ? undefined : parsed(text) }
    return last.object
  }
}

/** A shorter object is not a CDR. This keeps a million short lines as cheap as other documents. */
const MIN_OBJECT_CHARACTERS = 30

function foundsIn({ text, isAlone }: JsonSegment, objectIn: ObjectIn, read: ReadObject): readonly Found[] {
  if (!text.startsWith('{')) return [NOT_AN_OBJECT]
  if (!isAlone && text.length < MIN_OBJECT_CHARACTERS) return [TOO_SHORT]
  const object = objectIn(text)
  if (object) return foundsBy(() => read(object, text))
  return [isTooDeep(text) ? TOO_DEEP : NOT_AN_OBJECT]
}

const NOT_AN_OBJECT = unreadable('it is not a JSON object')
const TOO_SHORT = unreadable('it is too short to be a CDR')
const TOO_DEEP = unreadable(`its brackets are nested deeper than ${MAX_DEPTH} levels`)
const NOT_CLOSED = unreadable('the list is not closed: the document is cut off')

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * The text of the list of objects in an answer such as `{"value": [...], "next": "..."}`, or in an object in
 * it; `undefined` for a text other than such an object, or that `isCdr` takes for a CDR.
 */
export function listTextOf(document: string, isCdr: (object: JsonObject) => boolean): string | undefined {
  const text = trimmed(document, 0, document.length)
  const object = text.startsWith('{') && !isTooDeep(text) ? parsed(text) : undefined
  if (object === undefined || isCdr(object)) return undefined
  const members = Object.entries(object)
  const lists = members.filter(([, value]) => Array.isArray(value) && value.every(isObject))
  const inner = lists.length === 0 ? members.filter(([, value]) => isObject(value)) : []
  const [[name, value] = ['', undefined], ...others] = [...lists, ...inner]
  if (value === undefined || others.length > 0) return undefined
  const written = membersNamed(text, new Set([name])).get(name) ?? ''
  return Array.isArray(value) ? written : listTextOf(written, isCdr)
}

/**
 * The fields of an object. Ids that are JSON numbers must keep all digits and zeros
 * (`1741600000.10`): a field of `ids` is read from the text if JavaScript may have changed its number.
 */
export function fieldsOf(object: JsonObject, text: string, ids: ReadonlySet<string>): Field {
  let written: ReadonlyMap<string, string> | undefined

  return (name) => {
    const value = object[name]
    if (typeof value !== 'number' || Number.isSafeInteger(value) || !ids.has(name)) return scalarText(value)
    written ??= membersNamed(text, ids)
    return written.get(name) ?? ''
  }
}
