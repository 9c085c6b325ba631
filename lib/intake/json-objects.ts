import { parse, stringify } from 'lossless-json'
import { DocumentRefused, type Found, type Piece, pieceOf } from './record.ts'
import { type Field, textOf } from './texts.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/**
 * The records of a JSON document: one object, a list of objects, or an object on each line as log files have them. A line
 * that cannot be read is refused alone. The text of a record is the same whether it comes alone or among others, and
 * whatever ends its line: by it a record is known again.
 */
export function readObjects(
  document: string,
  read: (object: JsonObject, text: string) => Found | undefined,
): Piece[] {
  const whole = parsed(document)
  if (isObject(whole)) {
    const text = document.trim()
    return pieceOf(text, () => read(whole, text))
  }
  if (Array.isArray(whole)) return textsIn(document).flatMap((text) => pieceOfText(text, read))
  const lines = document
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return (lines.length < 2 ? [document.trim()] : lines).flatMap((line) => pieceOfText(line, read))
}

/** The members of a list, every number as it was written. */
const textsIn = (list: string): string[] =>
  (parse(list) as unknown[]).map((member) => stringify(member) ?? 'null')

function pieceOfText(text: string, read: (object: JsonObject, text: string) => Found | undefined): Piece[] {
  return pieceOf(text, () => {
    const value = parsed(text)
    if (!isObject(value)) throw new DocumentRefused('not of its format', 'it is not a JSON object')
    return read(value, text)
  })
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/**
 * The fields of an object. Numbers that are ids must keep their last digits and zeros (`1741600000.10`), which only a
 * slower parser keeps: it is asked when one of these names holds a number that JavaScript might have changed.
 */
export function fieldsOf(object: JsonObject, text: string, ids: ReadonlySet<string>): Field {
  let lossless: JsonObject | undefined

  return (name) => {
    const value = object[name]
    if (typeof value === 'string') return value
    if (typeof value !== 'number' || Number.isSafeInteger(value) || !ids.has(name)) return textOf(value)
    lossless ??= parse(text) as JsonObject
    return String(lossless[name])
  }
}
