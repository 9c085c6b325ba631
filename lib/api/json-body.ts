import { isLosslessNumber, parse } from 'lossless-json'
import type { Parameter } from './sent.ts'

const LAST_ONE_WINS = { onDuplicateKey: ({ newValue }: { newValue: unknown }) => newValue }

/** One flat object. Numbers keep their text, so that 1.0 and ids of 20 digits are signed as they were sent. */
export function readJson(body: string): Parameter[] {
  const document = parse(body, null, LAST_ONE_WINS)
  if (!isObject(document)) throw new TypeError('The body is not a JSON object')
  return Object.entries(document).flatMap(([name, value]) => {
    const text = textOf(value)
    return text === undefined ? [] : [[name, text] as const]
  })
}

/** A bare number is an object to the parser: it keeps the text of the number. */
const isObject = (document: unknown): document is Readonly<Record<string, unknown>> =>
  typeof document === 'object' && document !== null && !Array.isArray(document) && !isLosslessNumber(document)

function textOf(value: unknown): string | undefined {
  if (value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (isLosslessNumber(value)) return value.toString()
  throw new TypeError('The JSON body is nested')
}
