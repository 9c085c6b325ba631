import * as v from 'valibot'
import { fileRefused } from '#lib/base/row-refused.ts'

type ObjectSchema = v.StrictObjectSchema<v.ObjectEntries, undefined>

/** Reads a profile in JSON. Throws refused_file with the key that is wrong, and what may be there. */
export function parseProfile<S extends ObjectSchema>(
  schema: S,
  text: string,
  where: string,
): v.InferOutput<S> {
  const parsed = v.safeParse(schema, parseJson(text, where))
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  const path = v.getDotPath(issue) ?? 'the profile'
  const isKnown = issue.type !== 'strict_object' || issue.expected !== 'never'
  const problem = isKnown ? issue.message : `unknown: use ${keysAt(schema, path).join(', ')}`
  throw fileRefused(`${where}: ${path}: ${problem}`)
}

/** The keys that could be meant by an unknown one: those of the profile, or of an object in it. */
function keysAt(schema: ObjectSchema, path: string): string[] {
  const [first = '', second] = path.split('.')
  const within = schema.entries[first]
  if (second === undefined || !within || !('wrapped' in within)) return Object.keys(schema.entries)
  return Object.keys((within.wrapped as ObjectSchema).entries)
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw fileRefused(`${where} is not JSON: ${(error as Error).message}`, { cause: error })
  }
}
