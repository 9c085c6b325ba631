import type { Request } from '#test/event.ts'
import { note, readNotes } from '#test/evidence/notes.ts'

// The log lines and secrets of tests: test/secrets.afterwards.test.ts seeks the ones in the others.

/** Notes a line of a log, as an object or as text, and returns it. */
export function notedLine<T>(line: T): T {
  note('lines', typeof line === 'string' ? line.trim() : JSON.stringify(line))
  return line
}

/** The different log lines and secrets of the whole run. */
export const readLogEvidence = () => ({
  lines: new Set(readNotes<string>('lines')),
  secrets: new Set(readNotes<string>('secrets')),
})

/** Parameters, columns, settings and elements whose values nobody may read in a log. */
const SECRET =
  /^(hash|p|password|password_hash|secret|portal_password|pin|uniquehash|API_Secret_Key|authorization)$/

/** Notes the secrets of a row, an item, parameters, settings or headers, and returns it. */
export function noted<T extends object>(fields: T): T {
  for (const [name, value] of Object.entries(fields)) {
    if (SECRET.test(name) && typeof value === 'string') note('secrets', value)
  }
  return fields
}

export function notedRows<R extends Readonly<Record<string, readonly object[] | undefined>>>(rows: R): R {
  for (const row of Object.values(rows).flat()) noted(row ?? {})
  return rows
}

/** A request's secrets, its body as a logged event would have it, and the secrets of its answer. */
export function noteSecretsOf({ query = [], body = '', headers = {} }: Request, answer: string): void {
  const sent = [...query, ...parametersIn(String(body)), ...Object.entries(headers)]
  for (const [name, value] of sent) noted({ [name]: value })
  const isSecret = sent.some(([name]) => SECRET.test(name))
  if (isSecret) note('secrets', Buffer.from(body).toString('base64').slice(0, 40))
  noteSecretsOfAnswer(answer)
}

/** An answer's secrets: of a device that was created or is shown, or of a logged in account. */
export function noteSecretsOfAnswer(body: string): void {
  const told = body.matchAll(/<(password|secret|pin|uniquehash)>([^<]+)</g)
  for (const [, name = '', text = ''] of told) noted({ [name]: text })
}

function parametersIn(body: string): Iterable<readonly [string, string]> {
  if (!body.startsWith('{')) return new URLSearchParams(body)
  try {
    return Object.entries(JSON.parse(body) as object).map(([name, value]) => [name, String(value)] as const)
  } catch {
    return []
  }
}
