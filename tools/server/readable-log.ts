import type { LogFields } from '#lib/table/log-line.ts'

/** Ids and costs, which a person looks for in the lines that `--json` writes. */
const LEFT_OUT = new Set([
  'request',
  'invocation',
  'round_trips',
  'read_units',
  'write_units',
  'milliseconds',
])

/** Time, method, caller, outcome, milliseconds, and the stack of a bug in the lines below. */
export function readableLine(line: LogFields, now: Date): string {
  const { method, function: name = method, caller, outcome, refusal, error, ...others } = line
  const time = now.toTimeString().slice(0, 8)
  const who = caller === undefined ? '' : `account ${caller}`
  const words = [outcome, ...Object.entries(others).flatMap(wordsOfField)].filter(
    (text) => text !== undefined,
  )
  const cause = [refusal, messageOf(error)].find((text) => text !== undefined)
  const what = [words.join(', '), ...(cause === undefined ? [] : [cause])].filter(Boolean).join(': ')
  const took = line['milliseconds'] === undefined ? '' : `  ${line['milliseconds']} ms`
  const start = name === undefined ? [] : [String(name).padEnd(NAME_WIDTH), who.padEnd(WHO_WIDTH)]
  return [[time, ...start, `${what}${took}`].join('  ').trimEnd(), ...stackOf(error)].join('\n')
}

const NAME_WIDTH = 20
const WHO_WIDTH = 11

const wordsOfField = ([name, value]: [string, unknown]): string[] =>
  LEFT_OUT.has(name) || value === undefined ? [] : [`${name} ${textOf(value)}`]

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function messageOf(error: unknown): string | undefined {
  if (error === undefined || typeof error === 'string') return error
  return isDescribed(error) ? `${error.name}: ${error.message}` : textOf(error)
}

const stackOf = (error: unknown): string[] =>
  isDescribed(error) && error.stack !== undefined ? error.stack.split('\n').slice(1) : []

interface DescribedError {
  readonly name: string
  readonly message: string
  readonly stack?: string
}

const isDescribed = (error: unknown): error is DescribedError =>
  typeof error === 'object' && error !== null && 'name' in error && 'message' in error
